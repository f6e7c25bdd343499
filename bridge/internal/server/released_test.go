package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// takeBack overwrites the body of a reply and gives it back.
func takeBack(reply server.Reply) {
	for i := range reply.Body {
		reply.Body[i] = 0xa5
	}
	reply.Release(reply.Body)
}

// TestReleasedReplies answers calls and lists by turns, each in memory of those before: none shows through.
func TestReleasedReplies(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "GetBook: echo", nil)
	conn := f.gate.Stream()
	for n := range 200 {
		name := strings.Repeat(string(rune('a'+n%26)), []int{1, 50, 300, 900}[n%4])
		call := decode(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{`+
			`"name":"shelf_get_book","arguments":{"name":%q},%s}}`, n, name, modernMeta))
		list := decode(t, `{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{`+modernMeta+`}}`)
		called := f.server.Admit(t.Context(), conn, call, nil).Run()
		listed := f.server.Admit(t.Context(), conn, list, nil).RunApart()
		want := fmt.Sprintf(`"structuredContent":{"name":%q,"title":"","barcode":"0","lent":false}`, name)
		if !strings.Contains(string(read(t, called.Body).Result), want) {
			t.Fatalf("%s", called.Body)
		}
		if whole := listed.Whole(); !strings.Contains(string(read(t, whole.Body).Result), `"shelf_count_books"`) || whole.Release != nil {
			t.Fatalf("%s", whole.Body)
		}
		takeBack(called)
		takeBack(listed)
	}
}

// TestSpent says after which messages the memory may be used again in which they came.
func TestSpent(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "GetBook: echo\nDustShelf: NOT_FOUND no dust", nil)
	legacy := f.open(t)
	modern := func(method, name string) lifecycle.Headers {
		return lifecycle.Headers{
			ProtocolVersion: "2026-07-28", HasProtocolVersion: true, Method: method, HasMethod: true, Name: name, HasName: name != "",
		}
	}
	request := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
	}
	for name, tt := range map[string]struct {
		headers lifecycle.Headers
		text    string
		want    bool
	}{
		"a call":        {modern("tools/call", "shelf_get_book"), request("tools/call", `"name":"shelf_get_book",`+modernMeta), true},
		"one that ends": {modern("tools/call", "shelf_dust_shelf"), request("tools/call", `"name":"shelf_dust_shelf",`+modernMeta), true},
		"an error":      {modern("tools/call", "none"), request("tools/call", `"name":"none",`+modernMeta), false},
		"a list":        {modern("tools/list", ""), request("tools/list", modernMeta), false},
		"in a session":  {legacy, request("tools/call", `"name":"shelf_get_book"`), false},
	} {
		if reply := f.post(t, tt.headers, tt.text); reply.Spent != tt.want {
			t.Errorf("%s: %v, %s", name, reply.Spent, reply.Body)
		}
	}
}

// TestCallsSideBySide has many clients call by HTTP/1.1 at once, with short and long requests, of which all memory is used
// again: each gets the answer to its own request, and so does one that is sent away with a failure or an error.
func TestCallsSideBySide(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "GetBook: echo\nDustShelf: NOT_FOUND no dust", nil)
	b, err := backend.New(backend.Config{Name: "shelf", Conn: f.conn})
	if err != nil {
		t.Fatal(err)
	}
	source := catalog.Source{Backend: b, Set: f.backend.set, Codec: transcode.Options{}}
	offered, err := catalog.Compile([]catalog.Source{source}, catalog.Options{Features: lifecycle.AllFeatures()})
	if err != nil {
		t.Fatal(err)
	}
	f.offered.Store(offered)
	s := httptest.NewServer(streamable.New(streamable.Config{Server: f.server, Gate: f.gate}))
	t.Cleanup(s.Close)
	var clients sync.WaitGroup
	for client := range 5 {
		clients.Go(func() {
			transport := &http.Transport{}
			for n := range 20 {
				name := strings.Repeat(fmt.Sprint(client), []int{1, 300, 5_000, 40_000, 150_000}[(client+n)%5])
				text := `{"name":"` + name + `"}`
				want := []string{`"structuredContent":` + text, `"text":"` + strings.ReplaceAll(text, `"`, `\"`) + `"`}
				tool := "shelf_get_book"
				if n%7 == 6 {
					tool, text, want = "shelf_dust_shelf", "{}", []string{"NOT_FOUND: no dust"}
				}
				got := string(do(t, transport, callRequest(t, s.URL, tool, text)).body)
				for _, part := range want {
					if !strings.Contains(got, part) {
						t.Errorf("call %d: %d bytes, %.80s", n, len(got), got)
						return
					}
				}
			}
		})
	}
	clients.Wait()
}

// callRequest is the call of a tool by HTTP.
func callRequest(t *testing.T, url, tool, arguments string) *http.Request {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `,` + modernMeta + `}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(name, value)
	}
	return r
}
