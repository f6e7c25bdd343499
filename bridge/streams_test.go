package bridge_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/orders"
)

// tracker is a shop that only tracks orders, by sending some events and then ending with err.
type tracker struct {
	ordersv1.UnimplementedOrderServiceServer

	events []*ordersv1.TrackOrderResponse
	err    error
}

// Register implements host.Service.
func (s *tracker) Register(r grpc.ServiceRegistrar) { ordersv1.RegisterOrderServiceServer(r, s) }

// TrackOrder sends the events.
func (s *tracker) TrackOrder(_ *ordersv1.TrackOrderRequest, stream grpc.ServerStreamingServer[ordersv1.TrackOrderResponse]) error {
	for _, event := range s.events {
		if err := stream.Send(event); err != nil {
			return err
		}
	}
	return s.err
}

// track returns a bridge before the tracker.
func track(t *testing.T, s *tracker) *bridge.Bridge {
	t.Helper()
	return newBridge(t, []bridge.Backend{{Conn: startServices(t, host.Described(s, orders.DescriptorSet()))}})
}

// step is an event that is data.
func step() *ordersv1.TrackOrderResponse {
	return &ordersv1.TrackOrderResponse{Event: &ordersv1.TrackOrderResponse_Step{Step: &ordersv1.Step{Place: "shop"}}}
}

// TestStreamThatFailsAfterData: what a backend says at the end of a stream is its own, whatever the code; the data comes with it.
func TestStreamThatFailsAfterData(t *testing.T) {
	t.Parallel()
	question := ask.Require(ask.Form("sure", "Are you sure?", ask.Bool("yes")))
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"a deadline of the backend's own", status.Error(codes.DeadlineExceeded, "the carrier is slow"), "DEADLINE_EXCEEDED"},
		{"a question that comes late", question, "asks something after it has begun"},
	} {
		for _, version := range revisions {
			t.Run(c.name+"/"+version, func(t *testing.T) {
				t.Parallel()
				client := httpClient(t, serveHTTP(t, track(t, &tracker{events: []*ordersv1.TrackOrderResponse{step()}, err: c.err})), version)
				got := client.call(t, "order_track_order", `{"name":"orders/1"}`)
				text := fmt.Sprint(got.Content)
				if !got.IsError || !strings.Contains(text, c.want) || !strings.Contains(text, `"place":"shop"`) || strings.Contains(text, "not_executed") {
					t.Errorf("the result is %+v", got)
				}
			})
		}
	}
}

// TestLongWords: what a backend says beside its data is cut, however long it is.
func TestLongWords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	b := track(t, &tracker{events: []*ordersv1.TrackOrderResponse{
		{Event: &ordersv1.TrackOrderResponse_Log{Log: &bridgev1.Log{Message: long, Logger: long}}},
		{Event: &ordersv1.TrackOrderResponse_Log{Log: &bridgev1.Log{Data: structpb.NewStringValue(long)}}},
		{Event: &ordersv1.TrackOrderResponse_Progress{Progress: &bridgev1.Progress{Progress: 1, Message: long}}},
		step(),
	}})
	p := (&stage{bridge: b}).stdio(t, modern)
	p.send(t, string((&client{version: modern}).message(t, 7, "tools/call", map[string]any{
		"name": "order_track_order", "arguments": map[string]any{"name": "orders/1"},
		"_meta": map[string]any{"progressToken": "p", "io.modelcontextprotocol/logLevel": "debug"},
	})))
	for n := 0; ; n++ {
		line := <-p.lines
		if len(line) > 80<<10 {
			t.Errorf("a line of %d bytes: %.100s", len(line), line)
		}
		if strings.Contains(line, `"id":7`) {
			if n < 3 || strings.Contains(line, "isError") {
				t.Errorf("after %d notifications: %.300s", n, line)
			}
			return
		}
	}
}
