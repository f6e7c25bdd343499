package orders

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

// steps are the way of every order.
var steps = []*ordersv1.Step{
	{State: ordersv1.OrderState_ORDER_STATE_PLACED, Place: "shop"},
	{State: ordersv1.OrderState_ORDER_STATE_PACKED, Place: "warehouse"},
	{State: ordersv1.OrderState_ORDER_STATE_SHIPPED, Place: "on the road"},
	{State: ordersv1.OrderState_ORDER_STATE_DELIVERED, Place: "front door"},
}

// TrackOrder sends the steps of an order, and before each how far it has come.
// Those that are behind the order are sent at once.
func (s *Server) TrackOrder(req *ordersv1.TrackOrderRequest, stream grpc.ServerStreamingServer[ordersv1.TrackOrderResponse]) error {
	if err := violation.Check("", req); err != nil {
		return err
	}
	order, err := s.find(req.GetName())
	if err != nil {
		return err
	}
	for i, step := range steps {
		if step.GetState() > order.GetState() {
			if err := sleep(stream.Context(), s.step); err != nil {
				return err
			}
			s.move(order.GetName(), step.GetState())
		}
		for _, event := range told(i, step) {
			if err := stream.Send(event); err != nil {
				return err
			}
		}
	}
	return nil
}

// told are the messages for a step.
func told(i int, step *ordersv1.Step) []*ordersv1.TrackOrderResponse {
	return []*ordersv1.TrackOrderResponse{
		{Event: &ordersv1.TrackOrderResponse_Progress{Progress: &bridgev1.Progress{
			Progress: float64(i + 1), Total: new(float64(len(steps))), Message: step.GetPlace(),
		}}},
		{Event: &ordersv1.TrackOrderResponse_Log{Log: &bridgev1.Log{Logger: "carrier", Message: "arrived: " + step.GetPlace()}}},
		{Event: &ordersv1.TrackOrderResponse_Step{Step: step}},
	}
}

// sleep waits, or says that the caller has gone.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}
