package catalog

import (
	"strings"
	"testing"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// TestWithhold: the tool with an error of the linter's is taken away and told of, also under its name, and the others stay. No
// schema that is derived has such an error, so that it is made here.
func TestWithhold(t *testing.T) {
	t.Parallel()
	b, err := backend.New(backend.Config{Name: "b"})
	if err != nil {
		t.Fatal(err)
	}
	method := healthpb.File_grpc_health_v1_health_proto.Services().Get(0).Methods().Get(0)
	of := func(name, schema string) *made {
		tool := &Tool{
			Definition: mcp.Tool{Name: name, Description: "Does it.", InputSchema: []byte(schema)},
			Method:     method, Backend: b,
		}
		tool.Subject = lint.Subject{
			Tool: &tool.Definition, Method: method, Reader: annotation.NewReader(new(protoregistry.Files)), Portable: true,
		}
		return &made{offer: offer{tool: tool}}
	}
	bad := of("bad", `{"type":"object","properties":{"id":{"type":"string","pattern":"("}}}`)
	good := of("good", `{"type":"object","properties":{"id":{"type":"string"}}}`)
	c := &Catalog{refused: map[string]Omission{}}
	c.withhold([]*made{bad, good, {}})
	if bad.tool != nil || !bad.withheld || good.tool == nil || good.withheld {
		t.Errorf("withheld are bad: %t, good: %t", bad.withheld, good.withheld)
	}
	if len(c.omitted) != 1 || c.omitted[0].Kind != Withheld || !strings.HasPrefix(c.omitted[0].Reason, "inputSchema.properties.id") ||
		c.refused["bad"] != c.omitted[0] {
		t.Errorf("omitted are %v, refused %v", c.omitted, c.refused)
	}
}
