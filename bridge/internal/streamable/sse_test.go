package streamable_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// TestPlainOrStream: an answer is one JSON text until something precedes it.
func TestPlainOrStream(t *testing.T) {
	t.Parallel()
	for _, version := range []mcp.Version{mcp.V20241105, mcp.V20250326, mcp.V20250618, mcp.V20251125, mcp.V20260728} {
		for n := range 3 {
			t.Run(string(version)+" "+strings.Repeat("n", n), func(t *testing.T) {
				t.Parallel()
				h := scripted(&script{run: counts(n)})
				resp := callAs(t, h, version)
				if n == 0 {
					if got := resp.Header.Get("Content-Type"); got != "application/json" || string(resp.body) != reply {
						t.Errorf("%s %s", got, resp.body)
					}
					return
				}
				wantHeader(t, resp.Header, http.Header{
					"Content-Type":           {"text/event-stream"},
					"Cache-Control":          {"no-store"},
					"X-Accel-Buffering":      {"no"},
					"X-Content-Type-Options": {"nosniff"},
				})
				all, _ := events(string(resp.body))
				if diff := cmp.Diff(conversation(n), messages(all)); diff != "" {
					t.Errorf("messages (-want +got):\n%s", diff)
				}
				wantIDs(t, all, version)
			})
		}
	}
}

// callAs has h answer call in a session of a legacy version, or as a modern request.
func callAs(t *testing.T, h http.Handler, version mcp.Version, change ...func(*http.Request)) answer {
	t.Helper()
	r := request("POST", call)
	if version == mcp.V20260728 {
		r = request("POST", modernRequest, modern)
	} else {
		in(open(t, h, version))(r)
	}
	for _, c := range change {
		c(r)
	}
	return serve(h, r)
}

// wantIDs holds the events of a stream against the ids that its version has: none in the modern era, one for each event
// in the legacy one, and another before the first where a client knows what it is for.
func wantIDs(t *testing.T, all []event, version mcp.Version) {
	t.Helper()
	primed := all[0].data == ""
	if primed != (version == mcp.V20251125) || primed && (all[0].retry != "500" || all[0].id == "") {
		t.Errorf("the stream begins with %+v", all[0])
	}
	seen := map[string]bool{}
	for _, e := range all {
		if (e.id == "") != (version == mcp.V20260728) || seen[e.id] && e.id != "" {
			t.Errorf("id of %+v", e)
		}
		seen[e.id] = true
	}
}

// TestStreamOnlyWhereAccepted: a client that does not take a stream gets its reply alone.
func TestStreamOnlyWhereAccepted(t *testing.T) {
	t.Parallel()
	for accept, stream := range map[string]bool{
		"application/json, text/event-stream": true, "*/*": true, "application/json, text/*": true,
		"application/json": false, "application/json, text/event-stream;q=0": false, "": false,
	} {
		for _, version := range []mcp.Version{mcp.V20251125, mcp.V20260728} {
			resp := callAs(t, scripted(&script{run: counts(2)}), version, header("Accept", accept))
			if got := resp.Header.Get("Content-Type") == "text/event-stream"; got != stream || !stream && string(resp.body) != reply {
				t.Errorf("%q in %s: stream %v, body %s", accept, version, got, resp.body)
			}
		}
	}
}

// TestErrorOnStream: once a stream has begun, an error is its last event, whatever its status would have been.
func TestErrorOnStream(t *testing.T) {
	t.Parallel()
	fail := func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
		out.Send(ctx, notification(0))
		return server.Reply{Status: 404, Body: jsonrpc.AppendError(nil, msg.ID, jsonrpc.Errorf(-32601, "no"))}
	}
	for _, version := range []mcp.Version{mcp.V20251125, mcp.V20260728} {
		resp := callAs(t, scripted(&script{run: fail}), version)
		all, _ := events(string(resp.body))
		want := []string{string(notification(0)), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`}
		if diff := cmp.Diff(want, messages(all)); diff != "" || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d, messages (-want +got):\n%s", version, resp.StatusCode, diff)
		}
	}
}

// TestLineEndsInJSON: white space of a message does not end its event.
func TestLineEndsInJSON(t *testing.T) {
	t.Parallel()
	say := func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
		out.Send(ctx, []byte("{\r\n\"a\":\n\r1}"))
		return result(msg)
	}
	resp := callAs(t, scripted(&script{run: say}), mcp.V20260728)
	if all, _ := events(string(resp.body)); len(all) != 2 || all[0].data != `{  "a":  1}` {
		t.Errorf("events %+v", all)
	}
}

// TestSendBehindReply: what a call says behind its reply is an error and goes nowhere: neither to its client, be its answer
// a stream or not, nor to the journal, nor does it begin anything.
func TestSendBehindReply(t *testing.T) {
	t.Parallel()
	for _, version := range []mcp.Version{mcp.V20250326, mcp.V20251125, mcp.V20260728} {
		for n := range 2 {
			var sink server.Sink
			h := scripted(&script{run: func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
				sink = out
				return counts(n)(ctx, msg, out)
			}})
			w, r := httptest.NewRecorder(), request("POST", modernRequest, modern)
			id := open(t, h, mcp.V20251125)
			if version != mcp.V20260728 {
				id = open(t, h, version)
				r = request("POST", call, in(id))
			}
			h.ServeHTTP(w, r)
			before := w.Body.String()
			for range 2 {
				if err := sink.Send(t.Context(), notification(7)); err == nil {
					t.Errorf("%s, %d before: Send behind the reply says nothing", version, n)
				}
			}
			if after := w.Body.String(); after != before || strings.Contains(after, `"n":7`) {
				t.Errorf("%s, %d before: the answer has become %s", version, n, after)
			}
			if all, _ := events(before); lastID(all) != "" {
				first := header("Last-Event-ID", all[0].id)
				if resp := serve(h, request("GET", "", in(id), first)); resp.StatusCode != http.StatusOK ||
					strings.Contains(string(resp.body), `"n":7`) {
					t.Errorf("%s: resumed are %s", version, resp.body)
				}
			}
			wantNoPlaces(t, h)
		}
	}
}

// TestSendBehindBatch: so it is behind the replies of a batch.
func TestSendBehindBatch(t *testing.T) {
	t.Parallel()
	var sink server.Sink
	h := scripted(&script{run: func(_ context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
		sink = out
		return result(msg)
	}})
	resp := serve(h, request("POST", "["+asked(1)+"]", in(open(t, h, mcp.V20250326))))
	if err := sink.Send(t.Context(), notification(7)); err == nil || resp.StatusCode != http.StatusOK {
		t.Errorf("status %d, Send says %v", resp.StatusCode, err)
	}
	wantNoPlaces(t, h)
}

// TestCancelledStream: a request that its client has cancelled ends its stream without a response; when the handler is
// closed, the last event says so.
func TestCancelledStream(t *testing.T) {
	t.Parallel()
	for name, closed := range map[string]bool{"cancelled": false, "closed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{}
			h := scripted(s)
			id := open(t, h, mcp.V20251125)
			s.run = func(ctx context.Context, _ jsonrpc.Message, out server.Sink) server.Reply {
				out.Send(ctx, notification(0))
				if closed {
					h.Close()
				} else {
					serve(h, request("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, in(id)))
				}
				<-ctx.Done()
				return server.Reply{}
			}
			resp := serve(h, request("POST", call, in(id)))
			all, _ := events(string(resp.body))
			got := messages(all)
			if len(got) == 0 || got[0] != string(notification(0)) {
				t.Fatalf("events %+v", all)
			}
			if last := got[1:]; closed != (len(last) == 1 && strings.Contains(last[0], "server stopped")) || len(last) > 1 {
				t.Errorf("at the end %q", last)
			}
			if closed {
				return
			}
			resp = serve(h, request("GET", "", in(id), header("Last-Event-Id", lastID(all))))
			if all, _ := events(string(resp.body)); resp.StatusCode != http.StatusOK || len(all) != 0 {
				t.Errorf("afterwards: status %d, events %+v", resp.StatusCode, all)
			}
		})
	}
}

// TestLostStream: a client to which an event cannot be written has left: its call ends in the modern era, and goes on for
// its time in the legacy one.
func TestLostStream(t *testing.T) {
	t.Parallel()
	for _, version := range []mcp.Version{mcp.V20251125, mcp.V20260728} {
		bubble(t, func(t *testing.T) {
			ended := make(chan error, 1)
			h := scripted(&script{run: func(ctx context.Context, _ jsonrpc.Message, out server.Sink) server.Reply {
				err := out.Send(ctx, notification(0))
				if modern := version == mcp.V20260728; (err != nil) != modern {
					t.Errorf("%s: Send returned %v", version, err)
				}
				began := time.Now()
				<-ctx.Done()
				took := time.Since(began)
				if goesOn := version == mcp.V20251125; goesOn != (took == streamable.DefaultOrphanTimeout) || !goesOn && took != 0 {
					t.Errorf("%s: the call ended after %v", version, took)
				}
				ended <- context.Cause(ctx)
				return server.Reply{}
			}})
			r := request("POST", modernRequest, modern)
			if version == mcp.V20251125 {
				r = request("POST", call, in(open(t, h, version)))
			}
			abandons(h, &onceWriter{header: http.Header{}, err: io.ErrClosedPipe}, r)
			if take(t, ended) == nil {
				t.Error("the call ended by itself")
			}
			wantNoPlaces(t, h)
		})
	}
}

// TestParamHeaders: what a client repeats of its arguments reaches the gate by names in lower case.
func TestParamHeaders(t *testing.T) {
	t.Parallel()
	var got map[string]string
	d := &double{post: func(h lifecycle.Headers, _ *jsonrpc.Message) *lifecycle.Refusal {
		got = h.Params
		return nil
	}}
	serve(endpoint(d),
		request("POST", ping, header("Mcp-Param-Region", " eu "), header("MCP-PARAM-shelf-id", ""), header("Mcp-Parameter", "x")))
	if diff := cmp.Diff(map[string]string{"region": "eu", "shelf-id": ""}, got); diff != "" {
		t.Errorf("params (-want +got):\n%s", diff)
	}
}
