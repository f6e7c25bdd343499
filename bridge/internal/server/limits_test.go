package server_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/limit"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// counted are a request for each kind of what quotas count, over the desk.
var counted = map[string]string{
	"tools/call":     `"name":"desk_show_cover"`,
	"resources/read": `"uri":"desk://rules"`,
	"prompts/get":    `"name":"summarise","arguments":{"book":"x"}`,
}

const (
	usedUp  = "RESOURCE_EXHAUSTED: the quota of this client is used up: 1 call is in flight, which is the most"
	notMade = "\noutcome: not_executed (the backend did not process the call)\nretry: yes, the same call may be repeated after 1s"
)

// TestCallerQuota: a caller over its quota has the status 429 and when to come again; without HTTP a tool says so to the model.
// Another caller has a quota of its own. When the call in flight has ended, there is room.
func TestCallerQuota(t *testing.T) {
	t.Parallel()
	for _, peer := range []lifecycle.Peer{overHTTP, byPipe} {
		for method, params := range counted {
			t.Run(peer.Transport+" "+method, func(t *testing.T) {
				t.Parallel()
				l := newLimited(t, desk, "ShowCover: {}\nGetRules: {}\nSummarise: {}", quotas{caller: limit.Quota{InFlight: 1}})
				release := l.hold(t, peer, "tools/call", counted["tools/call"])
				refusedForCaller(t, l.ask(t, peer, method, params), method, peer)
				if a := read(t, l.ask(t, another, method, params).Body); a.Error != nil {
					t.Errorf("another caller: %+v", a.Error)
				}
				release()
				if a := read(t, l.ask(t, peer, method, params).Body); a.Error != nil || strings.Contains(string(a.Result), `"isError":true`) {
					t.Errorf("afterwards: %+v, %s", a.Error, a.Result)
				}
			})
		}
	}
}

// refusedForCaller holds a reply against what a caller over its quota is told.
func refusedForCaller(t *testing.T, reply server.Reply, method string, peer lifecycle.Peer) {
	t.Helper()
	status, wait := 200, time.Duration(0)
	if peer.Transport == "tcp" {
		status, wait = 429, time.Second
	}
	if reply.Status != status || reply.RetryAfter != wait {
		t.Errorf("status %d, again after %v", reply.Status, reply.RetryAfter)
	}
	a := read(t, reply.Body)
	if peer.Transport != "tcp" && method == "tools/call" {
		if got := failedText(t, a); got != usedUp+notMade {
			t.Errorf("got %q", got)
		}
		return
	}
	if a.Error == nil || a.Error.Code != -32603 || a.Error.Message != usedUp+notMade ||
		!strings.HasPrefix(string(a.Error.Data),
			`{"code":"RESOURCE_EXHAUSTED",`) || !strings.Contains(string(a.Error.Data), `"outcome":"not_executed"`) {
		t.Errorf("got %s", reply.Body)
	}
}

// TestCallerQuotaOfPrincipals: one principal has one quota, whatever it connects from and in whatever session, and another one
// from there has its own. The legacy era has the same status.
func TestCallerQuotaOfPrincipals(t *testing.T) {
	t.Parallel()
	l := newLimited(t, shelf, "GetBook: {}", quotas{caller: limit.Quota{PerSecond: 0.001, Burst: 2}})
	for i, call := range []struct {
		principal string
		peer      lifecycle.Peer
		status    int
	}{
		{"alice", overHTTP, 200},
		{"alice", another, 200},
		{"alice", overHTTP, 429},
		{"bob", overHTTP, 200},
		{"", overHTTP, 200},
		{"alice", another, 429},
	} {
		reply := l.askInSession(t, call.principal, call.peer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shelf_get_book"}}`)
		if reply.Status != call.status || (reply.RetryAfter > 0) != (call.status == 429) {
			t.Errorf("call %d: %d after %v: %s", i, reply.Status, reply.RetryAfter, reply.Body)
		}
	}
}

// TestNotCounted: what calls no backend is served whatever the quota says, and uses nothing up.
func TestNotCounted(t *testing.T) {
	t.Parallel()
	l := newLimited(t, desk, "ShowCover: {}", quotas{caller: limit.Quota{InFlight: 1, PerSecond: 0.001}})
	release := l.hold(t, overHTTP, "tools/call", counted["tools/call"])
	defer release()
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/discover", "no/such"} {
		if reply := l.ask(t, overHTTP, method, ""); reply.Status == 429 || reply.RetryAfter != 0 {
			t.Errorf("%s: %d %s", method, reply.Status, reply.Body)
		}
	}
}

// TestSearchModeCounts: in search mode a call counts, and what is looked up for one does not.
func TestSearchModeCounts(t *testing.T) {
	t.Parallel()
	l := newLimited(t, shelf, "GetBook: {}", quotas{caller: limit.Quota{PerSecond: 0.001}})
	l.search(t)
	for range 3 {
		for _, params := range []string{
			`"name":"search_methods","arguments":{"query":"book"}`, `"name":"search_methods"`,
			`"name":"describe_method","arguments":{"name":"shelf_get_book"}`,
		} {
			if reply := l.ask(t, overHTTP, "tools/call", params); reply.Status != 200 {
				t.Errorf("%s: %d %s", params, reply.Status, reply.Body)
			}
		}
	}
	for i, want := range []int{200, 429} {
		if reply := l.ask(t, overHTTP, "tools/call", `"name":"call_method","arguments":{"name":"shelf_get_book"}`); reply.Status != want {
			t.Errorf("call %d: %d %s", i, reply.Status, reply.Body)
		}
	}
}

// TestBackendQuota: over its backend's quota, a call is a failure for the model, over HTTP too; a read is an error.
func TestBackendQuota(t *testing.T) {
	t.Parallel()
	const text = `RESOURCE_EXHAUSTED: the quota of backend "shelf" is used up: 1 call is in flight, which is the most` + notMade
	for _, peer := range []lifecycle.Peer{overHTTP, byPipe} {
		l := newLimited(t, desk, "ShowCover: {}\nGetRules: {}", quotas{backend: limit.Quota{InFlight: 1}})
		release := l.hold(t, another, "resources/read", counted["resources/read"])
		reply := l.ask(t, peer, "tools/call", counted["tools/call"])
		if got := failedText(t, read(t, reply.Body)); got != text || reply.Status != 200 {
			t.Errorf("%s: %d %s", peer.Transport, reply.Status, got)
		}
		for _, method := range []string{"resources/read", "prompts/get"} {
			reply := l.ask(t, peer, method, counted[method])
			if a := read(t, reply.Body); reply.Status != 200 || a.Error == nil || a.Error.Code != -32603 || a.Error.Message != text {
				t.Errorf("%s: %d %s", peer.Transport, reply.Status, reply.Body)
			}
		}
		release()
		if a := read(t, l.ask(t, peer, "tools/call", counted["tools/call"]).Body); strings.Contains(string(a.Result), "isError") {
			t.Errorf("afterwards: %s", a.Result)
		}
	}
}

// TestQuotasGiveBack: of 1,000 requests that end in any way, a panic and a client that leaves included, none keeps its place in
// a quota.
func TestQuotasGiveBack(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	const requests, workers = 1000, 4
	script := "ShowCover: {}\nGetRules: NOT_FOUND no\nSummarise: garbage\nReadAloud: hangs\nAskUser: {}"
	l := newLimited(t, desk, script, quotas{caller: limit.Quota{InFlight: 3}, backend: limit.Quota{InFlight: 2}})
	var entered atomic.Int64
	l.entering = func(context.Context) {
		if entered.Add(1)%10 == 0 {
			panic("an interceptor has a fault")
		}
	}
	kinds := [][2]string{
		{"tools/call", counted["tools/call"]},
		{"resources/read", counted["resources/read"]},
		{"prompts/get", counted["prompts/get"]},
		{"tools/call", `"name":"desk_read_aloud"`},
		{"tools/call", `"name":"desk_ask_user"`},
		{"tools/call", `"name":"none"`},
		{"tools/call", `"name":7`},
		{"tools/call", `"name":"desk_show_cover","arguments":{"no":"such"}`},
		{"resources/read", `"uri":"desk://none"`},
		{"prompts/get", `"name":"summarise"`},
	}
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(w)))
			for range requests / workers {
				kind := kinds[random.IntN(len(kinds))]
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(3000))*time.Microsecond)
				l.askAs(ctx, t, []lifecycle.Peer{overHTTP, byPipe}[random.IntN(2)], kind[0], kind[1])
				cancel()
			}
		})
	}
	all.Wait()
	if n, m := l.server.CallsInFlight(), l.backend.InFlight(); n != 0 || m != 0 {
		t.Errorf("callers have %d calls in flight, the backend %d", n, m)
	}
}

// TestForwarded: a backend is sent what it is to have of the headers that the transport let in.
func TestForwarded(t *testing.T) {
	t.Parallel()
	forward := []backend.Forward{{Header: "X-Request-Id", Metadata: "request"}}
	l := newLimited(t, desk, "ShowCover: {}\nGetRules: {}\nSummarise: {}", quotas{forward: forward})
	sent := make(chan metadata.MD, 1)
	l.entering = func(ctx context.Context) {
		md, _ := metadata.FromOutgoingContext(ctx)
		sent <- md
	}
	peer := overHTTP
	peer.Forwarded = map[string][]string{"X-Request-Id": {"r1"}, "X-Of-Another-Backend": {"x"}}
	for method, params := range counted {
		l.ask(t, peer, method, params)
		if diff := cmp.Diff(metadata.MD{"request": {"r1"}}, <-sent); diff != "" {
			t.Errorf("%s: %s", method, diff)
		}
		l.ask(t, overHTTP, method, params)
		if md := <-sent; len(md) != 0 {
			t.Errorf("%s: sent %v", method, md)
		}
	}
}

// TestRefusedIsMeasured: what a quota refuses is counted by the quota and the backend.
func TestRefusedIsMeasured(t *testing.T) {
	t.Parallel()
	reader := sdkmetric.NewManualReader()
	observed, err := telemetry.New(telemetry.Config{MeterProvider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))})
	if err != nil {
		t.Fatal(err)
	}
	l := newLimited(t, desk, "ShowCover: {}", quotas{
		caller: limit.Quota{PerSecond: 0.001, Burst: 3}, backend: limit.Quota{PerSecond: 0.001}, telemetry: observed,
	})
	for range 5 {
		l.ask(t, overHTTP, "tools/call", counted["tools/call"])
	}
	if diff := cmp.Diff([]string{"quota=backend,backend=shelf 2", "quota=caller,backend= 2"}, refusals(t, reader)); diff != "" {
		t.Error(diff)
	}
}

// refusals reads what has been counted, in order.
func refusals(t *testing.T, reader sdkmetric.Reader) []string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			sum, ok := m.Data.(metricdata.Sum[int64])
			if !ok || m.Name != "bridge.quota.refused" {
				continue
			}
			for _, p := range sum.DataPoints {
				quota, _ := p.Attributes.Value("quota")
				name, _ := p.Attributes.Value("backend")
				lines = append(lines, fmt.Sprintf("quota=%s,backend=%s %d", quota.AsString(), name.AsString(), p.Value))
			}
		}
	}
	slices.Sort(lines)
	return lines
}
