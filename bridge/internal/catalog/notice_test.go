package catalog_test

import (
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// TestDeprecated: that a method is deprecated stands before what it is for, and not in its place.
func TestDeprecated(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		message M { string id = 1; }
		service S {
			// Deprecated. Pings the server. Often.
			rpc PingIt(M) returns (M);
			// Deprecated: use PingIt instead.
			// Asks the server. Often.
			rpc AskIt(M) returns (M);
			// Deprecated.
			rpc CallIt(M) returns (M);
			rpc MuteIt(M) returns (M) { option deprecated = true; }
			// Hears the server. Often.
			rpc HearIt(M) returns (M) { option deprecated = true; }
			// Deprecated things are listed.
			rpc ListOld(M) returns (M);
			// Deprecated! Use another
			rpc LoseIt(M) returns (M);
		}`))
	for name, want := range map[string]struct{ title, summary string }{
		"s_ping_it":  {"Ping it", "Deprecated. Pings the server."},
		"s_ask_it":   {"Ask it", "Deprecated: use PingIt instead. Asks the server."},
		"s_call_it":  {"Call it", "Deprecated. Takes id. Returns M."},
		"s_mute_it":  {"Mute it", "Deprecated. Takes id. Returns M."},
		"s_hear_it":  {"Hears the server", "Deprecated. Hears the server."},
		"s_list_old": {"Deprecated things are listed", "Deprecated things are listed."},
		"s_lose_it":  {"Lose it", "Deprecated! Use another"},
	} {
		if got := tool(t, c, name); got.Definition.Title != want.title || got.Summary() != want.summary {
			t.Errorf("%s: title %q, summary %q of %q", name, got.Definition.Title, got.Summary(), got.Definition.Description)
		}
	}
}

// TestTakes: a description that is made from names tells what a request without fields of its own takes.
func TestTakes(t *testing.T) {
	t.Parallel()
	dir := writeProto(t, `syntax = "proto3"; package a;
		import "google/protobuf/any.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/empty.proto";
		import "google/protobuf/field_mask.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/timestamp.proto";
		import "google/protobuf/wrappers.proto";
		service S {
			rpc Any(google.protobuf.Any) returns (None); rpc Duration(google.protobuf.Duration) returns (None);
			rpc Empty(google.protobuf.Empty) returns (None); rpc FieldMask(google.protobuf.FieldMask) returns (None);
			rpc Struct(google.protobuf.Struct) returns (None); rpc Value(google.protobuf.Value) returns (None);
			rpc ListValue(google.protobuf.ListValue) returns (None); rpc Timestamp(google.protobuf.Timestamp) returns (None);
			rpc Wrapper(google.protobuf.Int64Value) returns (None); rpc Nothing(None) returns (None);
		}
		message None {}`)
	c := compile(t, catalog.Options{}, catalog.Source{Backend: named(t, "b"), Set: load(t, filesIn(dir))})
	for name, want := range map[string]string{
		"s_any":        "a message of any type, named by its type URL",
		"s_duration":   `value (seconds, such as "1.5s")`,
		"s_empty":      "no arguments",
		"s_field_mask": "value (paths of fields, with commas between them)",
		"s_struct":     "any JSON object",
		"s_value":      "value (any JSON)",
		"s_list_value": "value (any JSON array)",
		"s_timestamp":  "value (an RFC 3339 time)",
		"s_wrapper":    "value",
		"s_nothing":    "no arguments",
	} {
		if got := tool(t, c, name).Summary(); got != "Takes "+want+". Returns None." {
			t.Errorf("%s: %q", name, got)
		}
	}
}
