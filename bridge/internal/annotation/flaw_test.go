package annotation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// wired returns a service, its method and the field of its request whose options are the bytes, one after the other.
func wired(t *testing.T, options ...[]byte) (protoreflect.ServiceDescriptor, protoreflect.MethodDescriptor, protoreflect.FieldDescriptor) {
	t.Helper()
	fdp := protodesc.ToFileDescriptorProto(compile(t, `
		syntax = "proto3";
		package test;
		message M { string a = 1; }
		service S { rpc Do(M) returns (M); }`))
	var raw []byte
	for _, o := range options {
		raw = append(raw, o...)
	}
	service, method, field := &descriptorpb.ServiceOptions{}, &descriptorpb.MethodOptions{}, &descriptorpb.FieldOptions{}
	for _, o := range []proto.Message{service, method, field} {
		o.ProtoReflect().SetUnknown(raw)
	}
	fdp.Service[0].Options, fdp.Service[0].Method[0].Options, fdp.MessageType[0].Field[0].Options = service, method, field
	fd, err := protodesc.NewFile(fdp, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return fd.Services().Get(0), fd.Services().Get(0).Methods().Get(0), fd.Messages().Get(0).Fields().Get(0)
}

// option is an occurrence of the option with the fields.
func option(fields ...string) []byte {
	b := protowire.AppendTag(nil, 76411, protowire.BytesType)
	return protowire.AppendString(b, strings.Join(fields, ""))
}

// text is a field of the wire type of strings and messages, number one of another type.
func text(num protowire.Number, content ...string) string {
	return string(protowire.AppendString(protowire.AppendTag(nil, num, protowire.BytesType), strings.Join(content, "")))
}

func number(num protowire.Number, v uint64) string {
	return string(protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), v))
}

// flawed are options of a method, what is read of them, and what is wrong.
var flawed = []struct {
	name    string
	options [][]byte
	want    *bridgev1.MethodOptions
	ignored []string
	closed  string
}{
	{"sound", [][]byte{option(number(1, 1))}, &bridgev1.MethodOptions{Hide: true}, nil, ""},
	{
		"name",
		[][]byte{option(number(1, 1), text(2, text(1, "a\xff")))},
		&bridgev1.MethodOptions{Hide: true, Tool: &bridgev1.Tool{}},
		[]string{"tool.name in its option (bridge.v1.method) is ignored: it is not a string of valid UTF-8"},
		"",
	},
	{
		"title before what counts",
		[][]byte{option(text(2, text(2, "\xff"), text(1, "x")), text(5, "sampling"))},
		&bridgev1.MethodOptions{Tool: &bridgev1.Tool{Name: "x"}, RequiredCapabilities: []string{"sampling"}},
		[]string{"tool.title"},
		"",
	},
	{
		"wrong type of a title",
		[][]byte{option(text(2, number(2, 7), text(1, "x")))},
		&bridgev1.MethodOptions{Tool: &bridgev1.Tool{Name: "x"}},
		[]string{"tool.title"},
		"",
	},
	{
		"tool is a number",
		[][]byte{option(number(2, 7), text(5, "sampling"))},
		&bridgev1.MethodOptions{RequiredCapabilities: []string{"sampling"}},
		[]string{"tool in its option (bridge.v1.method) is ignored: it is not a bridge.v1.Tool"},
		"",
	},
	{
		"hint",
		[][]byte{option(text(2, text(4, text(2, "x"), number(1, 1))))},
		&bridgev1.MethodOptions{Tool: &bridgev1.Tool{Hints: &bridgev1.Hints{ReadOnly: new(true)}}},
		[]string{"tool.hints.destructive", "it is not a bool"},
		"",
	},
	{
		"end of a tool",
		[][]byte{option(text(2, text(1, "x"), "\x0a"), number(6, 1))},
		&bridgev1.MethodOptions{Tool: &bridgev1.Tool{Name: "x"}, ReloadAfter: true},
		[]string{"the last 1 bytes of tool in its option"},
		"",
	},
	{
		"one of two resources",
		[][]byte{
			option(text(3, text(1, "a://\xff")),
				text(3, text(1, "a://b"), text(7, text(1, "k"), number(2, 1)), text(7, text(1, "x"), text(2, "y")))),
		},
		&bridgev1.MethodOptions{
			Resources: []*bridgev1.Resource{{}, {Address: &bridgev1.Resource_Uri{Uri: "a://b"}, Fields: map[string]string{"x": "y"}}},
		},
		[]string{"resources.uri", "resources.fields in its option (bridge.v1.method) is ignored: it is not an entry"},
		"",
	},
	{
		"later field",
		[][]byte{option(number(99, 7), number(6, 1))},
		&bridgev1.MethodOptions{ReloadAfter: true},
		[]string{"field 99 of MethodOptions"},
		"",
	},
	{
		"group",
		[][]byte{
			append(append(protowire.AppendTag(nil, 76411, protowire.StartGroupType), number(1, 1)...),
				protowire.AppendTag(nil, 76411, protowire.EndGroupType)...),
		},
		&bridgev1.MethodOptions{Hide: true}, nil, "",
	},
	{
		"somebody else's number",
		[][]byte{protowire.AppendVarint(protowire.AppendTag(nil, 76411, protowire.VarintType), 7)},
		&bridgev1.MethodOptions{},
		[]string{"its option 76411 is no bridge.v1.MethodOptions"},
		"",
	},
	{
		"beside somebody else's",
		[][]byte{protowire.AppendVarint(protowire.AppendTag(nil, 76411, protowire.VarintType), 7), option(number(1, 1))},
		&bridgev1.MethodOptions{Hide: true},
		[]string{"no bridge.v1.MethodOptions"},
		"",
	},

	{
		"hide is a text",
		[][]byte{option(text(1, "x"), text(5, "sampling"))},
		&bridgev1.MethodOptions{RequiredCapabilities: []string{"sampling"}}, nil,
		"hide in its option (bridge.v1.method) cannot be read: it is not a bool",
	},
	{
		"capability",
		[][]byte{option(text(5, "sampling"), text(5, "\xff"))},
		&bridgev1.MethodOptions{RequiredCapabilities: []string{"sampling"}}, nil,
		"required_capabilities",
	},
	{"capability is a number", [][]byte{option(number(5, 1))}, &bridgev1.MethodOptions{}, nil, "required_capabilities"},
	{"prompt is a number", [][]byte{option(number(4, 1))}, &bridgev1.MethodOptions{}, nil, "prompt in its option"},
	{
		"end",
		[][]byte{option(text(5, "sampling"), "\x08")},
		&bridgev1.MethodOptions{RequiredCapabilities: []string{"sampling"}}, nil,
		"the last 1 bytes of its option (bridge.v1.method)",
	},
	{"end of the first of two", [][]byte{option("\xff"), option(number(1, 1))}, &bridgev1.MethodOptions{Hide: true}, nil, "the last 1 bytes"},
}

// TestFlaws: what cannot be read costs itself alone, and says where it stands.
func TestFlaws(t *testing.T) {
	t.Parallel()
	for _, c := range flawed {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, method, _ := wired(t, c.options...)
			if diff := cmp.Diff(c.want, annotation.MethodOptions(method), protocmp.Transform()); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
			flaws := annotation.FlawsOf(method)
			all := strings.Join(flaws.Ignored, "\n")
			for _, word := range c.ignored {
				if !strings.Contains(all, word) {
					t.Errorf("ignored is %q, want %q", all, word)
				}
			}
			if len(flaws.Ignored) > len(c.ignored) || (flaws.Closed == "") != (c.closed == "") || !strings.Contains(flaws.Closed, c.closed) {
				t.Errorf("%+v", flaws)
			}
		})
	}
}

// TestFlawsOfServicesAndFields: a service is kept back as a method is, and a field just loses its header.
func TestFlawsOfServicesAndFields(t *testing.T) {
	t.Parallel()
	service, _, field := wired(t, option(number(1, 1), "\xff"))
	if flaws := annotation.FlawsOf(service); !annotation.ServiceOptions(service).GetHide() ||
		!strings.Contains(flaws.Closed, "(bridge.v1.service)") {
		t.Errorf("service: %+v", flaws)
	}
	if flaws := annotation.FlawsOf(field); flaws.Closed != "" || len(flaws.Ignored) != 2 {
		t.Errorf("field: %+v", flaws)
	}
	service, _, field = wired(t, option(text(1, "\xff")))
	if flaws := annotation.FlawsOf(service); !strings.Contains(flaws.Closed, "hide in its option") {
		t.Errorf("service: %+v", flaws)
	}
	want := annotation.Flaws{Ignored: []string{"header in its option (bridge.v1.field) is ignored: it is not a string of valid UTF-8; " +
		"compile it with the bridge's own bridge/v1/annotations.proto"}}
	if diff := cmp.Diff(want, annotation.FlawsOf(field)); diff != "" {
		t.Errorf("field (-want +got):\n%s", diff)
	}
}

// TestUnencodable: options that were made in memory can hold what no wire form has.
func TestUnencodable(t *testing.T) {
	t.Parallel()
	fdp := protodesc.ToFileDescriptorProto(compile(t,
		`syntax = "proto3"; package test; message M {} service S { rpc Do(M) returns (M); rpc Other(M) returns (M); }`))
	options := &descriptorpb.MethodOptions{}
	proto.SetExtension(options, bridgev1.E_Method, &bridgev1.MethodOptions{Tool: &bridgev1.Tool{Name: "\xff"}})
	fdp.Service[0].Method[0].Options = options
	fd, err := protodesc.NewFile(fdp, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	methods := fd.Services().Get(0).Methods()
	if flaws := annotation.FlawsOf(methods.Get(0)); !strings.Contains(flaws.Closed, "cannot be encoded") {
		t.Errorf("%+v", flaws)
	}
	if diff := cmp.Diff(annotation.Flaws{}, annotation.FlawsOf(methods.Get(1)), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// FuzzFlaws: whatever the bytes, nothing panics, and a parser that takes them all reads the same.
func FuzzFlaws(f *testing.F) {
	f.Add(option(number(1, 1), text(2, text(1, "a\xff"))))
	f.Add(option(text(3, text(1, "a://b"), text(7, text(1, "k"), text(2, "v"))), text(7, number(1, 1))))
	f.Add([]byte("\x1b\x1c")) // a group in the place of a message
	f.Fuzz(func(t *testing.T, raw []byte) {
		want := &bridgev1.MethodOptions{}
		if proto.Unmarshal(raw, want) != nil {
			want = nil
		}
		_, method, _ := wired(t, option(string(raw)))
		got, flaws := annotation.MethodOptions(method), annotation.FlawsOf(method)
		if flaws.Closed == "" && len(flaws.Ignored) == 0 && want == nil {
			t.Error("what no parser takes has no flaw")
		}
		if want != nil && len(flaws.Ignored) == 0 && flaws.Closed == "" && !proto.Equal(want, got) {
			t.Errorf("read is %v, want %v", got, want)
		}
	})
}
