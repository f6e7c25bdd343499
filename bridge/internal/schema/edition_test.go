package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// TestEdition2024 describes a file of an edition that the compiler of the other tests does not know: built by hand.
func TestEdition2024(t *testing.T) {
	t.Parallel()
	field := func(name string, number int32, kind descriptorpb.FieldDescriptorProto_Type) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{
			Name: proto.String(name), Number: proto.Int32(number), Type: kind.Enum(),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}
	}
	required := field("needed", 2, descriptorpb.FieldDescriptorProto_TYPE_INT64)
	required.Options = &descriptorpb.FieldOptions{Features: &descriptorpb.FeatureSet{
		FieldPresence: descriptorpb.FeatureSet_LEGACY_REQUIRED.Enum(),
	}}
	delimited := field("my_part", 3, descriptorpb.FieldDescriptorProto_TYPE_MESSAGE)
	delimited.TypeName = proto.String(".x.Part")
	delimited.Options = &descriptorpb.FieldOptions{Features: &descriptorpb.FeatureSet{
		MessageEncoding: descriptorpb.FeatureSet_DELIMITED.Enum(),
	}}
	fd, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("x.proto"), Package: proto.String("x"),
		Syntax: proto.String("editions"), Edition: descriptorpb.Edition_EDITION_2024.Enum(),
		MessageType: []*descriptorpb.DescriptorProto{
			{Name: proto.String("M"), Field: []*descriptorpb.FieldDescriptorProto{
				field("plain", 1, descriptorpb.FieldDescriptorProto_TYPE_STRING), required, delimited,
			}},
			{Name: proto.String("Part"), Field: []*descriptorpb.FieldDescriptorProto{
				field("data", 1, descriptorpb.FieldDescriptorProto_TYPE_BYTES),
			}},
		},
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name: proto.String("S"), Method: []*descriptorpb.MethodDescriptorProto{
				{Name: proto.String("Do"), InputType: proto.String(".x.M"), OutputType: proto.String(".x.M")},
			},
		}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := portable(t, methodsOf(fd))[0]
	check(t, m)
	want := `{"type":"object","properties":{"plain":{"type":"string"},"needed":{"type":"string","description":"Decimal 64-bit integer."},` +
		`"myPart":{"type":"object","properties":{"data":{"type":"string","description":"Base64."}}}},"required":["needed"]}`
	if diff := cmp.Diff(want, string(m.input())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
