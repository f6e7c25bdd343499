package mcp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

func TestParseInitialize(t *testing.T) {
	t.Parallel()
	const rest = `"capabilities":{},"clientInfo":{"name":"c","version":"1","title":"C"}`
	got, err := mcp.ParseInitialize([]byte(`{"protocolVersion":"2025-11-25",` + rest + `}`))
	if err != nil {
		t.Fatal(err)
	}
	if got.ProtocolVersion != mcp.V20251125 || string(got.Capabilities) != "{}" {
		t.Errorf("got %+v", got)
	}
	want := mcp.Implementation{Name: "c", Version: "1", Title: "C"}
	if diff := cmp.Diff(want, mcp.ReadImplementation(got.ClientInfo)); diff != "" {
		t.Error(diff)
	}
	for params, fault := range map[string]string{
		``:                                   "protocolVersion must be a string",
		`{` + rest + `}`:                     "protocolVersion must be a string",
		`{"protocolVersion":1,` + rest + `}`: "protocolVersion must be a string",
		`{"protocolVersion":"x"}`:            "capabilities must be an object",
		`{"protocolVersion":"x","capabilities":{}}`:                                         "clientInfo must be an object",
		`{"protocolVersion":"x","capabilities":{},"clientInfo":{}}`:                         "clientInfo.name must be a string",
		`{"protocolVersion":"x","capabilities":{},"clientInfo":{"name":"","version":null}}`: "clientInfo.version must be a string",
	} {
		_, err := mcp.ParseInitialize([]byte(params))
		checkError(t, err, fault)
	}
}

func TestResultsAppendJSON(t *testing.T) {
	t.Parallel()
	info := mcp.Implementation{Name: "bridge", Title: "Bridge", Version: "1.2", Description: "d", WebsiteURL: "https://x.example"}
	tools := mcp.ServerCapabilities{Tools: true}
	initialize := mcp.InitializeResult{ProtocolVersion: "v", Capabilities: tools, ServerInfo: info, Instructions: "do"}
	discover := mcp.DiscoverResult{
		SupportedVersions: []mcp.Version{"b", "a"}, Capabilities: tools, Cache: mcp.Cache{TTL: 1500e6, Private: true},
		Meta: info.ResultMeta(newest),
	}
	page := mcp.ListResult{List: mcp.ListTools, Page: []byte(`[]`), NextCursor: "n", Cache: mcp.Cache{TTL: -1}}
	for name, tt := range map[string]struct {
		got  []byte
		want string
	}{
		"initialize in 2025-03-26": {
			initialize.AppendJSON(nil, march),
			`{"protocolVersion":"v","capabilities":{"tools":{}},"serverInfo":{"name":"bridge","version":"1.2"},"instructions":"do"}`,
		},
		"initialize in 2025-06-18": {
			initialize.AppendJSON(nil, june),
			`{"protocolVersion":"v","capabilities":{"tools":{}},"serverInfo":{"name":"bridge",` +
				`"title":"Bridge","version":"1.2"},"instructions":"do"}`,
		},
		"initialize in 2025-11-25": {
			initialize.AppendJSON(nil, november),
			`{"protocolVersion":"v","capabilities":{"tools":{}},"serverInfo":{"name":"bridge","title":"Bridge","version":"1.2","description":"d",` +
				`"websiteUrl":"https://x.example"},"instructions":"do"}`,
		},
		"discover": {
			discover.AppendJSON(nil, newest),
			`{"supportedVersions":["b","a"],"capabilities":{"tools":{}},"ttlMs":1500,"cacheScope":"private","resultType":"complete",` +
				`"_meta":{"io.modelcontextprotocol/serverInfo":` +
				`{"name":"bridge","title":"Bridge","version":"1.2","description":"d","websiteUrl":"https://x.example"}}}`,
		},
		"a page for legacy": {page.AppendJSON(nil, june), `{"tools":[],"nextCursor":"n"}`},
		"a page for modern": {
			page.AppendJSON(nil, newest), `{"tools":[],"nextCursor":"n","ttlMs":0,"cacheScope":"public","resultType":"complete"}`,
		},
		"empty for legacy": {mcp.AppendEmptyResult(nil, june, info.ResultMeta(june)), `{}`},
		"empty for modern": {mcp.AppendEmptyResult(nil, newest, []byte(`{}`)), `{"resultType":"complete","_meta":{}}`},
	} {
		if diff := cmp.Diff(tt.want, string(tt.got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestUnsupportedVersion(t *testing.T) {
	t.Parallel()
	err := mcp.UnsupportedVersion("1900\"", []mcp.Version{mcp.V20260728, mcp.V20251125})
	if want := `{"supported":["2026-07-28","2025-11-25"],"requested":"1900\""}`; err.Code != -32022 || string(err.Data) != want {
		t.Errorf("got %d %s, want -32022 %s", err.Code, err.Data, want)
	}
}
