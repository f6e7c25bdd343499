package annotation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

const methods = `
syntax = "proto3";
package test;
import "google/api/annotations.proto";
message M { string name = 1; }

service Plain {
  // Gets a book. NOT_FOUND when there is none.
  rpc Documented(M) returns (M);
  rpc ListHTTPRoutes(M) returns (M);
  // Creates a book and everything that belongs to it, which takes more words than a title may have.
  rpc CreateBook(M) returns (M);
  rpc Trailing(M) returns (M); // Moves a book

  // Not this one.

  rpc Detached(M) returns (M);
  rpc Old(M) returns (M) { option deprecated = true; }
  // TriggerRule allows to:
  // - trigger a rule
  // - and wait for it.
  rpc TriggerRule(M) returns (M);
}

service Verbs {
  rpc Get(M) returns (M) { option (google.api.http) = { get: "/v1/x" }; }
  rpc Put(M) returns (M) { option (google.api.http) = { put: "/v1/x" body: "*" }; }
  rpc Post(M) returns (M) { option (google.api.http) = { post: "/v1/x" body: "*" additional_bindings { get: "/v1/y" } }; }
  rpc Patch(M) returns (M) { option (google.api.http) = { patch: "/v1/x" body: "*" }; }
  rpc Delete(M) returns (M) { option (google.api.http) = { delete: "/v1/x" }; }
  rpc Custom(M) returns (M) { option (google.api.http) = { custom { kind: "HEAD" path: "/v1/x" } }; }
  rpc Search(M) returns (M) { option (google.api.http) = { post: "/v1/x:search" body: "*" }; }
  rpc Pure(M) returns (M) {
    option idempotency_level = NO_SIDE_EFFECTS;
    option (google.api.http) = { delete: "/v1/x" };
  }
  rpc Twice(M) returns (M) {
    option idempotency_level = IDEMPOTENT;
    option (google.api.http) = { get: "/v1/x" };
  }
  rpc Silent(M) returns (M) { option idempotency_level = IDEMPOTENCY_UNKNOWN; }
}

service Retired {
  option deprecated = true;
  rpc Get(M) returns (M);
}
`

func TestMethodText(t *testing.T) {
	t.Parallel()
	service := compile(t, methods).Services().ByName("Plain")
	want := map[protoreflect.Name]annotation.Method{
		"Documented":     {Title: "Gets a book", Description: "Gets a book. NOT_FOUND when there is none."},
		"ListHTTPRoutes": {Title: "List HTTP routes"},
		"CreateBook": {
			Title:       "Create book",
			Description: "Creates a book and everything that belongs to it, which takes more words than a title may have.",
		},
		"Trailing": {Title: "Moves a book", Description: "Moves a book"},
		"Detached": {Title: "Detached"},
		"Old":      {Title: "Old", Deprecated: true},
		"TriggerRule": {
			Title:       "Trigger rule",
			Description: "TriggerRule allows to:\n- trigger a rule\n- and wait for it.",
		},
	}
	for name, method := range want {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			got := annotation.NewReader(nil).Method(service.Methods().ByName(name))
			if diff := cmp.Diff(method, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	readOnly := annotation.Hints{ReadOnly: new(true), Destructive: new(false), Idempotent: new(true)}
	want := map[protoreflect.Name]annotation.Hints{
		"Get":    readOnly,
		"Put":    {Idempotent: new(true)},
		"Post":   {},
		"Patch":  {},
		"Delete": {Destructive: new(true), Idempotent: new(true)},
		"Custom": {},
		"Search": {},
		"Pure":   readOnly,
		"Twice":  {ReadOnly: new(false), Idempotent: new(true)},
		"Silent": {},
	}
	for origin, fd := range origins(t, compile(t, methods)) {
		for name, hints := range want {
			t.Run(origin+"/"+string(name), func(t *testing.T) {
				t.Parallel()
				got := annotation.NewReader(nil).Method(fd.Services().ByName("Verbs").Methods().ByName(name)).Hints
				if diff := cmp.Diff(hints, got); diff != "" {
					t.Errorf("hints (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestDeprecationCascades(t *testing.T) {
	t.Parallel()
	fd := compile(t, methods)
	if !annotation.NewReader(nil).Method(fd.Services().ByName("Retired").Methods().Get(0)).Deprecated {
		t.Error("a deprecated service does not deprecate its method")
	}
	file := compile(t, `syntax = "proto3"; option deprecated = true; message M {} service S { rpc Get(M) returns (M); }`)
	if !annotation.NewReader(nil).Method(file.Services().Get(0).Methods().Get(0)).Deprecated {
		t.Error("a deprecated file does not deprecate its method")
	}
}
