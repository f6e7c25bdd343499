package annotation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

const fields = `
syntax = "proto2";
import "google/api/field_behavior.proto";
import "buf/validate/validate.proto";
message M {
  // The name. (-- api-linter: x --)
  optional string leading = 1;
  optional string trailing = 2; // After it.
  required string label = 3;
  optional string required = 4 [(google.api.field_behavior) = REQUIRED];
  optional string output = 5 [(google.api.field_behavior) = OUTPUT_ONLY];
  optional string input = 6 [(google.api.field_behavior) = INPUT_ONLY];
  optional string both = 7 [(google.api.field_behavior) = REQUIRED, (google.api.field_behavior) = IMMUTABLE];
  optional string identifier = 8 [(google.api.field_behavior) = IDENTIFIER];
  optional string rule = 9 [(buf.validate.field).required = true];
  optional string unrequired = 10 [(buf.validate.field).required = false];
  optional string ignored = 11 [(buf.validate.field) = {required: true, ignore: IGNORE_ALWAYS}];
  optional string if_zero = 12 [(buf.validate.field) = {required: true, ignore: IGNORE_IF_ZERO_VALUE}];
  optional string length = 13 [(buf.validate.field).string.min_len = 1];
  optional string old = 14 [deprecated = true];
  optional string optional = 15 [(google.api.field_behavior) = OPTIONAL];
  optional string default = 16 [(google.api.field_behavior) = NON_EMPTY_DEFAULT];
  repeated string unordered = 17 [(google.api.field_behavior) = UNORDERED_LIST];
  optional Retired retired = 18;
  repeated Retired retired_items = 19;
  map<string, Retired> retired_values = 20;
  map<string, Faded> faded_values = 21;
  optional Faded faded = 22;
  optional M plain = 23;
}
message Retired { option deprecated = true; optional string a = 1; }
enum Faded { option deprecated = true; ZERO = 0; }
`

func TestBehavior(t *testing.T) {
	t.Parallel()
	want := map[protoreflect.Name]annotation.Behavior{
		"leading":    {},
		"trailing":   {},
		"label":      {Required: true},
		"required":   {Required: true},
		"output":     {OutputOnly: true},
		"input":      {InputOnly: true},
		"both":       {Required: true, Immutable: true},
		"identifier": {Identifier: true},
		"rule":       {Required: true},
		"unrequired": {},
		"ignored":    {},
		"if_zero":    {Required: true},
		"length":     {},
		"old":        {Deprecated: true},
		"optional":   {},
		"default":    {NonEmptyDefault: true},
		"unordered":  {},

		"retired":        {Deprecated: true},
		"retired_items":  {Deprecated: true},
		"retired_values": {Deprecated: true},
		"faded_values":   {Deprecated: true},
		"faded":          {Deprecated: true},
		"plain":          {},
	}
	for origin, fd := range origins(t, compile(t, fields)) {
		for name, behavior := range want {
			t.Run(origin+"/"+string(name), func(t *testing.T) {
				t.Parallel()
				field := fd.Messages().Get(0).Fields().ByName(name)
				if diff := cmp.Diff(behavior, annotation.NewReader(nil).Field(field).Behavior); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestFieldDescription(t *testing.T) {
	t.Parallel()
	message := compile(t, fields).Messages().Get(0)
	for name, want := range map[protoreflect.Name]string{"leading": "The name.", "trailing": "After it.", "label": ""} {
		if got := annotation.NewReader(nil).Field(message.Fields().ByName(name)).Description; got != want {
			t.Errorf("%s is described as %q, want %q", name, got, want)
		}
	}
}
