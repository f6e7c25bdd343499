package interaction_test

import (
	"encoding/json"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/ask"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// FuzzAsked reads any bytes as what a backend asks for: nothing panics, and what is taken has keys of its own and params that
// are JSON in each era.
func FuzzAsked(f *testing.F) {
	page := ask.URL("login", "Log in.", "https://example.com/login")
	tools := ask.Sample("t", "Add.", 5)
	tools.GetSampling().Tools = `[{"name":"add"}]`
	for _, r := range []*bridgev1.InputRequest{page, tools, ask.Roots("r"), ask.Form("f", "m", ask.Integer("i", ask.Required()))} {
		wire, err := proto.Marshal(asked(r))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire)
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		in := &bridgev1.InputRequired{}
		if proto.Unmarshal(wire, in) != nil {
			return
		}
		requests, err := interaction.Read(in)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for i := range requests {
			r := &requests[i]
			if r.Key == "" || seen[r.Key] || r.Method == "" || r.Needs == "" {
				t.Fatalf("taken: %+v", r)
			}
			seen[r.Key] = true
			for _, features := range []mcp.Features{{}, {Modern: true, URLElicitation: true}} {
				if params := r.Params(features); len(params) > 0 && !json.Valid(params) {
					t.Fatalf("params that are no JSON: %s", params)
				}
			}
		}
	})
}
