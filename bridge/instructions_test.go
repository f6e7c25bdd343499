package bridge_test

import (
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
)

// openings are the first lines of a client of each era.
var openings = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`,
}

// TestInstructionsOfModes: in the mode search a client is told what is behind the three tools, in both eras and below what else is
// given for it; in the mode tools nothing is added.
func TestInstructionsOfModes(t *testing.T) {
	t.Parallel()
	const guide = `There are 5 methods in these services:\n- LibraryService: 5"`
	for _, c := range []struct {
		name, want string
		opts       []bridge.Option
	}{
		{"tools", "", nil},
		{"tools, given", `"instructions":"Ask for books."`, []bridge.Option{bridge.WithInstructions("Ask for books.")}},
		{"search", `"instructions":"search_methods finds `, []bridge.Option{bridge.WithMode(bridge.ModeSearch)}},
		{"search, given", `"instructions":"Ask for books.\n\nsearch_methods finds `, []bridge.Option{
			bridge.WithMode(bridge.ModeSearch), bridge.WithInstructions("Ask for books."),
		}},
	} {
		b := newBridge(t, []bridge.Backend{{Conn: noConn{}, Descriptors: libraryOnly}}, c.opts...)
		var said strings.Builder
		for _, line := range openings {
			if err := b.ServeStdio(t.Context(), strings.NewReader(line+"\n"), &said); err != nil {
				t.Fatal(err)
			}
		}
		times := strings.Count(said.String(), c.want)
		if c.want == "" {
			times = 2 - strings.Count(said.String(), "instructions")
		}
		wantGuided := 0
		if strings.HasPrefix(c.name, "search") {
			wantGuided = 2
		}
		if guided := strings.Count(said.String(), guide); times != 2 || guided != wantGuided {
			t.Errorf("%s: %s", c.name, said.String())
		}
	}
}
