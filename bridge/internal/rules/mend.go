package rules

import (
	"fmt"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// remade makes descriptors anew with other rules: those that there are belong to others. It makes each file once, for all
// methods whose requests need it. It is empty at first, with replace set.
type remade struct {
	// replace gives the rules of a message and of its fields.
	replace func(protoreflect.MessageDescriptor) (*sifted, error)

	mu      sync.Mutex
	builder builder
	failed  map[string]error // why a file cannot be made, by its path
}

// input returns the message of md's name in files made anew.
func (r *remade) input(md protoreflect.MessageDescriptor) (protoreflect.MessageDescriptor, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.builder.files == nil {
		r.builder = builder{replace: r.replace, files: &protoregistry.Files{}, met: map[string]bool{}}
		r.failed = map[string]error{}
	}
	root := md.ParentFile()
	if err := r.failed[root.Path()]; err != nil {
		return nil, err
	}
	if err := r.builder.file(root); err != nil {
		r.failed[root.Path()] = err
		return nil, err
	}
	d, err := r.builder.files.FindDescriptorByName(md.FullName())
	if err != nil {
		return nil, err
	}
	made, ok := d.(protoreflect.MessageDescriptor)
	if !ok {
		return nil, fmt.Errorf("%s is no message", md.FullName())
	}
	return made, nil
}

// builder makes files anew.
type builder struct {
	replace func(protoreflect.MessageDescriptor) (*sifted, error)
	files   *protoregistry.Files
	met     map[string]bool // paths
}

// file makes what a file imports, then the file. One that is imported and not there stays away.
func (b *builder) file(file protoreflect.FileDescriptor) error {
	if b.met[file.Path()] || file.IsPlaceholder() {
		return nil
	}
	b.met[file.Path()] = true
	for i := range file.Imports().Len() {
		if err := b.file(file.Imports().Get(i).FileDescriptor); err != nil {
			return err
		}
	}
	made := protodesc.ToFileDescriptorProto(file)
	if err := b.messages(file.Messages(), made.GetMessageType()); err != nil {
		return err
	}
	built, err := protodesc.FileOptions{AllowUnresolvable: true}.New(made, b.files)
	if err != nil {
		return err
	}
	return b.files.RegisterFile(built)
}

func (b *builder) messages(in protoreflect.MessageDescriptors, made []*descriptorpb.DescriptorProto) error {
	for i, m := range made {
		md := in.Get(i)
		found, err := b.replace(md)
		if err != nil {
			return err
		}
		if found.message != nil {
			if err := replaceRules(m.GetOptions(), found.message); err != nil {
				return err
			}
		}
		for j, f := range m.GetField() {
			if rules := found.fields[j]; rules != nil {
				if err := replaceRules(f.GetOptions(), rules); err != nil {
					return err
				}
			}
		}
		if err := b.messages(md.Messages(), m.GetNestedType()); err != nil {
			return err
		}
	}
	return nil
}

// replaceRules puts rules in the place of those that options have, by whatever type of the extension or as unknown fields.
func replaceRules(options, rules proto.Message) error {
	wire, err := proto.Marshal(rules)
	if err != nil {
		return err
	}
	m := options.ProtoReflect()
	m.Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if fd.Number() == ruleOption {
			m.Clear(fd)
		}
		return true
	})
	var kept protoreflect.RawFields
	for rest := m.GetUnknown(); len(rest) > 0; {
		number, _, size := protowire.ConsumeField(rest)
		if size < 0 {
			break
		}
		if number != ruleOption {
			kept = append(kept, rest[:size]...)
		}
		rest = rest[size:]
	}
	m.SetUnknown(protowire.AppendBytes(protowire.AppendTag(kept, ruleOption, protowire.BytesType), wire))
	return nil
}
