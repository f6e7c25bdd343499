package rules_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/rules"
)

// strangers declares an option of somebody's own under the number of buf.validate's.
const strangers = `
	name: "strange.proto" package: "shop" syntax: "proto3" dependency: "google/protobuf/descriptor.proto"
	message_type { name: "M" field { name: "a" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL } }
	extension { name: "note" number: 1159 type: TYPE_STRING label: LABEL_OPTIONAL extendee: ".google.protobuf.FieldOptions" }`

// TestStrangers: whatever else stands under the number of the rules finds no fault with a request.
func TestStrangers(t *testing.T) {
	t.Parallel()
	file := &descriptorpb.FileDescriptorProto{}
	if err := prototext.Unmarshal([]byte(strangers), file); err != nil {
		t.Fatal(err)
	}
	options := &descriptorpb.FieldOptions{}
	options.ProtoReflect().SetUnknown([]byte("\xba\x48\x05hello"))
	file.MessageType[0].Field[0].Options = options
	wire, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{
		protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto), file,
	}})
	if err != nil {
		t.Fatal(err)
	}
	bare := build(t, wire, new(protoregistry.Types))
	for name, files := range map[string]*protoregistry.Files{
		"unknown fields": bare, "dynamic extension": build(t, wire, dynamicpb.NewTypes(bare)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			md := message(t, files, "M")
			c := rules.NewSet().Checker(md)
			var v *rules.Violations
			for range 2 {
				if err := c.Check(t.Context(), request(t, md, `{"a":"x"}`)); errors.As(err, &v) {
					t.Errorf("violations %v", v)
				}
			}
		})
	}
}

// TestNewerRules: a rule that this version of buf.validate does not know is passed over, and the others hold.
func TestNewerRules(t *testing.T) {
	t.Parallel()
	wire := compileSet(t, `message M { string a = 1 [(buf.validate.field).string = {min_len: 2}]; }`)
	var set descriptorpb.FileDescriptorSet
	if err := (proto.UnmarshalOptions{Resolver: new(protoregistry.Types)}).Unmarshal(wire, &set); err != nil {
		t.Fatal(err)
	}
	m := set.GetFile()[len(set.GetFile())-1].GetMessageType()[0].GetField()[0].GetOptions().ProtoReflect()
	const minLen, newer = "\xba\x48\x04\x72\x02\x10\x02", "\xba\x48\x07\x72\x05\x10\x02\xa8\x3e\x01" // number 997 of StringRules
	if got := string(m.GetUnknown()); got != minLen {
		t.Fatalf("options %x", got)
	}
	m.SetUnknown(protoreflect.RawFields(newer))
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	md := message(t, files, "M")
	got := broken(t, rules.NewSet().Checker(md), request(t, md, `{"a":"x"}`))
	if len(got) != 1 || !strings.Contains(got[0], "string.min_len") {
		t.Errorf("violations %q", got)
	}
}
