package bridge_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/mcpgrpc/bridge/bridge"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/orders"
)

// talkative is a shop that sends so many messages of a track, each made from its number, and counts them.
type talkative struct {
	ordersv1.UnimplementedOrderServiceServer
	messages int64
	message  func(i int64) *ordersv1.TrackOrderResponse
	sent     atomic.Int64
}

func (s *talkative) Register(r grpc.ServiceRegistrar) { ordersv1.RegisterOrderServiceServer(r, s) }

func (s *talkative) TrackOrder(_ *ordersv1.TrackOrderRequest, stream grpc.ServerStreamingServer[ordersv1.TrackOrderResponse]) error {
	for i := range s.messages {
		if err := stream.Send(s.message(i)); err != nil {
			return err
		}
		s.sent.Add(1)
	}
	return nil
}

// track opens a call whose answer is a stream of events. more is what its _meta has besides, and begins with a comma.
func (s *talkative) track(t *testing.T, more string) io.Reader {
	t.Helper()
	conn := startServices(t, host.Described(s, orders.DescriptorSet()))
	w := &wire{url: serveHTTP(t, newBridge(t, []bridge.Backend{{Conn: conn, Deadline: time.Hour}})), version: modern}
	text := body(modern, "1", "tools/call", `{"name":"order_track_order","arguments":{"name":"orders/1001"}}`, more)
	resp := w.open(t.Context(), t, http.MethodPost, text)
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	return resp.Body
}

// logged is a line of the log of about 4 KiB.
func logged(i int64) *ordersv1.TrackOrderResponse {
	line := &bridgev1.Log{Message: fmt.Sprintf("line %d %s", i, strings.Repeat("x", 4<<10))}
	return &ordersv1.TrackOrderResponse{Event: &ordersv1.TrackOrderResponse_Log{Log: line}}
}

// TestSlowClientSlowsItsBackend: a client that does not read stops a backend that logs without end, and one that reads again lets
// it go on, with nothing left out.
func TestSlowClientSlowsItsBackend(t *testing.T) {
	t.Parallel()
	// 64 MiB: beyond all that sockets and windows of flow control hold between the two ends.
	const lines = 16 << 10
	s := &talkative{messages: lines, message: logged}
	events := bufio.NewReader(s.track(t, `,"io.modelcontextprotocol/logLevel":"info"`))
	stopped := int64(-1)
	for end := time.Now().Add(patience); stopped != s.sent.Load(); time.Sleep(500 * time.Millisecond) {
		if stopped = s.sent.Load(); stopped == lines || time.Now().After(end) {
			t.Fatalf("the backend has sent %d lines of %d that nobody reads", stopped, lines)
		}
	}
	for i := range lines {
		if text := nextData(t, events); !strings.Contains(text, fmt.Sprintf(`"line %d x`, i)) {
			t.Fatalf("event %d is %.200s", i, text)
		}
	}
	if text := nextData(t, events); !strings.Contains(text, `"result":{`) {
		t.Errorf("at last comes %.200s", text)
	}
}

// TestMillionMessages: a million messages that are told of go through the whole bridge, in memory that does not grow with them.
func TestMillionMessages(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("a million messages take two seconds, and many times that with the race detector")
	}
	const (
		messages = 1_000_000
		bound    = 64 << 20 // the messages would take more than that if each were held in 64 bytes
	)
	word := &bridgev1.Progress{Message: "goes on"}
	said := &ordersv1.TrackOrderResponse{Event: &ordersv1.TrackOrderResponse_Progress{Progress: word}}
	s := &talkative{messages: messages, message: func(i int64) *ordersv1.TrackOrderResponse {
		word.Progress = float64(i)
		return said // which has been written when the next one is made
	}}
	before := held()
	events := bufio.NewReader(s.track(t, `,"progressToken":"p"`))
	var most uint64
	told, last := 0, ""
	for {
		text := nextData(t, events)
		if strings.Contains(text, `"result":{`) {
			break
		}
		told, most = told+1, max(most, held())
		last = text
	}
	if sent := s.sent.Load(); sent != messages {
		t.Errorf("%d messages were sent", sent)
	}
	if !strings.Contains(last, `"progress":999999`) {
		t.Errorf("after %d words the last is %.200s", told, last)
	}
	if told < 10 {
		t.Errorf("told %d times: what is held was not looked at often enough", told)
	}
	if grown := int64(most) - int64(before); grown > bound {
		t.Errorf("what is held has grown by %d bytes", grown)
	}
}

// held is what the program's memory has in it that is in use.
func held() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
