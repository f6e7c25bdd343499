package catalog_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// searching declares arguments that bound a page, and some that look as if they did.
const searching = `
	syntax = "proto3";
	import "google/api/field_behavior.proto";
	import "google/protobuf/field_mask.proto";
	import "google/protobuf/wrappers.proto";
	message Found { repeated string things = 1; }
	service Search {
		rpc Find(FindRequest) returns (Found);
		rpc Choose(ChooseRequest) returns (Found);
	}
	message FindRequest {
		int32 page_size = 1;
		uint64 limit = 2;
		sint64 max_messages = 3;
		google.protobuf.UInt32Value max_results = 4;
		google.protobuf.FieldMask read_mask = 5;
		google.protobuf.FieldMask mask = 6;
		int32 max_price = 7;
		string max_results_text = 8;
		string max_names = 9;
		repeated int32 max_rows = 10;
		double max_degrees = 11;
		google.protobuf.FieldMask update_mask = 12;
		google.protobuf.StringValue max_words = 13;
		map<string, int32> max_keys = 14;
		int32 results = 15;
	}
	message ChooseRequest {
		string last = 1;
		string first = 2 [(google.api.field_behavior) = REQUIRED];
		oneof which {
			string name = 3 [(google.api.field_behavior) = REQUIRED];
			string id = 4;
		}
		oneof alone { string single = 5 [(google.api.field_behavior) = REQUIRED]; }
		optional string maybe = 6 [(google.api.field_behavior) = REQUIRED];
		oneof answered {
			string given = 7 [(google.api.field_behavior) = REQUIRED];
			string told = 8 [(google.api.field_behavior) = OUTPUT_ONLY];
		}
	}`

func search(t *testing.T) (choose, find *catalog.Tool) {
	t.Helper()
	set := load(t, descriptor.Files([]string{writeProto(t, searching)}, []string{"x.proto"}))
	tools := compile(t, catalog.Options{}, catalog.Source{Backend: named(t, "b"), Set: set}).Tools()
	return tools[0], tools[1]
}

// TestNarrowing: what bounds a page is told by a rule, whatever the things on it are called.
func TestNarrowing(t *testing.T) {
	t.Parallel()
	_, find := search(t)
	want := []string{"pageSize", "limit", "maxMessages", "maxResults", "readMask", "mask"}
	if diff := cmp.Diff(want, find.Narrowing); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRequired: what is called required, in the list and in the description, is what the schema demands.
func TestRequired(t *testing.T) {
	t.Parallel()
	choose, find := search(t)
	if diff := cmp.Diff([]string{"first", "single", "maybe", "given"}, choose.Required); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const text = "Calls Search.Choose. Takes last, first (required), name, id, single (required), maybe (required), given " +
		"(required). Returns Found."
	if choose.Definition.Description != text {
		t.Errorf("description %q", choose.Definition.Description)
	}
	if len(find.Required) != 0 {
		t.Errorf("%v are required", find.Required)
	}
	for _, tool := range append(compile(t, catalog.Options{}, library(t)).Tools(), choose, find) {
		checkRequired(t, tool)
	}
}

// checkRequired holds a tool's list against its schema.
func checkRequired(t *testing.T, tool *catalog.Tool) {
	t.Helper()
	var schema struct {
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(tool.Definition.InputSchema, &schema); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(schema.Required, tool.Required, cmpEmpty); diff != "" {
		t.Errorf("%s (-schema +tool):\n%s", tool.Definition.Name, diff)
	}
}
