package catalog_test

import (
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// annotated is a source whose file has the text behind a preamble of imports.
func annotated(t testing.TB, backend, text string) catalog.Source {
	t.Helper()
	dir := writeProto(t, `
		syntax = "proto3";
		package test;
		import "bridge/v1/annotations.proto";
		import "bridge/v1/content.proto";
		import "bridge/v1/interaction.proto";
		import "google/api/annotations.proto";
		import "google/api/field_behavior.proto";
		import "google/protobuf/empty.proto";
		import "google/protobuf/wrappers.proto";
		`+text)
	files := descriptor.Files([]string{dir, "../../../proto"}, []string{"x.proto"})
	return catalog.Source{Backend: named(t, backend), Set: load(t, files)}
}

// reasons are the omissions of a catalog as `method: reason`, by kind, without what no test here is about.
func reasons(c *catalog.Catalog, kind catalog.Kind) []string {
	var list []string
	for _, o := range c.Omitted() {
		if o.Kind == kind {
			list = append(list, strings.TrimPrefix(o.Method, "test.")+": "+o.Reason)
		}
	}
	return list
}

// told demands one omission of a kind that has all the words.
func told(t *testing.T, c *catalog.Catalog, kind catalog.Kind, words ...string) {
	t.Helper()
	found := 0
	for _, reason := range reasons(c, kind) {
		all := true
		for _, w := range words {
			all = all && strings.Contains(reason, w)
		}
		if all {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d omissions of kind %d say %q; omitted are\n%v", found, kind, words, c.Omitted())
	}
}

// silent demands that nothing is omitted.
func silent(t *testing.T, c *catalog.Catalog) {
	t.Helper()
	if len(c.Omitted()) > 0 {
		t.Errorf("omitted are %v", c.Omitted())
	}
}

// tool finds a tool that must be there.
func tool(t *testing.T, c *catalog.Catalog, name string) *catalog.Tool {
	t.Helper()
	found, ok := c.Tool(name)
	if !ok {
		t.Fatalf("no tool %s among %v; omitted are %v", name, names(c), c.Omitted())
	}
	return found
}

// filesIn is x.proto of a directory; it may import what is in others.
func filesIn(dir string, others ...string) descriptor.Source {
	return descriptor.Files(append([]string{dir}, others...), []string{"x.proto"})
}
