package mcp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

func TestParseMeta(t *testing.T) {
	t.Parallel()
	const modern = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{"roots":{}},` +
		`"io.modelcontextprotocol/logLevel":"warning","progressToken":"p","com.example/own":[],"traceparent":7}`
	for name, tt := range map[string]struct {
		params     string
		want       mcp.Meta
		perRequest bool
	}{
		"no params": {``, mcp.Meta{}, false},
		"no _meta":  {`{"name":"x"}`, mcp.Meta{}, false},
		"empty":     {`{"_meta":{}}`, mcp.Meta{}, false},
		"legacy":    {`{"_meta":{"progressToken":7}}`, mcp.Meta{ProgressToken: []byte("7")}, false},
		"modern": {`{"_meta":` + modern + `}`, mcp.Meta{
			ProtocolVersion: "2026-07-28", ClientInfo: []byte(`{"name":"c","version":"1"}`), ClientCapabilities: []byte(`{"roots":{}}`),
			ProgressToken: []byte(`"p"`), LogLevel: mcp.LevelWarning,
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := mcp.ParseMeta(jsonrpc.ObjectOf([]byte(tt.params)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if got.PerRequest() != tt.perRequest {
				t.Errorf("PerRequest %v", got.PerRequest())
			}
		})
	}
}

func TestParseMetaRefuses(t *testing.T) {
	t.Parallel()
	for meta, fault := range map[string]string{
		`[]`:   "_meta must be an object",
		`null`: "_meta must be an object",
		`{"io.modelcontextprotocol/protocolVersion":7}`:                   "protocolVersion must be a string",
		`{"io.modelcontextprotocol/protocolVersion":""}`:                  "protocolVersion must be a string",
		`{"io.modelcontextprotocol/clientCapabilities":null}`:             "clientCapabilities must be an object",
		`{"io.modelcontextprotocol/clientInfo":"me"}`:                     "clientInfo must be an object",
		`{"io.modelcontextprotocol/clientInfo":{"name":"x"}}`:             "clientInfo.version must be a string",
		`{"io.modelcontextprotocol/clientInfo":{"name":1,"version":"1"}}`: "clientInfo.name must be a string",
		`{"io.modelcontextprotocol/logLevel":"loud"}`:                     "logLevel must be one of",
		`{"progressToken":1.5}`:                                           "progressToken must be a string or an integer",
		`{"progressToken":null}`:                                          "progressToken must be a string or an integer",
	} {
		t.Run(meta, func(t *testing.T) {
			t.Parallel()
			_, err := mcp.ParseMeta(jsonrpc.ObjectOf([]byte(`{"_meta":` + meta + `}`)))
			checkError(t, err, fault)
		})
	}
}
