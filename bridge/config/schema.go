package config

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// described are the files of the configuration with their comments, which generated code has not; "make generate" writes it.
//
//go:embed config.binpb
var described []byte

// schemaHead opens the schema in place of its brace.
const schemaHead = `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Configuration of the bridge",`

// Schema describes the configuration file in JSON Schema 2020-12, indented, for editors: keys as in config.proto and no others,
// what each means, and the rules that the keywords of JSON Schema can say. A file that is not by it may still be read: it allows
// neither keys in lowerCamelCase nor enums by their numbers.
func Schema() ([]byte, error) {
	files, root, err := describe()
	if err != nil {
		return nil, fmt.Errorf("descriptors of the configuration: %w", err)
	}
	text := schema.Document(annotation.NewReader(files), root)
	var out bytes.Buffer
	if err := json.Indent(&out, append([]byte(schemaHead), text[1:]...), "", "  "); err != nil {
		return nil, fmt.Errorf("schema of the configuration: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// describe returns the descriptor of a configuration with comments, and the files that it is of.
func describe() (*protoregistry.Files, protoreflect.MessageDescriptor, error) {
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(described, set); err != nil {
		return nil, nil, err
	}
	files, err := protodesc.NewFiles(complete(set))
	if err != nil {
		return nil, nil, err
	}
	d, err := files.FindDescriptorByName((&configv1.Config{}).ProtoReflect().Descriptor().FullName())
	if err != nil {
		return nil, nil, err
	}
	return files, d.(protoreflect.MessageDescriptor), nil
}

// complete adds the files that those of a set import and that are compiled in.
func complete(set *descriptorpb.FileDescriptorSet) *descriptorpb.FileDescriptorSet {
	have := map[string]bool{}
	for _, f := range set.GetFile() {
		have[f.GetName()] = true
	}
	all := &descriptorpb.FileDescriptorSet{}
	for queue := set.GetFile(); len(queue) > 0; queue = queue[1:] {
		all.File = append(all.File, queue[0])
		for _, path := range queue[0].GetDependency() {
			if have[path] {
				continue
			}
			have[path] = true
			if fd, err := protoregistry.GlobalFiles.FindFileByPath(path); err == nil { // else NewFiles says what is missing
				queue = append(queue, protodesc.ToFileDescriptorProto(fd))
			}
		}
	}
	return all
}
