package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/mcpgrpc/bridge/bridge"
)

const (
	historyRate     = 200 // calls in a second
	historyDeadline = time.Second
	historyGap      = 150 * time.Millisecond // between faults, on average
)

// TestHistory calls methods of all kinds, from clients of both eras and transports, before a backend that is killed, replaced,
// hung and reset at random moments. Afterwards what each call was told is held against what the backend has done: `ok` was
// carried out exactly once, `not_executed` never, `unknown` at most once, what is idempotent up to three times; nobody got a
// reply to another call; each had an outcome. HISTORY=30s makes it last so long, and bounds by how much outcomes may be late:
// a second.
func TestHistory(t *testing.T) {
	t.Parallel()
	lasts, grace := 4*time.Second, time.Minute
	if testing.Short() {
		lasts = time.Second
	}
	if text := os.Getenv("HISTORY"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("HISTORY: %v", err)
		}
		lasts, grace = d, time.Second
	}
	h := newHistory(t)
	h.run(lasts)
	h.report(lasts, grace)
}

// A run of longHistory has at least so many faults, and calls of each outcome; usual are four times as many faults, and hundreds of calls.
const longHistory, fewest = 30 * time.Second, 20

// history is a run.
type history struct {
	*testing.T

	ledger  *ledger
	process *process
	line    *line
	clients []sender
	calls   *rand.Rand
	chance  *rand.Rand // of faults
	records []*record
	faults  map[string]int
}

// historySeed is what HISTORY_SEED says, or one by the clock.
func historySeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("HISTORY_SEED")
	if text == "" {
		return uint64(time.Now().UnixNano())
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("HISTORY_SEED: %v", err)
	}
	return seed
}

// newHistory starts a backend, a bridge and clients.
func newHistory(t *testing.T) *history {
	t.Helper()
	seed := historySeed(t)
	t.Logf("seed %d; HISTORY_SEED=%d draws the same calls and faults again", seed, seed)
	l, source := newLedger(t)
	h := &history{
		T: t, ledger: l, line: newLine(t), faults: map[string]int{},
		calls: rand.New(rand.NewPCG(seed, 0)), chance: rand.New(rand.NewPCG(seed, 1)),
	}
	h.process = &process{ledger: l, line: h.line}
	h.process.start(t)
	conn, err := grpc.NewClient(h.line.lis.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1.6, MaxDelay: 100 * time.Millisecond},
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		h.process.server.Stop()
		h.process.done.Wait()
	})
	b := newBridge(t, []bridge.Backend{{Conn: conn, Descriptors: source, Deadline: historyDeadline}})
	url := serveHTTP(t, b)
	h.clients = []sender{
		httpSender(t, url, modern), httpSender(t, url, "2025-11-25"), httpSender(t, url, "2024-11-05"), stdioSender(t, b),
	}
	return h
}

// run makes calls, at times that do not depend on how they end, and faults beside them. It returns when all calls have ended
// and nothing is under way any more.
func (h *history) run(lasts time.Duration) {
	var calls, faults sync.WaitGroup
	end := time.Now().Add(lasts)
	faults.Go(func() {
		for {
			time.Sleep(min(time.Duration(h.chance.ExpFloat64()*float64(historyGap)), time.Second))
			if time.Now().After(end) {
				return
			}
			h.fault()
		}
	})
	for at := time.Now(); at.Before(end); at = at.Add(time.Second / historyRate) {
		time.Sleep(time.Until(at))
		r, c := h.next(), h.clients[len(h.records)%len(h.clients)]
		id := len(h.records)
		calls.Go(func() { h.call(c, r, id) })
	}
	faults.Wait()
	calls.Wait()
	h.process.server.GracefulStop()
	h.process.done.Wait()
}

// next draws a call.
func (h *history) next() *record {
	r := &record{
		booking: bookings[h.calls.IntN(len(bookings))], key: fmt.Sprintf("key-%d", len(h.records)), replies: 1, refused: h.calls.IntN(8) == 0,
	}
	switch {
	case r.streams:
		r.replies = h.calls.IntN(6)
	case r.refused:
		r.replies = 0
	}
	h.records = append(h.records, r)
	return r
}

// call makes a call and completes its record.
func (h *history) call(c sender, r *record, id int) {
	params := map[string]any{"name": r.tool, "arguments": map[string]any{
		"key": r.key, "replies": r.replies, "pause_ms": id % 40, "refused": r.refused,
	}}
	if r.streams && id%2 == 0 {
		params["_meta"] = map[string]any{"progressToken": r.key}
	}
	// A legacy session takes an id once; those up to 10 were used to connect.
	id += 10
	message := c.message(h.T, id, "tools/call", params)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	began := time.Now()
	answer, err := c.do(ctx, id, message, c.headers("tools/call", params))
	r.late = max(0, time.Since(began)-historyDeadline)
	if err != nil {
		r.answer = err.Error()
		return
	}
	r.read(answer)
}

// fault does something to the backend or to the way to it, for up to one and a half times as long as a call may take.
func (h *history) fault() {
	lasts := time.Duration(math.Pow(h.chance.Float64(), 3) * float64(historyDeadline*3/2)) // mostly short
	hang := func(d direction, then func()) {
		h.line.hold(d)
		time.Sleep(lasts)
		then()
		h.line.release()
	}
	table := []struct {
		name string
		do   func()
	}{
		{"reset", h.line.reset},
		{"killed", func() {
			h.process.kill()
			time.Sleep(lasts / 3)
			h.process.start(h.T)
		}},
		{"replaced", func() { h.process.replace(h.T) }},
		{"requests hung", func() { hang(requests, func() {}) }},
		{"requests lost", func() { hang(requests, h.line.reset) }},
		{"answers hung", func() { hang(answers, func() {}) }},
		{"answers lost", func() { hang(answers, h.line.reset) }},
	}
	f := table[h.chance.IntN(len(table))]
	h.faults[f.name]++
	f.do()
}

// report prints what happened and fails the test with each promise that was broken.
func (h *history) report(lasts, grace time.Duration) {
	outcomes, kinds := map[string]int{}, map[string]map[string]int{}
	var violations []error
	var late time.Duration
	again, truncated := 0, 0
	for _, r := range h.records {
		if kinds[r.tool] == nil {
			kinds[r.tool] = map[string]int{}
		}
		outcomes[r.outcome]++
		kinds[r.tool][r.outcome]++
		late = max(late, r.late)
		times := h.ledger.executions(r.key)
		again += max(0, times-1)
		if r.truncated {
			truncated++
		}
		for _, v := range r.violations(times, grace) {
			violations = append(violations, errors.New(v))
		}
	}
	faults := 0
	for _, n := range h.faults {
		faults += n
	}
	h.Logf("%d calls in %v, %d faults %v", len(h.records), lasts, faults, h.faults)
	h.Logf("outcomes %v; repeated %d times, truncated %d; the latest outcome came %v after its deadline", outcomes, again, truncated,
		late.Round(time.Millisecond))
	for _, tool := range slices.Sorted(maps.Keys(kinds)) {
		h.Logf("%s: %v", tool, kinds[tool])
	}
	h.Logf("violations: %d", len(violations))
	for _, v := range violations[:min(10, len(violations))] {
		h.Error(v)
	}
	if failed := len(h.records) - outcomes[outcomeOK]; faults > 5 && failed == 0 {
		h.Error("no call failed: the faults do not reach the calls")
	}
	if lasts < longHistory {
		return
	}
	for _, outcome := range []string{outcomeOK, outcomeExecuted, outcomeNotExecuted, outcomeUnknown} {
		if outcomes[outcome] < fewest {
			h.Errorf("only %d calls had the outcome %s: too few to show anything", outcomes[outcome], outcome)
		}
	}
	if faults < fewest {
		h.Errorf("only %d faults: too few to show anything", faults)
	}
}
