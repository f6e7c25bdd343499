package catalog_test

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

const repeatables = `
	service S {
		rpc Plain(google.protobuf.Empty) returns (google.protobuf.Empty);
		rpc Get(google.protobuf.Empty) returns (google.protobuf.Empty) { option (google.api.http) = {get: "/v1/x"}; }
		rpc Level(google.protobuf.Empty) returns (google.protobuf.Empty) { option idempotency_level = IDEMPOTENT; }
		rpc Yes(google.protobuf.Empty) returns (google.protobuf.Empty) { option (bridge.v1.method).tool.hints.idempotent = true; }
		rpc No(google.protobuf.Empty) returns (google.protobuf.Empty) { option (bridge.v1.method).tool.hints.idempotent = false; }
		rpc Reads(google.protobuf.Empty) returns (google.protobuf.Empty) { option (bridge.v1.method).tool.hints.read_only = true; }
	}`

// TestIdempotence: what the configuration says of one method stands above its patterns, and these above the option. What is said
// of other effects says nothing of this one, nor does what is derived.
func TestIdempotence(t *testing.T) {
	t.Parallel()
	methods := annotated(t, "test", repeatables).Set.Services()[0].Methods()
	configured := func(idempotent *bool) *bridgev1.Tool {
		return &bridgev1.Tool{Hints: &bridgev1.Hints{ReadOnly: new(true), Idempotent: idempotent}}
	}
	for name, tt := range map[string]struct {
		method     protoreflect.Name
		configured *bridgev1.Tool
		globs      []string
		yes, said  bool
	}{
		"nothing":               {method: "Plain"},
		"http":                  {method: "Get"},
		"level":                 {method: "Level"}, // which is not asked for here
		"option":                {method: "Yes", yes: true, said: true},
		"option against":        {method: "No", said: true},
		"option for another":    {method: "Reads"},
		"pattern":               {method: "Plain", globs: []string{"a.*", "*.Plain"}, yes: true, said: true},
		"pattern of others":     {method: "Plain", globs: []string{"*.Get", "Plain"}},
		"pattern over option":   {method: "No", globs: []string{"test.S.No"}, yes: true, said: true},
		"configured":            {method: "Plain", configured: configured(new(true)), yes: true, said: true},
		"configured against":    {method: "Yes", configured: configured(new(false)), globs: []string{"*"}, said: true},
		"configured over no":    {method: "No", configured: configured(new(true)), yes: true, said: true},
		"configured of another": {method: "Yes", configured: configured(nil), yes: true, said: true},
		"configured, unhinted":  {method: "Plain", configured: &bridgev1.Tool{Name: "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method := methods.ByName(tt.method)
			says := catalog.Idempotence(tt.globs, map[string]*bridgev1.Tool{string(method.FullName()): tt.configured})
			if yes, said := says(method); yes != tt.yes || said != tt.said {
				t.Errorf("yes: %t, said: %t", yes, said)
			}
		})
	}
}

// TestIdlePatterns: a pattern of methods that may be repeated is told of where there are none, as those of expose and hide are.
func TestIdlePatterns(t *testing.T) {
	t.Parallel()
	source := annotated(t, "test", repeatables)
	source.Idempotent = []string{"test.S.Plain", "*.Gone", "grpc.reflection.*"}
	source.Hide = []string{"*.Plain"} // which may be repeated all the same
	c := compile(t, catalog.Options{}, source)
	for _, pattern := range []string{"*.Gone", "grpc.reflection.*"} {
		told(t, c, catalog.Unmatched, pattern+": this retry.idempotent pattern matches no method")
	}
	if n := len(reasons(c, catalog.Unmatched)); n != 2 {
		t.Errorf("%d patterns are told of", n)
	}
}
