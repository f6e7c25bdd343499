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
}
`

func TestOfField(t *testing.T) {
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
	}
	for origin, fd := range origins(t, compile(t, fields)) {
		for name, behavior := range want {
			t.Run(origin+"/"+string(name), func(t *testing.T) {
				t.Parallel()
				field := fd.Messages().Get(0).Fields().ByName(name)
				if diff := cmp.Diff(behavior, annotation.BehaviorOf(field)); diff != "" {
					t.Errorf("BehaviorOf (-want +got):\n%s", diff)
				}
				if got := annotation.OfField(field).Behavior; got != behavior {
					t.Errorf("OfField says %v, BehaviorOf %v", got, behavior)
				}
			})
		}
	}
}

func TestFieldDescription(t *testing.T) {
	t.Parallel()
	message := compile(t, fields).Messages().Get(0)
	for name, want := range map[protoreflect.Name]string{"leading": "The name.", "trailing": "After it.", "label": ""} {
		if got := annotation.OfField(message.Fields().ByName(name)).Description; got != want {
			t.Errorf("%s is described as %q, want %q", name, got, want)
		}
	}
}
