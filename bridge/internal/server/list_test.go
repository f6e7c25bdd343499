package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
)

// list asks for the first page of the tools, by a transport that unpacks by itself
// (plain: one that takes nothing compressed) and returns the body.
func list(t testing.TB, url, id string, plain bool) []byte {
	t.Helper()
	resp := do(t, &http.Transport{DisableCompression: plain}, listRequest(t, url, "tools/list", id, ""))
	if resp.unpacked == plain {
		t.Errorf("unpacked: %t", resp.unpacked)
	}
	if resp.Get("Vary") != "Accept-Encoding" {
		t.Errorf("Vary %q", resp.Get("Vary"))
	}
	return resp.body
}

// TestListCompressed: with whatever id, page and mode, a client that takes gzip
// reads the same as one that does not, which is what is offered.
func TestListCompressed(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]catalog.Options{
		"one page": {PageSize: 100}, "pages": {PageSize: 30}, "search": {Search: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEndpoint(t, 100, opts)
			url := e.listening(t)
			for _, id := range []string{"0", "-17", `"a"`, `"\u00e9\n"`, `"` + strings.Repeat("x", 200_000) + `"`} {
				packed, plain := list(t, url, id, false), list(t, url, id, true)
				if !bytes.Equal(packed, plain) {
					t.Errorf("%.20s: compressed %.200s, plain %.200s", id, packed, plain)
				}
				e.wantPage(t, id, plain)
			}
		})
	}
}

// wantPage holds a body against the first page of the tools and against what a
// transport without parts is given.
func (e *endpoint) wantPage(t *testing.T, id string, body []byte) {
	t.Helper()
	page, next, err := e.offered.Load().Page("tools", lifecycle.AllFeatures()[0], "")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ID     json.RawMessage
		Result struct {
			Tools      json.RawMessage
			NextCursor string
		}
	}
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("%v in %.200s", err, body)
	}
	if string(got.Result.Tools) != string(page) || got.Result.NextCursor != next || !sameText(t, string(got.ID), id) {
		t.Errorf("id %.20s, next %q, tools %.200s", got.ID, got.Result.NextCursor, got.Result.Tools)
	}
	msg := decode(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list","params":{`+modernMeta+`}}`)
	if whole := e.server.Handle(t.Context(), e.gate.Stream(), msg); whole.Page != nil || !bytes.Equal(whole.Body, body) {
		t.Errorf("whole: %.200s", whole.Body)
	}
}

// sameText compares two JSON texts by what they say.
func sameText(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		t.Fatalf("%q, %q", a, b)
	}
	return x == y
}

// TestListLength: what is said of a compressed answer is right, and any reader of
// gzip can read it, one that knows of one member included.
func TestListLength(t *testing.T) {
	t.Parallel()
	url := newEndpoint(t, 50, catalog.Options{}).listening(t)
	resp := do(t, &http.Transport{}, listRequest(t, url, "tools/list", "1", "", "Accept-Encoding", "gzip"))
	if got := resp.Get("Content-Encoding"); got != "gzip" || resp.length != int64(len(resp.body)) {
		t.Errorf("Content-Encoding %q, Content-Length %d of %d", got, resp.length, len(resp.body))
	}
	file := bytes.NewReader(resp.body)
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	r.Multistream(false)
	text, err := io.ReadAll(r)
	if err != nil || file.Len() > 0 || !bytes.Equal(text, list(t, url, "1", true)) {
		t.Errorf("%d bytes are left, error %v, text %.200s", file.Len(), err, text)
	}
}

// TestListOfEachRevision: each revision has its own page, compressed or not.
func TestListOfEachRevision(t *testing.T) {
	t.Parallel()
	url := newEndpoint(t, 20, catalog.Options{}).listening(t)
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			transport := &http.Transport{}
			send := func(message, session, encoding string) received {
				r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept-Encoding", encoding)
				if session != "" {
					r.Header.Set("Mcp-Session-Id", session)
				}
				return do(t, transport, r)
			}
			session := send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+version+
				`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, "", "identity").Get("Mcp-Session-Id")
			send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, session, "identity")
			const ask = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
			plain, packed := send(ask, session, "identity").body, send(ask, session, "gzip")
			r, err := gzip.NewReader(bytes.NewReader(packed.body))
			if err != nil {
				t.Fatalf("%v, headers %v", err, packed.Header)
			}
			text, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(text, plain) {
				t.Errorf("error %v, compressed %.200s, plain %.200s", err, text, plain)
			}
			checkOfficial(t, version, "tools/list", string(plain))
			if schemas := bytes.Contains(plain, []byte(`"outputSchema"`)); schemas != (version >= "2025-06-18") {
				t.Errorf("output schemas: %t", schemas)
			}
		})
	}
}

// TestOfficialClientLists: the client of the official SDK reads 1,000 tools, on
// one page and on several.
func TestOfficialClientLists(t *testing.T) {
	t.Parallel()
	const n = 1_000
	for _, size := range []int{catalog.DefaultPageSize, n} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			t.Parallel()
			url := newEndpoint(t, n, catalog.Options{PageSize: size}).listening(t)
			transport := &http.Transport{}
			t.Cleanup(transport.CloseIdleConnections)
			client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
			s, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
				Endpoint: url, HTTPClient: &http.Client{Transport: transport}, DisableStandaloneSSE: true,
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			seen := map[string]bool{}
			for tool, err := range s.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				seen[tool.Name] = tool.InputSchema != nil
			}
			if len(seen) != n || slices.Contains(slices.Collect(maps.Values(seen)), false) {
				t.Errorf("%d tools", len(seen))
			}
		})
	}
}

// TestListWhileSwapped: whoever lists while the catalog is swapped has the page of
// one catalog, compressed or not, and after the last swap that of the last one.
func TestListWhileSwapped(t *testing.T) {
	t.Parallel()
	opts := catalog.Options{PageSize: 40}
	e := newEndpoint(t, 40, opts)
	url := e.listening(t)
	var lists sync.Map // of what may be listed
	offer := func(i int) {
		c := e.compile(t, opts, fmt.Sprintf("*.GetThing%d", i))
		page, _, _ := c.Page("tools", lifecycle.AllFeatures()[0], "")
		lists.Store(string(page), true)
		e.offered.Store(c)
		e.server.Changed()
	}
	offer(0)
	var asking sync.WaitGroup
	for i := range 4 {
		asking.Go(func() {
			for range 15 {
				body := list(t, url, "1", i%2 == 0)
				if _, ok := lists.Load(toolsOf(body)); !ok {
					t.Errorf("an unknown page: %.200s", body)
				}
			}
		})
	}
	for i := range 10 {
		offer(i + 1)
	}
	asking.Wait()
	for _, plain := range []bool{true, false} {
		e.wantPage(t, "1", list(t, url, "1", plain))
	}
}

// toolsOf cuts the page out of a body.
func toolsOf(body []byte) string {
	var a struct {
		Result struct{ Tools json.RawMessage }
	}
	_ = json.Unmarshal(body, &a) // what cannot be read has no page that is known
	return string(a.Result.Tools)
}
