package schema_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

const routed = `
	syntax = "proto3";
	import "bridge/v1/annotations.proto";
	import "google/protobuf/wrappers.proto";
	import "google/protobuf/timestamp.proto";
	import "google/api/field_behavior.proto";
	enum E { E_UNSPECIFIED = 0; }
	message Good {
		string region = 1 [(bridge.v1.field).header = "Region"];
		int32 shard_number = 2 [(bridge.v1.field).header = "shard"];
		bool dry = 3 [(bridge.v1.field).header = "X.dry_~"];
		Where where = 4;
		google.protobuf.UInt32Value weight = 5 [(bridge.v1.field).header = "Weight"];
		string plain = 6;
		oneof which { string a = 7 [(bridge.v1.field).header = "A"]; string b = 8; }
		message Where { string zone = 1 [(bridge.v1.field).header = "Zone"]; }
	}
	message Bad {
		int64 big = 1 [(bridge.v1.field).header = "Big"];
		double ratio = 2 [(bridge.v1.field).header = "Ratio"];
		bytes raw = 3 [(bridge.v1.field).header = "Raw"];
		E e = 4 [(bridge.v1.field).header = "E"];
		google.protobuf.Timestamp at = 5 [(bridge.v1.field).header = "At"];
		repeated string list = 6 [(bridge.v1.field).header = "List"];
		map<string, string> table = 7 [(bridge.v1.field).header = "Table"];
		Good.Where where = 8 [(bridge.v1.field).header = "Where"];
		string spaced = 9 [(bridge.v1.field).header = "a b"];
		string foreign = 10 [(bridge.v1.field).header = "größe"];
		string first = 11 [(bridge.v1.field).header = "Same"];
		string second = 12 [(bridge.v1.field).header = "sAME"];
		string token = 13 [(bridge.v1.field).header = "Token", debug_redact = true];
		repeated Inner inners = 14;
		map<string, Inner> named = 15;
		Secret secret = 16 [debug_redact = true];
		string output = 17 [(bridge.v1.field).header = "Output", (google.api.field_behavior) = OUTPUT_ONLY];
		message Inner { string id = 1 [(bridge.v1.field).header = "Inner"]; }
		message Secret { string value = 1 [(bridge.v1.field).header = "Value"]; }
	}
	message Self { string id = 1 [(bridge.v1.field).header = "Id"]; Self self = 2; }
	message Rec { Rec r = 1; string h = 2 [(bridge.v1.field).header = "H"]; }
	message Deep { Middle middle = 1; Good.Where where = 2; message Middle { Good.Where where = 1; } }
	message Beside { Good.Where from = 1; Good.Where to = 2; }
	message Veiled { Good.Where secret = 1 [debug_redact = true]; Open open = 2; message Open { Good.Where in = 1; } }
	message Many { repeated Many many = 1; string zone = 2; }`

// headers makes the schema of a message with headers, and what they repeat as name=path.
func headers(t *testing.T, md protoreflect.MessageDescriptor) (annotated []byte, params string, faults []string) {
	t.Helper()
	plain := generated(md)
	annotated, list, faults := plainGenerator().Headers(md, plain)
	if annotated != nil {
		checkAnnotated(t, plain, annotated, list)
	}
	return annotated, params + written(list), faults
}

// checkAnnotated demands that the annotated schema is the plain one with the headers added, and sound.
func checkAnnotated(t *testing.T, plain, annotated []byte, params []mcp.HeaderParam) {
	t.Helper()
	again, _, faults := plainGenerator().RawHeaders(nilMessage(t), annotated)
	if diff := cmp.Diff(params, again, cmpopts.IgnoreFields(mcp.HeaderParam{}, "Aliases")); diff != "" || len(faults) > 0 {
		t.Errorf("read again (-want +got):\n%s\nfaults %v", diff, faults)
	}
	bare := annotated
	for _, p := range params {
		bare = bytes.Replace(bare, []byte(`,"x-mcp-header":"`+p.Name+`"`), nil, 1)
	}
	if diff := cmp.Diff(string(plain), string(bare)); diff != "" {
		t.Errorf("more than headers was added (-want +got):\n%s", diff)
	}
	var parsed any
	if err := json.Unmarshal(annotated, &parsed); err != nil {
		t.Error(err)
	}
}

// nilMessage is a message without fields.
func nilMessage(t *testing.T) protoreflect.MessageDescriptor {
	t.Helper()
	return source(t, `syntax = "proto3"; message Nil {}`).Messages().Get(0)
}

func written(params []mcp.HeaderParam) string {
	var list []string
	for _, p := range params {
		text := p.Name + "=" + strings.Join(p.Path, ".")
		if p.Integer {
			text += " (integer)"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	messages := source(t, routed).Messages()
	annotated, params, faults := headers(t, messages.ByName("Good"))
	const want = "Region=region, shard=shardNumber (integer), X.dry_~=dry, Zone=where.zone, Weight=weight (integer), A=a"
	if params != want || len(faults) > 0 {
		t.Errorf("headers %s, want %s, faults %v", params, want, faults)
	}
	if !bytes.Contains(annotated, []byte(`"zone":{"type":"string","x-mcp-header":"Zone"}`)) {
		t.Errorf("the schema is %s", annotated)
	}
	annotated, params, faults = headers(t, messages.ByName("Many"))
	if annotated != nil || params != "" || faults != nil {
		t.Errorf("without an option there are %s, %s, %v", annotated, params, faults)
	}
}

// TestHeaderAliases: an argument is held against its header under each spelling that is accepted.
func TestHeaderAliases(t *testing.T) {
	t.Parallel()
	md := source(t, routed).Messages().ByName("Good")
	_, params, _ := plainGenerator().Headers(md, generated(md))
	want := map[string][][]string{"shard": {{"shard_number"}}, "Zone": nil, "Region": nil}
	for _, p := range params {
		if aliases, listed := want[p.Name]; listed {
			if diff := cmp.Diff(aliases, p.Aliases, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: %s", p.Name, diff)
			}
			delete(want, p.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("no headers for %v", want)
	}
}

// TestHeaderFaults: what would have clients drop the tool is left away and told, one fault a field.
func TestHeaderFaults(t *testing.T) {
	t.Parallel()
	messages := source(t, routed).Messages()
	_, params, faults := headers(t, messages.ByName("Bad"))
	if params != "Same=first, Zone=where.zone" && params != "Zone=where.zone, Same=first" {
		t.Errorf("headers %s", params)
	}
	const kinds = "only strings, integers of 32 bits and bools"
	want := map[string]string{
		"Bad.big": kinds, "Bad.ratio": kinds, "Bad.raw": kinds, "Bad.e": kinds, "Bad.at": kinds, "Bad.list": kinds, "Bad.table": kinds,
		"Bad.where":        kinds,
		"Bad.spaced":       "no token",
		"Bad.foreign":      "no token",
		"Bad.second":       "another argument has a header of that name",
		"Bad.token":        "secrets",
		"Bad.Secret.value": "secrets",
		"Bad.Inner.id":     "reached through singular messages",
		"Bad.output":       "not shown",
	}
	for field, reason := range want {
		told := 0
		for _, f := range faults {
			if strings.HasPrefix(f, "field "+field+" ") && strings.Contains(f, reason) {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s is told of %d times in\n%s", field, told, strings.Join(faults, "\n"))
		}
	}
	if len(faults) != len(want) {
		t.Errorf("%d faults, want %d:\n%s", len(faults), len(want), strings.Join(faults, "\n"))
	}
}

// TestHeaderInItself: of the places where a field is met, the shallowest has the header, and of these the first. What stands
// below that is no loss; what stands beside it is.
func TestHeaderInItself(t *testing.T) {
	t.Parallel()
	messages := source(t, routed).Messages()
	for name, want := range map[protoreflect.Name]string{"Self": "Id=id", "Rec": "H=h", "Deep": "Zone=where.zone"} {
		_, params, faults := headers(t, messages.ByName(name))
		if params != want || len(faults) > 0 {
			t.Errorf("%s: headers %s, want %s, faults %v", name, params, want, faults)
		}
	}
	_, params, faults := headers(t, messages.ByName("Beside"))
	if params != "Zone=from.zone" || len(faults) != 1 || !strings.Contains(faults[0], "of that name") {
		t.Errorf("headers %s, faults %v", params, faults)
	}
	annotated, params, faults := headers(t, messages.ByName("Veiled"))
	if params != "Zone=open.in.zone" || len(faults) != 1 || !strings.Contains(faults[0], "secrets") {
		t.Errorf("headers %s, faults %v, schema %s", params, faults, annotated)
	}
}

// TestRawHeaders reads headers from schemas that somebody has written.
func TestRawHeaders(t *testing.T) {
	t.Parallel()
	messages := source(t, routed).Messages()
	for _, c := range []struct {
		name, schema, params string
		faults               []string
	}{
		{"none", `{"type":"object"}`, "", nil},
		{"sound", `{"type":"object","properties":{
			"r":{"type":"string","x-mcp-header":"R"},"n":{"type":"integer","x-mcp-header":"N"},
			"o":{"type":"object","properties":{"b":{"x-mcp-header":"B","type":"boolean"}}}}}`, "R=r, N=n (integer), B=o.b", nil},
		{"a property of that name", `{"type":"object","properties":{"x-mcp-header":{"type":"string"}}}`, "", nil},
		{"data", `{"type":"object","default":{"x-mcp-header":1},"properties":{"a":{"enum":[{"x-mcp-header":"A"}]}}}`, "", nil},
		{"number", `{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, "", []string{`"a"`}},
		{"two types", `{"type":"object","properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}`, "", []string{`"a"`}},
		{"no type", `{"type":"object","properties":{"a":{"x-mcp-header":"A"}}}`, "", []string{`"a"`}},
		{"no string", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":true}}}`, "", []string{"no string"}},
		{"empty", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}`, "", []string{"no token"}},
		{
			"twice", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`, "A=a",
			[]string{`"b"`},
		},
		{"root", `{"type":"object","x-mcp-header":"A"}`, "", []string{`""`}},
		{
			"items", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`, "",
			[]string{`"a.items"`},
		},
		{
			"items, deep", `{"type":"object","properties":{"a":{"items":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}}`, "",
			[]string{`"a.items.b"`},
		},
		{"anyOf", `{"type":"object","anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, "", []string{`"anyOf.a"`}},
		{"$defs", `{"type":"object","$defs":{"d":{"type":"string","x-mcp-header":"A"}}}`, "", []string{`"$defs.d"`}},
		{"additional", `{"type":"object","additionalProperties":{"type":"string","x-mcp-header":"A"}}`, "", []string{`"additionalProperties"`}},
		{"not", `{"type":"object","properties":{"a":{"not":{"type":"string","x-mcp-header":"A"}}}}`, "", []string{`"a.not"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			params, lost, faults := plainGenerator().RawHeaders(messages.ByName("Many"), []byte(c.schema))
			if len(lost) > 0 {
				t.Errorf("lost are %v", lost)
			}
			if written(params) != c.params {
				t.Errorf("headers %s, want %s", written(params), c.params)
			}
			contained := cmp.Comparer(func(a, b string) bool { return strings.Contains(a, b) || strings.Contains(b, a) })
			if diff := cmp.Diff(c.faults, faults, contained, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRawHeadersOfFields: fields say what is secret, and their own options do nothing.
func TestRawHeadersOfFields(t *testing.T) {
	t.Parallel()
	messages := source(t, routed).Messages()
	params, lost, faults := plainGenerator().RawHeaders(messages.ByName("Bad"), []byte(`{"type":"object","properties":{
		"token":{"type":"string","x-mcp-header":"T"},"secret":{"properties":{"value":{"type":"string","x-mcp-header":"V"}}},
		"big":{"type":"string","x-mcp-header":"Big"}}}`))
	if written(params) != "Big=big" {
		t.Errorf("headers %s", written(params))
	}
	if strings.Count(strings.Join(faults, "\n"), "secrets do not go") != 2 || len(faults) != 2 {
		t.Errorf("faults %v", faults)
	}
	all := strings.Join(lost, "\n")
	if !strings.Contains(all, `field Bad.ratio gets no header "Ratio": input_schema`) || strings.Contains(all, "Bad.big") {
		t.Errorf("lost:\n%s", all)
	}
}

// generated is the schema that headers are added to.
func generated(md protoreflect.MessageDescriptor) []byte { return plainGenerator().Input(md).JSON }

// plainGenerator is a generator that nothing has been read with.
func plainGenerator() *schema.Generator {
	return schema.New(annotation.NewReader(nil), schema.Portable)
}
