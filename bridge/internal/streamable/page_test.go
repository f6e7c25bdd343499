package streamable_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// listed is a catalog whose tools are three, and whose other lists are empty.
func listed(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Compile(nil, catalog.Options{Features: lifecycle.AllFeatures(), Search: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pageOf returns the reply to msg that is a page of a list, apart.
func pageOf(t testing.TB, list mcp.List, msg jsonrpc.Message) server.Reply {
	t.Helper()
	page, _, err := listed(t).FindPage(list, mcp.Features{}, "")
	if err != nil {
		t.Fatal(err)
	}
	body := jsonrpc.AppendResult(nil, msg.ID, []byte(`{"page":}`))
	return server.Reply{Status: http.StatusOK, Body: body, Page: page, PageAt: len(body) - len("}}")}
}

// pages returns an endpoint that answers everything with a page.
func pages(t testing.TB, list mcp.List, change ...func(*streamable.Config)) http.Handler {
	t.Helper()
	return endpoint(&double{handle: func(_ context.Context, msg jsonrpc.Message) server.Reply { return pageOf(t, list, msg) }}, change...)
}

// wholePage is what the answer to ping says that pages gives.
func wholePage(t testing.TB, list mcp.List) string {
	t.Helper()
	msg, err := jsonrpc.Decode([]byte(ping), jsonrpc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return string(pageOf(t, list, msg).Whole().Body)
}

// gunzip unpacks a body.
func gunzip(t testing.TB, body []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAcceptEncoding: a page is compressed for who takes gzip and likes nothing better that there is (RFC 9110 section 12.5.3).
func TestAcceptEncoding(t *testing.T) {
	t.Parallel()
	h, want := pages(t, mcp.ListTools), wholePage(t, mcp.ListTools)
	for _, tt := range []struct {
		name   string
		accept []string
		gzip   bool
	}{
		{"gzip", []string{"gzip"}, true},
		{"its other name", []string{"x-gzip"}, true},
		{"in capitals", []string{"GZIP"}, true},
		{"what browsers send", []string{"gzip, deflate, br, zstd"}, true},
		{"in two headers", []string{"br", "gzip"}, true},
		{"with a weight", []string{"br;q=1.0, gzip;q=0.8, *;q=0.1"}, true},
		{"with a small one and space", []string{"deflate , gzip ; q=0.001"}, true},
		{"with a weight in capitals", []string{"gzip;Q=1"}, true},
		{"anything", []string{"*"}, true},
		{"rather than as it is", []string{"gzip;q=0.5, identity;q=0.4"}, true},
		{"as much as as it is", []string{"identity, gzip"}, true},
		{"rather than nothing", []string{"identity;q=0, gzip;q=0.1"}, true},
		{"absent", nil, false},
		{"empty", []string{""}, false},
		{"excluded", []string{"gzip;q=0"}, false},
		{"excluded in many digits", []string{"gzip;q=0.000, deflate"}, false},
		{"excluded from anything", []string{"*, gzip;q=0"}, false},
		{"anything excluded", []string{"*;q=0"}, false},
		{"others", []string{"deflate, br, zstd"}, false},
		{"as it is", []string{"identity"}, false},
		{"better as it is", []string{"identity;q=1, gzip;q=0.5"}, false},
		{"better anything else", []string{"*;q=1, gzip;q=0.5"}, false},
		{"a longer name", []string{"gzip2, xgzip"}, false},
		{"a weight that is none", []string{"gzip;q=x"}, false},
		{"not a number", []string{"gzip;q=NaN"}, false},
		{"a weight that is too large", []string{"gzip;q=2"}, false},
		{"a weight below zero", []string{"gzip;q=-1"}, false},
		{"another parameter", []string{"gzip;level=9"}, false},
		{"nonsense", []string{";;;,=,"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp := serve(h, request("POST", ping, header("Accept-Encoding", tt.accept...)))
			headers := http.Header{
				"Cache-Control": {"no-store"}, "X-Content-Type-Options": {"nosniff"}, "Vary": {"Accept-Encoding"},
				"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(len(resp.body))},
			}
			got := string(resp.body)
			if tt.gzip {
				headers["Content-Encoding"] = []string{"gzip"}
				got = gunzip(t, resp.body)
			}
			wantHeader(t, resp.Header, headers)
			if got != want || tt.gzip && len(resp.body) >= len(want) {
				t.Errorf("%d bytes for %d: %s", len(resp.body), len(want), got)
			}
		})
	}
}

// TestShortPage: a page that is not worth it, as any other answer, is sent as it is and does not vary.
func TestShortPage(t *testing.T) {
	t.Parallel()
	for body, h := range map[string]http.Handler{
		wholePage(t, mcp.ListPrompts):          pages(t, mcp.ListPrompts),
		`{"jsonrpc":"2.0","id":7,"result":{}}`: endpoint(&double{}),
	} {
		resp := serve(h, request("POST", ping, header("Accept-Encoding", "gzip")))
		if string(resp.body) != body || resp.Header["Content-Encoding"] != nil || resp.Header["Vary"] != nil {
			t.Errorf("headers %v, body %s", resp.Header, resp.body)
		}
	}
}

// TestPageAcrossOrigins: Vary names both headers on which the answer depends.
func TestPageAcrossOrigins(t *testing.T) {
	t.Parallel()
	h := pages(t, mcp.ListTools, origins("https://app.example"))
	resp := serve(h, request("POST", ping, header("Origin", "https://app.example"), header("Accept-Encoding", "gzip")))
	if diff := cmp.Diff([]string{"Origin", "Accept-Encoding"}, resp.Header["Vary"]); diff != "" {
		t.Errorf("Vary (-want +got):\n%s", diff)
	}
}

// TestPageInAStream: an event, and an element of a batch, have the page in them and are never compressed.
func TestPageInAStream(t *testing.T) {
	t.Parallel()
	answers := func(said bool) http.Handler {
		return scripted(&script{run: func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
			if said {
				_ = out.Send(ctx, notification(0))
			}
			return pageOf(t, mcp.ListTools, msg)
		}})
	}
	msg, _ := jsonrpc.Decode([]byte(call), jsonrpc.DefaultLimits)
	want := string(pageOf(t, mcp.ListTools, msg).Whole().Body)
	for name, tt := range map[string]struct {
		said       bool
		body, want string
	}{
		"stream": {true, call, want},
		"batch":  {false, "[" + call + "]", "[" + want + "]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := answers(tt.said)
			resp := serve(h, request("POST", tt.body, in(open(t, h, mcp.V20250326)), header("Accept-Encoding", "gzip")))
			got := string(resp.body)
			if all, _ := events(got); len(all) > 0 {
				got = all[len(all)-1].data
			}
			if got != tt.want || resp.Header["Content-Encoding"] != nil {
				t.Errorf("headers %v, body %s", resp.Header, resp.body)
			}
		})
	}
}
