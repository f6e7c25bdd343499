package catalog_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// raws are options as bytes, without their tag; nil for none.
type raws struct{ service, method, watch, field []byte }

// flawed is a service with a method Do and a stream Watch, that have the options.
func flawed(t *testing.T, r raws) catalog.Source {
	t.Helper()
	file := fileOf(t, annotated(t, "b", `
		message M { string a = 1; }
		service S { rpc Do(M) returns (M); rpc Other(M) returns (M); rpc Watch(M) returns (stream M); }`).Set, "x.proto")
	service, field := &descriptorpb.ServiceOptions{}, &descriptorpb.FieldOptions{}
	method, watch := &descriptorpb.MethodOptions{}, &descriptorpb.MethodOptions{}
	for options, raw := range map[proto.Message][]byte{service: r.service, method: r.method, watch: r.watch, field: r.field} {
		if raw != nil {
			tag := protowire.AppendTag(nil, 76411, protowire.BytesType)
			options.ProtoReflect().SetUnknown(protowire.AppendBytes(tag, raw))
		}
	}
	file.Service[0].Options, file.Service[0].Method[0].Options, file.Service[0].Method[2].Options = service, method, watch
	file.MessageType[0].Field[0].Options = field
	file.Dependency = nil
	set, err := descriptor.New([]*fileProto{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return catalog.Source{Backend: named(t, "b"), Set: set}
}

// part is a field of an option: a text, a message or, with number, a bool.
func part(num protowire.Number, content ...string) string {
	return string(protowire.AppendString(protowire.AppendTag(nil, num, protowire.BytesType), strings.Join(content, "")))
}

const (
	hide     = "\x08\x01"
	sampling = "\x2a\x08sampling"
)

// TestUnreadableOptions: what hides a method, or says who may call it, is never lost with another part of its option; and
// where it cannot be read itself, the method is kept back.
func TestUnreadableOptions(t *testing.T) {
	t.Parallel()
	badTool := part(2, part(2, "a\xff"))
	for _, c := range []struct {
		name, method, service string
		tools                 string
		kind                  catalog.Kind
		told                  []string
	}{
		{
			"hidden, bad title", badTool + hide, "", "s_other s_watch", catalog.Refused,
			[]string{"S.Do: hidden by the option (bridge.v1.method).hide"},
		},
		{
			"bad title", badTool + sampling, "", "s_do s_other s_watch", catalog.Ignored,
			[]string{"S.Do: tool.title in its option (bridge.v1.method) is ignored"},
		},
		{"bad capability", part(5, "\xff"), "", "s_other s_watch", catalog.Deficient, []string{"S.Do: required_capabilities in its option"}},
		{"bad hide", part(1, "x"), "", "s_other s_watch", catalog.Deficient, []string{"S.Do: hide in its option"}},
		{"bad end", sampling + "\xff", "", "s_other s_watch", catalog.Deficient, []string{"S.Do: the last 1 bytes"}},
		{"hidden service, bad end", "", hide + "\xff", "", catalog.Refused, []string{"S.Do: hidden by the option (bridge.v1.service).hide"}},
		{"bad service", "", "\xff", "", catalog.Deficient, []string{"S: the last 1 bytes of its option (bridge.v1.service)"}},
		{"later field of a service", "", part(99), "s_do s_other s_watch", catalog.Ignored, []string{"S: field 99 of ServiceOptions"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			made := compile(t, catalog.Options{}, flawed(t, raws{service: []byte(c.service), method: []byte(c.method)}))
			if got := strings.Join(names(made), " "); got != c.tools {
				t.Errorf("offered are %s, want %s", got, c.tools)
			}
			told(t, made, c.kind, c.told...)
			if found, ok := made.Tool("s_do"); ok && strings.Contains(c.method, sampling) && len(found.RequiredCapabilities) != 1 {
				t.Errorf("required are %v", found.RequiredCapabilities)
			}
		})
	}
}

// TestUnreadableOptionsAndExpose: the configuration stands above what hides, be it readable or not, and not above what a
// client must have.
func TestUnreadableOptionsAndExpose(t *testing.T) {
	t.Parallel()
	source := flawed(t, raws{service: []byte("\xff")})
	source.Expose = []string{"test.S.Do"}
	tool(t, compile(t, catalog.Options{}, source), "s_do")
	source = flawed(t, raws{method: []byte(part(5, "\xff"))})
	source.Expose = []string{"test.S.Do"}
	if c := compile(t, catalog.Options{}, source); len(c.Tools()) > 0 {
		t.Errorf("offered are %v", names(c))
	}
}

// TestUnreadableWatch: a method that is kept back serves no resource.
func TestUnreadableWatch(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, flawed(t, raws{method: []byte(part(3, part(1, "a://b"), part(9, "Watch"))), watch: []byte("\xff")}))
	told(t, c, catalog.Ignored, "S.Do: resource a://b cannot be watched: test.S.Watch is kept back")
	told(t, c, catalog.Deficient, "S.Watch: the last 1 bytes")
}

// TestUnreadableFieldOption costs the header alone, and is told with either schema.
func TestUnreadableFieldOption(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"", part(2, part(5, `{"type":"object"}`))} {
		c := compile(t, catalog.Options{}, flawed(t, raws{field: []byte(part(1, "\xff")), method: []byte(method)}))
		told(t, c, catalog.Ignored, "S.Do: field test.M.a: header in its option (bridge.v1.field) is ignored")
		if d := tool(t, c, "s_do"); d.HeaderParams != nil {
			t.Errorf("headers %v", d.HeaderParams)
		}
	}
}

// TestStrangersOption: the number may be somebody else's; that costs nothing but a word.
func TestStrangersOption(t *testing.T) {
	t.Parallel()
	source := annotated(t, "b", "")
	dir := writeProto(t, `
		syntax = "proto3";
		package test;
		import "google/protobuf/descriptor.proto";
		extend google.protobuf.ServiceOptions { int32 service = 76411; }
		extend google.protobuf.MethodOptions { string method = 76411; }
		message M {}
		service S { option (service) = 1; rpc Do(M) returns (M) { option (method) = "x"; } }`)
	source.Set = load(t, filesIn(dir))
	c := compile(t, catalog.Options{}, source)
	tool(t, c, "s_do")
	told(t, c, catalog.Ignored, "S: its option 76411 is test.service", "bridge/v1/annotations.proto")
	told(t, c, catalog.Ignored, "S.Do: its option 76411 is test.method", "bridge/v1/annotations.proto")
}
