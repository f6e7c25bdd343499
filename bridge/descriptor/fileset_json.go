package descriptor

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// jsonSet is the outer form of a FileDescriptorSet in ProtoJSON.
type jsonSet struct {
	File []jsontext.Value `json:"file"`
}

// jsonFile is what has to be known of a file beside its descriptor. ProtoJSON allows both spellings of a field.
type jsonFile struct {
	BufExtension jsonMark `json:"bufExtension"`
	BufSnake     jsonMark `json:"buf_extension"`
}

// jsonMark is the image extension of a file.
type jsonMark struct {
	IsImport      bool `json:"isImport"`
	IsImportSnake bool `json:"is_import"`
}

func (f jsonFile) imported() bool {
	return f.BufExtension.IsImport || f.BufExtension.IsImportSnake || f.BufSnake.IsImport || f.BufSnake.IsImportSnake
}

// parseJSONSet reads a set in ProtoJSON. Options whose extensions the set itself declares can only be read once the set
// has been built, so where there are any it is read twice.
func parseJSONSet(data []byte, limits Limits) (material, error) {
	var set jsonSet
	if err := json.Unmarshal(data, &set); err != nil {
		return material{}, errors.New(plain(err.Error()))
	}
	entries := make([][]byte, len(set.File))
	for i, file := range set.File {
		entries[i] = file
	}
	m, err := readEntries(entries, jsonReader(protoregistry.GlobalTypes), jsonName)
	if err != nil || !bytes.Contains(data, []byte(`"[`)) {
		return m, err
	}
	first, err := build(m, limits)
	if err != nil {
		return material{}, err
	}
	return readEntries(entries, jsonReader(linkedThen{first.Types()}), jsonName)
}

// jsonReader returns a function that reads one file with the resolver's extensions. Fields that it does not know are
// dropped: buf's own, and those of later versions of descriptor.proto.
func jsonReader(resolver extensionResolver) func([]byte) (*draft, error) {
	parse := protojson.UnmarshalOptions{AllowPartial: true, DiscardUnknown: true, Resolver: resolver, RecursionLimit: maxNesting}
	return func(entry []byte) (*draft, error) {
		var head jsonFile
		if err := json.Unmarshal(entry, &head); err != nil {
			return nil, fmt.Errorf("not a file descriptor: %s", plain(err.Error()))
		}
		file := &descriptorpb.FileDescriptorProto{}
		if err := parse.Unmarshal(entry, file); err != nil {
			return nil, fmt.Errorf("not a file descriptor: %s", plain(err.Error()))
		}
		d, err := newDraft(file)
		if err != nil {
			return nil, err
		}
		d.imported = head.imported()
		return d, nil
	}
}

func jsonName(entry []byte) string {
	var head struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(entry, &head) // an entry without a readable name is counted instead
	return head.Name
}

// extensionResolver is what protojson needs to read options.
type extensionResolver interface {
	protoregistry.MessageTypeResolver
	protoregistry.ExtensionTypeResolver
}

// linkedThen resolves extensions that the program has linked, which ProtoJSON names in full, to their Go types and all
// else to the types of a set.
type linkedThen struct {
	*dynamicpb.Types
}

// FindExtensionByName prefers the linked extension.
func (r linkedThen) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType, error) {
	if linked, err := protoregistry.GlobalTypes.FindExtensionByName(name); err == nil {
		return linked, nil
	}
	return r.Types.FindExtensionByName(name)
}
