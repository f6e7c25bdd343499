package streamable_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// releasing answers with bodies that are overwritten when they are taken back, and counts how many were.
type releasing struct {
	taken atomic.Int64
	spent bool // the messages may be overwritten, too
}

func (r *releasing) reply(msg jsonrpc.Message) server.Reply {
	return server.Reply{
		Status: http.StatusOK, Body: jsonrpc.AppendResult(nil, msg.ID, msg.Params), Spent: r.spent,
		Release: func(body []byte) {
			copy(body, bytes.Repeat([]byte{0xa5}, len(body)))
			r.taken.Add(1)
		},
	}
}

// echoed is a request with the nth text of a length, and its answer.
func echoed(n, length int) (body, want string) {
	params := fmt.Sprintf(`{"n":%d,"text":"%s"}`, n, strings.Repeat(string(rune('a'+n%26)), length))
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping","params":%s}`, n, params),
		fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, n, params)
}

// TestReleased says of which answers the memory is given back: those that HTTP/1.1 has sent as they are.
func TestReleased(t *testing.T) {
	t.Parallel()
	one, want := echoed(1, 100)
	two, _ := echoed(2, 100)
	for name, tt := range map[string]struct {
		body, want string
		proto      int
		says       bool // something before its answer, which makes that an event
		taken      int64
	}{
		"HTTP/1.1":          {body: one, want: want, proto: 1, taken: 1},
		"HTTP/2":            {body: one, want: want, proto: 2},
		"a batch":           {body: "[" + one + "," + two + "]", want: want, proto: 1},
		"a stream":          {body: one, want: want, proto: 1, says: true},
		"a stream, HTTP/2":  {body: one, want: want, proto: 2, says: true},
		"a part of a batch": {body: "[" + one + "]", want: want, proto: 1, says: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &releasing{}
			h := scripted(&script{run: func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
				if tt.says {
					_ = out.Send(ctx, notification(1))
				}
				return r.reply(msg)
			}})
			body := strings.ReplaceAll(tt.body, `"ping"`, `"echo"`)
			req := request("POST", body, in(open(t, h, mcp.V20250326))) // which has batches
			req.ProtoMajor = tt.proto
			resp := serve(h, req)
			if !strings.Contains(string(resp.body), tt.want) || r.taken.Load() != tt.taken {
				t.Errorf("%d bodies taken back, want %d; answer %s", r.taken.Load(), tt.taken, resp.body)
			}
		})
	}
}

// TestReleasedSideBySide has many clients call at once over connections of both protocols, with bodies of many lengths: each
// gets the answer to its own request, whatever becomes of the memory of others.
func TestReleasedSideBySide(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ http2, spent bool }{
		"HTTP/1.1": {}, "HTTP/2": {http2: true}, "HTTP/1.1, spent": {spent: true}, "HTTP/2, spent": {http2: true, spent: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &releasing{spent: tt.spent}
			s := httptest.NewUnstartedServer(endpoint(&double{handle: func(_ context.Context, msg jsonrpc.Message) server.Reply {
				return r.reply(msg)
			}}))
			s.EnableHTTP2 = tt.http2
			s.StartTLS()
			t.Cleanup(s.Close)
			var clients sync.WaitGroup
			for client := range 6 {
				clients.Go(func() {
					for n := range 15 {
						body, want := echoed(client*100+n, []int{1, 400, 3_000, 70_000, 300_000}[(client+n)%5])
						if got := posted(t, s, body, n%2 == 0).body; string(got) != want {
							t.Errorf("request %d: an answer of %d bytes, want %d: %.60s", n, len(got), len(want), got)
							return
						}
					}
				})
			}
			clients.Wait()
			if taken := r.taken.Load(); (taken == 0) != tt.http2 {
				t.Errorf("%d bodies were taken back", taken)
			}
		})
	}
}

// posted sends a body, whose length is said or not.
func posted(t *testing.T, s *httptest.Server, body string, said bool) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return answer{}
	}
	if !said {
		req.ContentLength = -1
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Error(err)
		return answer{}
	}
	return read(t, resp)
}
