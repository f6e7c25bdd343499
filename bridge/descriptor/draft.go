package descriptor

import (
	"bytes"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// maxNesting is how deeply the messages of a descriptor may be nested: the figure of the C++ and Java parsers, whereas
// protobuf-go's own is 10,000. Names grow with each level.
const maxNesting = 100

// errNameless is for a file descriptor that does not say which file it describes.
var errNameless = errors.New("a file without a name")

// draft is a file descriptor on its way into a Set: read, but not yet linked to its imports. Immutable.
type draft struct {
	proto    *descriptorpb.FileDescriptorProto
	bytes    []byte // the proto in its one deterministic encoding
	imported bool   // a file of a buf image that is there for others' sake
}

// decodeDraft reads the wire form of a FileDescriptorProto. Options are parsed with the linked extensions; where these
// do not fit the bytes (somebody else's use of the same number), extensions stay unknown fields.
func decodeDraft(data []byte) (*draft, error) {
	file := &descriptorpb.FileDescriptorProto{}
	parse := proto.UnmarshalOptions{AllowPartial: true, RecursionLimit: maxNesting}
	if err := parse.Unmarshal(data, file); err != nil {
		parse.Resolver = new(protoregistry.Types)
		if bare := parse.Unmarshal(data, file); bare != nil {
			if options := malformedOptions(data); options != "" {
				return nil, fmt.Errorf("the bytes of %s are malformed: compile it again", options)
			}
			return nil, fmt.Errorf("not a file descriptor: %w", bare)
		}
	}
	if file.GetName() == "" {
		return nil, errNameless
	}
	if name := unwieldyName(file); name != "" {
		return nil, fmt.Errorf("a name of %d bytes and %d parts: at most %d and %d can be", len(name), parts(name), maxName, maxParts)
	}
	return finish(file, takeImportMark(file))
}

// newDraft copies a descriptor. It goes through the wire form so that options which its maker held as dynamic messages
// or unknown fields come out typed.
func newDraft(file *descriptorpb.FileDescriptorProto) (*draft, error) {
	data, err := encode(file)
	if err != nil {
		return nil, fmt.Errorf("cannot be encoded: %w", err)
	}
	return decodeDraft(data)
}

func finish(file *descriptorpb.FileDescriptorProto, imported bool) (*draft, error) {
	data, err := encode(file)
	if err != nil {
		return nil, fmt.Errorf("cannot be encoded: %w", err)
	}
	return &draft{proto: file, bytes: data, imported: imported}, nil
}

// sealed is a draft that has been linked, as it is kept: read, it takes several times the memory, and it is rarely needed again.
type sealed struct {
	bytes    []byte
	imported bool
}

func (d *draft) seal() sealed { return sealed{d.bytes, d.imported} }

// open reads the draft again.
func (s sealed) open() (*draft, error) {
	d, err := decodeDraft(s.bytes)
	if err != nil {
		return nil, err
	}
	return &draft{proto: d.proto, bytes: s.bytes, imported: s.imported}, nil
}

// services returns the full names of the services that the file declares.
func (d *draft) services() []protoreflect.FullName {
	var names []protoreflect.FullName
	scope := protoreflect.FullName(d.proto.GetPackage())
	for _, service := range d.proto.GetService() {
		names = append(names, scope.Append(protoreflect.Name(service.GetName())))
	}
	return names
}

// without returns the draft less some of its imports.
func (d *draft) without(imports []string) (*draft, error) {
	if len(imports) == 0 {
		return d, nil
	}
	struck := setOf(imports)
	public, weak := setOf(d.proto.GetPublicDependency()), setOf(d.proto.GetWeakDependency())
	file := proto.CloneOf(d.proto)
	file.Dependency, file.PublicDependency, file.WeakDependency = nil, nil, nil
	for i, path := range d.proto.GetDependency() {
		if struck[path] {
			continue
		}
		at := int32(len(file.GetDependency()))
		file.Dependency = append(file.Dependency, path)
		if public[int32(i)] {
			file.PublicDependency = append(file.PublicDependency, at)
		}
		if weak[int32(i)] {
			file.WeakDependency = append(file.WeakDependency, at)
		}
	}
	return finish(file, d.imported)
}

func setOf[T comparable](members []T) map[T]bool {
	set := make(map[T]bool, len(members))
	for _, member := range members {
		set[member] = true
	}
	return set
}

// byPath indexes drafts. Repetitions of one file are expected: reflection servers send imports again and again. Where
// two say different things, the one whose encoding sorts first is kept, so that the choice does not depend on the order
// they came in.
func byPath(drafts []*draft) (map[string]*draft, []Problem) {
	index := make(map[string]*draft, len(drafts))
	var problems []Problem
	for _, d := range drafts {
		path := d.proto.GetName()
		known, ok := index[path]
		if !ok {
			index[path] = d
			continue
		}
		order := bytes.Compare(d.bytes, known.bytes)
		if order != 0 {
			problems = append(problems, newProblem(path, "described more than once and not alike; one of the descriptions was used"))
		}
		if order < 0 || order == 0 && known.imported {
			index[path] = d
		}
	}
	return index, problems
}
