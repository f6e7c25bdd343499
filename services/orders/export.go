package orders

import (
	"context"
	"encoding/csv"
	"fmt"
	"strings"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/protobuf/proto"

	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

// ExportOrders begins an export and returns its operation, which goes on when the
// call has ended.
func (s *Server) ExportOrders(_ context.Context, req *ordersv1.ExportOrdersRequest) (*longrunningpb.Operation, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	all := s.all(req.GetCustomer())
	return s.operations.Start(func(ctx context.Context, say func(proto.Message) error) (proto.Message, error) {
		return s.export(ctx, all, say)
	})
}

// export writes orders, one each step.
func (s *Server) export(ctx context.Context, all []*ordersv1.Order, say func(proto.Message) error) (*ordersv1.ExportOrdersResponse, error) {
	var text strings.Builder
	w := csv.NewWriter(&text)
	rows := [][]string{{"name", "customer", "total", "state"}}
	done := func(n int) error { return say(&ordersv1.ExportOrdersMetadata{Done: int32(n), Total: int32(len(all))}) }
	if err := done(0); err != nil {
		return nil, err
	}
	for i, order := range all {
		if err := sleep(ctx, s.step); err != nil {
			return nil, err
		}
		rows = append(rows, []string{order.GetName(), order.GetCustomer(), money(order.GetTotalCents()), order.GetState().String()})
		if err := done(i + 1); err != nil {
			return nil, err
		}
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, fmt.Errorf("write the orders: %w", err)
	}
	return &ordersv1.ExportOrdersResponse{Csv: text.String(), Orders: int32(len(all))}, nil
}
