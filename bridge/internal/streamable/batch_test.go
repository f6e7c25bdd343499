package streamable_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

const (
	sent    = `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`
	replied = `{"jsonrpc":"2.0","id":5,"result":{}}`
)

func asked(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo"}`, id) }

func answered(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id) }

// TestBatches: the requests of a batch are answered in one array, and what is no message in it has an error of its own.
func TestBatches(t *testing.T) {
	t.Parallel()
	wrong := `{"jsonrpc":"2.0","id":9,"error":{"code":-32600,`
	for name, tt := range map[string]struct {
		body   string
		status int
		want   []string // the beginnings of the responses
	}{
		"requests":       {body: "[" + asked(1) + "," + asked(2) + "]", status: 200, want: []string{answered(1), answered(2)}},
		"one request":    {body: "[" + asked(1) + "]", status: 200, want: []string{answered(1)}},
		"all kinds":      {body: "[" + sent + "," + asked(1) + "," + replied + "]", status: 200, want: []string{answered(1)}},
		"nothing to say": {body: "[" + sent + "," + replied + "]", status: 202},
		"what is none": {
			body: "[" + asked(1) + `,{"id":9},3]`, status: 200, want: []string{answered(1), wrong, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		},
		"only what is none": {body: `[{"id":9}]`, status: 200, want: []string{wrong}},
		"an id twice": {
			body: "[" + asked(1) + "," + asked(1) + "]", status: 200,
			want: []string{answered(1), `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := scripted(&script{})
			resp := serve(h, request("POST", tt.body, in(open(t, h, mcp.V20250326))))
			if resp.StatusCode != tt.status || (len(resp.body) > 0) != (len(tt.want) > 0) {
				t.Fatalf("status %d, body %s", resp.StatusCode, resp.body)
			}
			if len(tt.want) == 0 {
				return
			}
			got := string(resp.body)
			if got[0] != '[' || got[len(got)-1] != ']' || strings.Count(got, `"jsonrpc"`) != len(tt.want) {
				t.Fatalf("body %s", got)
			}
			for _, want := range tt.want {
				at := strings.Index(got, want)
				if at < 0 {
					t.Fatalf("body %s lacks %s behind what stands before it", resp.body, want)
				}
				got = got[at+1:]
			}
		})
	}
}

// TestBatchesOverQuota: a batch of nothing but requests over their caller's quota is refused as one of them is, for the longest
// of their times; of any other something was carried out, and its status does not ask for it again.
func TestBatchesOverQuota(t *testing.T) {
	t.Parallel()
	limits := func(_ context.Context, msg jsonrpc.Message, _ server.Sink) server.Reply {
		if msg.ID == jsonrpc.IntID(9) {
			return result(msg)
		}
		after := 2 * time.Second
		if msg.ID == jsonrpc.IntID(2) {
			after = 5 * time.Second
		}
		body := jsonrpc.AppendError(nil, msg.ID, jsonrpc.Errorf(jsonrpc.CodeInternal, "too much"))
		return server.Reply{Status: http.StatusTooManyRequests, RetryAfter: after, Body: body}
	}
	for name, tt := range map[string]struct {
		body   string
		status int
		after  string
		errors int
	}{
		"all":                 {"[" + asked(1) + "," + asked(2) + "," + asked(3) + "]", 429, "5", 3},
		"one":                 {"[" + asked(1) + "]", 429, "2", 1},
		"all but one":         {"[" + asked(1) + "," + asked(9) + "]", 200, "", 1},
		"and a notification":  {"[" + sent + "," + asked(1) + "]", 200, "", 1},
		"and what is none":    {"[" + asked(1) + ",3]", 200, "", 2},
		"nothing but replies": {"[" + replied + "]", 202, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := scripted(&script{run: limits})
			resp := serve(h, request("POST", tt.body, in(open(t, h, mcp.V20250326))))
			after := resp.Header.Get("Retry-After")
			if resp.StatusCode != tt.status || after != tt.after || strings.Count(string(resp.body), `"error"`) != tt.errors {
				t.Errorf("status %d, Retry-After %q, body %s", resp.StatusCode, after, resp.body)
			}
		})
	}
}

// TestBatchRefusals: batches belong to one version alone, and have to be messages.
func TestBatchRefusals(t *testing.T) {
	t.Parallel()
	h := scripted(&script{})
	batch := "[" + asked(1) + "]"
	for _, version := range []mcp.Version{mcp.V20241105, mcp.V20250618, mcp.V20251125} {
		wantError(t, serve(h, request("POST", batch, in(open(t, h, version)))), 400, jsonrpc.CodeInvalidRequest, "")
	}
	id := open(t, h, mcp.V20250326)
	for name, r := range map[string]*http.Request{
		"no session":      request("POST", batch),
		"modern":          request("POST", "["+modernRequest+"]", modern),
		"only initialize": request("POST", "["+legacyRequest+"]"),
		"empty":           request("POST", "[]", in(id)),
		"too many":        request("POST", "["+strings.Repeat(asked(1)+",", 100)+asked(1)+"]", in(id)),
	} {
		if resp := serve(h, r); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d, body %s", name, resp.StatusCode, resp.body)
		}
	}
	wantError(t, serve(h, request("POST", "["+asked(1)+"]["+asked(2)+"]", in(id))), 400, jsonrpc.CodeParse, "")
	h.Close()
	wantError(t, serve(h, request("POST", batch, in(id))), 503, jsonrpc.CodeInternal, "")
}

// TestBatchOnStream: what precedes the responses of a batch makes its answer a stream, on which each response stands for
// itself.
func TestBatchOnStream(t *testing.T) {
	t.Parallel()
	h := scripted(&script{run: func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
		if msg.ID.String() == "2" {
			out.Send(ctx, notification(0))
		}
		return result(msg)
	}})
	id := open(t, h, mcp.V20250326)
	resp := serve(h, request("POST", "["+asked(1)+","+asked(2)+"]", in(id)))
	all, _ := events(string(resp.body))
	want := []string{string(notification(0)), answered(1), answered(2)}
	if diff := cmp.Diff(want, messages(all)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	resp = serve(h, request("GET", "", in(id), header("Last-Event-ID", all[0].id)))
	rest, _ := events(string(resp.body))
	if diff := cmp.Diff(want[1:], messages(rest)); diff != "" {
		t.Errorf("resumed (-want +got):\n%s", diff)
	}
}

// TestBatchAtOnce: the requests of a batch run side by side, so many and no more; one that fails inside fails alone.
func TestBatchAtOnce(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		var running, most atomic.Int64
		h := scripted(&script{run: func(_ context.Context, msg jsonrpc.Message, _ server.Sink) server.Reply {
			for n := running.Add(1); ; {
				if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
					break
				}
			}
			defer running.Add(-1)
			time.Sleep(time.Second)
			if msg.ID.String() == "3" {
				panic("secret detail")
			}
			return result(msg)
		}})
		texts := make([]string, 20)
		for i := range texts {
			texts[i] = asked(i)
		}
		began := time.Now()
		resp := serve(h, request("POST", "["+strings.Join(texts, ",")+"]", in(open(t, h, mcp.V20250326))))
		if took := time.Since(began); took != 3*time.Second || most.Load() != 8 {
			t.Errorf("took %v, %d at once", took, most.Load())
		}
		if got := string(resp.body); strings.Count(got, `"result"`) != 19 || !strings.Contains(got, `"id":3,"error":{"code":-32603`) ||
			strings.Contains(got, "secret") {
			t.Errorf("body %s", got)
		}
	})
}
