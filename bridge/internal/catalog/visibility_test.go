package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "google.golang.org/genproto/googleapis/api/visibility" // google/api/visibility.proto for the compiler

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// restricted has a service, a method, a stream and fields that are for some alone.
const restricted = `
	import "google/api/visibility.proto";
	message M {
		string id = 1;
		string secret = 2 [(google.api.field_visibility).restriction = "INTERNAL", (google.api.field_behavior) = REQUIRED];
	}
	service Open {
		rpc Get(M) returns (M);
		rpc Inner(M) returns (M) { option (google.api.method_visibility).restriction = "INTERNAL, PREVIEW"; }
		rpc Ask(M) returns (M) { option (bridge.v1.method).prompt = {}; }
		rpc Read(M) returns (M) { option (bridge.v1.method).resources = { uri_template: "a://{secret}" }; }
		rpc Look(M) returns (M) { option (bridge.v1.method).resources = { uri_template: "b://{id}" watch: "Watch" }; }
		rpc Watch(M) returns (stream M) { option (google.api.method_visibility).restriction = "INTERNAL"; }
	}
	service Closed {
		option (google.api.api_visibility).restriction = "INTERNAL";
		rpc Do(M) returns (M);
	}`

// TestVisibility: what is restricted to labels is left out, with the label that would show it.
func TestVisibility(t *testing.T) {
	t.Parallel()
	source := annotated(t, "b", restricted)
	c := compile(t, catalog.Options{}, source)
	if diff := cmp.Diff([]string{"open_get"}, names(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, method := range []string{"Open.Inner", "Open.Watch", "Closed.Do"} {
		told(t, c, catalog.Refused, method+": ", "INTERNAL", "visibility of its backend")
	}
	told(t, c, catalog.Deficient, "Open.Read: resource a://{secret} is not offered", "request field secret", "INTERNAL")
	told(t, c, catalog.Ignored, "Open.Look: resource b://{id} cannot be watched", "INTERNAL")
	get := tool(t, c, "open_get")
	if strings.Contains(string(get.Definition.InputSchema)+get.Definition.Description, "secret") || len(get.Required) > 0 {
		t.Errorf("required %v in %s: %s", get.Required, get.Definition.InputSchema, get.Definition.Description)
	}
	if len(c.Prompts()) != 1 || len(c.Prompts()[0].Definition.Arguments) != 1 {
		t.Errorf("prompts %v", c.Prompts())
	}
}

// TestVisibilityOfTypes: a method is for those alone who may see what it takes and returns.
func TestVisibilityOfTypes(t *testing.T) {
	t.Parallel()
	source := annotated(t, "b", `
		import "google/api/visibility.proto";
		message M { string id = 1; }
		message Secret { option (google.api.message_visibility).restriction = "INTERNAL"; string id = 1; }
		service S {
			rpc Take(Secret) returns (M);
			rpc Give(M) returns (Secret);
			rpc Get(M) returns (M);
		}`)
	c := compile(t, catalog.Options{}, source)
	if diff := cmp.Diff([]string{"s_get"}, names(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, method := range []string{"S.Take", "S.Give"} {
		told(t, c, catalog.Refused, method+": ", "test.Secret only to INTERNAL", "visibility of its backend")
	}
	source.Visibility = []string{"INTERNAL"}
	if got := names(compile(t, catalog.Options{}, source)); len(got) != 3 {
		t.Errorf("with the label: %v", got)
	}
}

// TestVisibleByLabel: one label of several is enough, and no pattern stands in for it.
func TestVisibleByLabel(t *testing.T) {
	t.Parallel()
	source := annotated(t, "b", restricted)
	for _, c := range []struct {
		labels, expose []string
		want           string
	}{
		{[]string{"PREVIEW"}, nil, "open_get open_inner"},
		{[]string{"INTERNAL"}, nil, "closed_do open_get open_inner"},
		{[]string{"OTHER"}, nil, "open_get"},
		{nil, []string{"test.Closed.Do", "test.Open.Get"}, "open_get"},
	} {
		source.Visibility, source.Expose = c.labels, c.expose
		made := compile(t, catalog.Options{}, source)
		if diff := cmp.Diff(strings.Fields(c.want), names(made)); diff != "" {
			t.Errorf("%v, %v (-want +got):\n%s", c.labels, c.expose, diff)
		}
	}
	source.Visibility, source.Expose = []string{"INTERNAL"}, nil
	made := compile(t, catalog.Options{}, source)
	if len(made.ResourceTemplates()) != 2 || !made.Watched() {
		t.Errorf("templates %v, omitted %v", made.ResourceTemplates(), made.Omitted())
	}
}
