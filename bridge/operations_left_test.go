package bridge_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/mcpgrpc/bridge/bridge"
	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/orders"
)

// lasting is a shop whose one operation never ends. It tells of each time that it is asked for, and of each that it is cancelled.
type lasting struct {
	ordersv1.UnimplementedOrderServiceServer
	longrunningpb.UnimplementedOperationsServer
	asked, cancelled chan string
}

func newLasting() *lasting {
	return &lasting{asked: make(chan string, 1024), cancelled: make(chan string, 16)}
}

func (s *lasting) Register(r grpc.ServiceRegistrar) {
	ordersv1.RegisterOrderServiceServer(r, s)
	longrunningpb.RegisterOperationsServer(r, s)
}

func (s *lasting) ExportOrders(context.Context, *ordersv1.ExportOrdersRequest) (*longrunningpb.Operation, error) {
	return &longrunningpb.Operation{Name: "operations/7"}, nil
}

func (s *lasting) GetOperation(_ context.Context, r *longrunningpb.GetOperationRequest) (*longrunningpb.Operation, error) {
	s.asked <- r.GetName()
	return &longrunningpb.Operation{Name: r.GetName()}, nil
}

func (s *lasting) CancelOperation(_ context.Context, r *longrunningpb.CancelOperationRequest) (*emptypb.Empty, error) {
	s.cancelled <- r.GetName()
	return &emptypb.Empty{}, nil
}

// exporting is a bridge before it, and its URL.
func (s *lasting) exporting(t *testing.T, deadline, ttl time.Duration) (b *bridge.Bridge, url string) {
	t.Helper()
	conn := startServices(t, host.Described(s, orders.DescriptorSet()))
	bounds := bridge.TaskOptions{TTL: ttl, PollInterval: 10 * time.Millisecond}
	b = newBridge(t, []bridge.Backend{{Conn: conn, Deadline: deadline}}, bridge.WithTasks(bounds))
	return b, serveHTTP(t, b)
}

// wantCancelled waits until the operation has been cancelled.
func (s *lasting) wantCancelled(t *testing.T) {
	t.Helper()
	select {
	case name := <-s.cancelled:
		if name != "operations/7" {
			t.Errorf("cancelled is %s", name)
		}
	case <-time.After(patience):
		t.Fatal("the operation goes on")
	}
}

// goesOn wants the operation not to have been cancelled, by what has ended by now.
func (s *lasting) goesOn(t *testing.T) {
	t.Helper()
	select {
	case name := <-s.cancelled:
		t.Errorf("%s was cancelled", name)
	default:
	}
}

// export begins an operation, as a task if the client has them.
func export(t *testing.T, url string, can map[string]any) state {
	t.Helper()
	c := httpClient(t, url, modern)
	c.can = can
	return c.task(t, "tools/call", map[string]any{"name": "order_export_orders", "arguments": map[string]any{}})
}

// TestOperationsWhoseClientIsGone: an operation that nobody waits for any more is cancelled at its backend.
func TestOperationsWhoseClientIsGone(t *testing.T) {
	t.Parallel()
	t.Run("modern client leaves", func(t *testing.T) {
		t.Parallel()
		s := newLasting()
		_, url := s.exporting(t, time.Hour, time.Hour)
		c := httpClient(t, url, modern)
		conn := c.start(t, url, "tools/call", map[string]any{"name": "order_export_orders", "arguments": map[string]any{}})
		<-s.asked
		conn.Close()
		s.wantCancelled(t)
	})
	for _, version := range legacyRevisions {
		t.Run(version+" client cancels", func(t *testing.T) {
			t.Parallel()
			s := newLasting()
			_, url := s.exporting(t, time.Hour, time.Hour)
			c := httpClient(t, url, version)
			c.start(t, url, "tools/call", map[string]any{"name": "order_export_orders", "arguments": map[string]any{}})
			<-s.asked
			c.notify(t, "notifications/cancelled", map[string]any{"requestId": c.nextID})
			s.wantCancelled(t)
		})
	}
	t.Run("time of the task is over", func(t *testing.T) {
		t.Parallel()
		s := newLasting()
		_, url := s.exporting(t, time.Hour, time.Second)
		export(t, url, withTasks)
		s.wantCancelled(t)
	})
}

// TestOperationsThatGoOn: one whose call has had its time, and one of a bridge that stops, are not cancelled.
func TestOperationsThatGoOn(t *testing.T) {
	t.Parallel()
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		s := newLasting()
		_, url := s.exporting(t, 300*time.Millisecond, time.Hour)
		got := httpClient(t, url, "2025-11-25").call(t, "order_export_orders", `{}`)
		if got.IsError || !strings.Contains(got.Content[0].Text, `"done":false`) {
			t.Errorf("the result is %+v", got)
		}
		s.goesOn(t)
	})
	t.Run("bridge stops", func(t *testing.T) {
		t.Parallel()
		s := newLasting()
		b, url := s.exporting(t, time.Hour, time.Hour)
		began := export(t, url, withTasks)
		<-s.asked
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		s.goesOn(t)
		next, nextURL := s.exporting(t, time.Hour, time.Hour)
		c := httpClient(t, nextURL, modern)
		c.can = withTasks
		if r := c.request(t, "tasks/get", map[string]any{"taskId": began.TaskID}); r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("another process knows it: %+v", r)
		}
		got := httpClient(t, serveHTTP(t, next), modern).call(t, "operations_get_operation", `{"name":"operations/7"}`)
		if got.IsError || !strings.Contains(string(got.StructuredContent), "operations/7") {
			t.Errorf("the operation is not found: %+v", got)
		}
	})
}
