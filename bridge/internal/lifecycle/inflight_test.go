package lifecycle_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

var initializeParams = mcp.InitializeParams{ProtocolVersion: mcp.V20251125, Capabilities: []byte(`{}`), ClientInfo: []byte(clientInfo)}

// cancelled returns the notification that withdraws the request id.
func cancelled(t *testing.T, id string) *jsonrpc.Message {
	return message(t, "", "notifications/cancelled", `{"requestId":`+id+`}`)
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	c, other := g.Stream(), g.Stream()
	ctx := context.Background()
	number, _, endNumber, err := g.Begin(ctx, c, message(t, "7", "tools/list", `{`+modernMeta+`}`))
	checkError(t, err, 0, "")
	text, _, endText, err := g.Begin(ctx, c, message(t, `"7"`, "tools/list", `{`+modernMeta+`}`))
	checkError(t, err, 0, "")
	foreign, _, endForeign, err := g.Begin(ctx, other, message(t, "7", "tools/list", `{`+modernMeta+`}`))
	checkError(t, err, 0, "")
	defer endForeign()

	g.Notify(ctx, c, cancelled(t, "8"))
	g.Notify(ctx, c, message(t, "", "notifications/cancelled", `{"requestId":null}`))
	g.Notify(ctx, c, message(t, "", "notifications/unknown", `{"requestId":7}`))
	g.Notify(ctx, c, cancelled(t, "7"))
	if !lifecycle.Cancelled(number) || text.Err() != nil || foreign.Err() != nil {
		t.Errorf("number %v, text %v, foreign %v", number.Err(), text.Err(), foreign.Err())
	}
	endNumber()
	endText()
	if lifecycle.Cancelled(text) {
		t.Error("an answered request counts as cancelled")
	}
	g.Notify(ctx, c, cancelled(t, "7")) // answered: ignored

	other.Close()
	if !lifecycle.Cancelled(foreign) {
		t.Error("the closing of the stream cancels nothing")
	}
}

func TestIDsInFlight(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	c := g.Stream()
	list := message(t, "7", "tools/list", `{`+modernMeta+`}`)
	_, _, end, err := g.Begin(context.Background(), c, list)
	checkError(t, err, 0, "")
	_, err = begin(t, g, c, list)
	checkError(t, err, -32600, "id is in use")
	_, err = begin(t, g, g.Stream(), list)
	checkError(t, err, 0, "")
	end()
	_, err = begin(t, g, c, list)
	checkError(t, err, 0, "")
}

func TestMaxInFlight(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{MaxInFlight: 2})
	c := g.Stream()
	if g.MaxInFlight() != 2 {
		t.Errorf("the most is %d", g.MaxInFlight())
	}
	var ends []func()
	for id := range 2 {
		_, _, end, err := g.Begin(context.Background(), c, message(t, fmt.Sprint(id), "ping", ""))
		checkError(t, err, 0, "")
		ends = append(ends, end)
	}
	third := message(t, "3", "ping", "")
	_, err := begin(t, g, c, third)
	checkError(t, err, -32600, "2 requests are in flight")
	_, err = begin(t, g, g.Stream(), third)
	checkError(t, err, 0, "")
	ends[0]()
	_, err = begin(t, g, c, third)
	checkError(t, err, 0, "")
}

// TestSameIDsEverywhere: 200 sessions, all with the ids 0, 1 and 2 in flight at
// once, each cancelling its own 1.
func TestSameIDsEverywhere(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	ctx := context.Background()
	contexts := make([][3]context.Context, 200)
	var started, done sync.WaitGroup
	started.Add(len(contexts))
	for i := range contexts {
		id := open(t, g, "")
		done.Go(func() {
			for n := range 3 {
				msg := message(t, fmt.Sprint(n), "tools/list", "")
				c, refusal := g.Post(ctx, headers("session="+id), msg, "")
				if refusal != nil {
					t.Error(refusal.Error)
					break
				}
				var err *jsonrpc.Error
				contexts[i][n], _, _, err = g.Begin(ctx, c, msg)
				checkError(t, err, 0, "")
			}
			started.Done()
			started.Wait()
			if i%2 == 0 {
				msg := cancelled(t, "1")
				c, _ := g.Post(ctx, headers("session="+id), msg, "")
				g.Notify(ctx, c, msg)
			}
		})
	}
	done.Wait()
	for i, calls := range contexts {
		for n, call := range calls {
			if want := i%2 == 0 && n == 1; lifecycle.Cancelled(call) != want {
				t.Fatalf("client %d, id %d: cancelled is %v", i, n, !want)
			}
		}
	}
}
