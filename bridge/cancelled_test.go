package bridge_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/mcpgrpc/bridge/bridge"
)

// leaving is a way in which a client gives up a call.
type leaving struct {
	name     string
	versions []string
	rounds   int
	// begin makes the call of a tool with arguments and returns what gives it up.
	begin func(t *testing.T, s *stage, version, tool string, arguments map[string]any) (leave func())
}

// leavings are all ways, by transport.
var leavings = []leaving{
	{"HTTP, closing of the request", modernRevision, 4, func(t *testing.T, s *stage, version, tool string, arguments map[string]any) func() {
		t.Helper()
		conn := httpClient(t, s.url, version).start(t, s.url, "tools/call", map[string]any{"name": tool, "arguments": arguments})
		return func() { conn.Close() }
	}},
	{"HTTP, notifications/cancelled", legacyRevisions, 4, func(t *testing.T, s *stage, version, tool string, arguments map[string]any) func() {
		t.Helper()
		c := httpClient(t, s.url, version)
		c.start(t, s.url, "tools/call", map[string]any{"name": tool, "arguments": arguments})
		return func() { c.notify(t, "notifications/cancelled", map[string]any{"requestId": c.nextID}) }
	}},
	{"HTTP, DELETE of the session", legacyRevisions, 4, func(t *testing.T, s *stage, version, tool string, arguments map[string]any) func() {
		t.Helper()
		c := httpClient(t, s.url, version)
		c.start(t, s.url, "tools/call", map[string]any{"name": tool, "arguments": arguments})
		return func() { endSession(t, s.url, c) }
	}},
	{"stdio, notifications/cancelled", revisions, 4, func(t *testing.T, s *stage, version, tool string, arguments map[string]any) func() {
		t.Helper()
		c := httpClient(t, s.url, version)
		p := s.stdio(t, version)
		p.send(t, string(c.message(t, 99, "tools/call", map[string]any{"name": tool, "arguments": arguments})))
		return func() { p.send(t, body(version, "", "notifications/cancelled", `{"requestId":99}`, "")) }
	}},
	// Calls have half a second to come to their answers when the input ends, since requests may come from a file.
	{"stdio, end of the input", revisions[3:], 1, func(t *testing.T, s *stage, version, tool string, arguments map[string]any) func() {
		t.Helper()
		c := httpClient(t, s.url, version)
		p := s.stdio(t, version)
		p.send(t, string(c.message(t, 99, "tools/call", map[string]any{"name": tool, "arguments": arguments})))
		return func() { p.in.Close() }
	}},
}

// endSession ends a legacy session.
func endSession(t *testing.T, url string, c *client) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = c.headers("", nil)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		t.Errorf("DELETE: %s", resp.Status)
	}
}

// TestCancellationReachesTheBackend: in whatever way a client gives a call up, its backend hears of it, of a stream that has
// begun as of a unary call. How long that took is printed; the deadline of the call is far behind it.
func TestCancellationReachesTheBackend(t *testing.T) {
	t.Parallel()
	l, source := newLedger(t)
	p := &process{ledger: l, line: newLine(t)}
	p.start(t)
	conn, err := grpc.NewClient(p.line.lis.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		p.server.Stop()
		p.done.Wait()
	})
	b := newBridge(t, []bridge.Backend{{Conn: conn, Descriptors: source, Deadline: time.Hour}})
	s := &stage{bridge: b, url: serveHTTP(t, b)}
	for _, way := range leavings {
		t.Run(way.name, func(t *testing.T) {
			var took []time.Duration
			for i := range way.rounds {
				for _, version := range way.versions {
					for _, tool := range []string{"ledger_add", "ledger_follow"} {
						key := fmt.Sprint(way.name, version, tool, i)
						leave := way.begin(t, s, version, tool, map[string]any{"key": key, "replies": 1, "pause_ms": int(time.Hour / time.Millisecond)})
						l.await(t, l.begun, key)
						at := time.Now()
						leave()
						l.await(t, l.ended, key)
						took = append(took, time.Since(at))
					}
				}
			}
			slices.Sort(took)
			t.Logf("the backend heard of it after %v, median of %d; %v at most",
				took[len(took)/2].Round(10*time.Microsecond), len(took), took[len(took)-1].Round(10*time.Microsecond))
		})
	}
}

// await waits until a call under key is in the journal.
func (l *ledger) await(t *testing.T, counts map[string]int, key string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(200 * time.Microsecond) {
		l.mu.Lock()
		n := counts[key]
		l.mu.Unlock()
		if n > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: nothing is heard of it", key)
		}
	}
}
