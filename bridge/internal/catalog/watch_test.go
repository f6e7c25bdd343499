package catalog_test

import (
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestWatchFaults: the resource is offered, and cannot be watched.
func TestWatchFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ option, want string }{
		{`{ uri: "a://b" watch: "Nowhere" }`, `test.Shelf has no method "Nowhere"`},
		{`{ uri: "a://b" watch: "test.Shelf.Watch" }`, "simple name"},
		{`{ uri: "a://b" watch: "Read" }`, "test.Shelf.Read is unary: a method that watches is server streaming"},
		{`{ uri: "a://b" watch: "Chat" }`, "is bidirectional streaming"},
		{`{ uri_template: "a://{page}" watch: "WatchOther" }`, "test.Other has no field page"},
		{`{ uri_template: "a://{book_id}" watch: "WatchMoved" }`, "test.Moved has no field bookId of the same number"},
	} {
		t.Run(c.option, func(t *testing.T) {
			t.Parallel()
			made := shelved(t, c.option)
			told(t, made, catalog.Ignored, "Shelf.Read: resource a://", "cannot be watched: ", c.want)
			if len(made.Resources())+len(made.ResourceTemplates()) != 1 || made.Watched() {
				t.Error("it is not offered, or watched")
			}
		})
	}
}

// TestWatch: any message type will do, and the method that watches is neither tool nor omission, be it hidden or not.
func TestWatch(t *testing.T) {
	t.Parallel()
	c := shelved(t, `{ uri_template: "a://{book_id}" watch: "WatchOther" }, { uri: "a://b" watch: "WatchMoved" }`)
	for _, word := range []string{"WatchOther", "WatchMoved"} {
		if tool, ok := c.Lookup("test.Shelf." + word); ok {
			t.Errorf("%s is the tool %s", word, tool.Definition.Name)
		}
	}
	silent(t, c)
	if _, ok := c.Lookup("test.Shelf.Watch"); !ok {
		t.Error("a method that watches nothing is no tool")
	}
	if !c.Watched() || c.Resources()[0].Reading.Watch == nil || c.ResourceTemplates()[0].Reading.Watch == nil {
		t.Error("not watched")
	}
	source := annotated(t, "b", `message M {} service S {
		rpc Do(M) returns (M) { option (bridge.v1.method).resources = { uri: "a://b" watch: "W" }; }
		rpc W(M) returns (stream M) { option (bridge.v1.method).hide = true; }
	}`)
	c = compile(t, catalog.Options{}, source)
	if silent(t, c); !c.Watched() {
		t.Error("an option that hides the method from clients ends the watch")
	}
	source.Tools = map[string]*bridgev1.Tool{"test.S.W": {}}
	source.Expose = []string{"*.Do", "test.S.W"}
	c = compile(t, catalog.Options{}, source)
	if _, ok := c.Lookup("test.S.W"); !ok || !c.Watched() {
		t.Error("a method of which a tool is wanted is none beside the watch")
	}
	source.Tools, source.Expose = nil, nil
	source.Hide = []string{"*.W"}
	c = compile(t, catalog.Options{}, source)
	told(t, c, catalog.Ignored, "resource a://b cannot be watched", `hidden by the pattern "*.W"`)
	told(t, c, catalog.Refused, `S.W: hidden by the pattern "*.W"`)
	source.Hide, source.Expose = nil, []string{"*.Do"}
	c = compile(t, catalog.Options{}, source)
	if silent(t, c); !c.Watched() {
		t.Error("the watch has to be exposed beside the resource")
	}
}

// TestWatchOfNothing: a method that is named as a watch and serves no resource is a tool as any other.
func TestWatchOfNothing(t *testing.T) {
	t.Parallel()
	for _, resource := range []string{`{ watch: "Watch" }`, `{ uri_template: "a://{page}" watch: "WatchOther" }`} {
		c := shelved(t, resource)
		for _, method := range []string{"test.Shelf.Watch", "test.Shelf.WatchOther"} {
			if _, ok := c.Lookup(method); !ok {
				t.Errorf("%s is no tool", method)
			}
		}
	}
}
