package orders

import (
	"context"
	"encoding/csv"
	"fmt"
	"strings"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"

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
	return s.operations.start(func(ctx context.Context, progress func(done, total int) error) (*ordersv1.ExportOrdersResponse, error) {
		return s.export(ctx, all, progress)
	})
}

// export writes orders, one each step.
func (s *Server) export(ctx context.Context, all []*ordersv1.Order, progress func(done, total int) error) (*ordersv1.ExportOrdersResponse, error) {
	var text strings.Builder
	w := csv.NewWriter(&text)
	rows := [][]string{{"name", "customer", "total", "state"}}
	for i, order := range all {
		if err := progress(i, len(all)); err != nil {
			return nil, err
		}
		if err := sleep(ctx, s.step); err != nil {
			return nil, err
		}
		rows = append(rows, []string{order.GetName(), order.GetCustomer(), money(order.GetTotalCents()), order.GetState().String()})
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, fmt.Errorf("write the orders: %w", err)
	}
	return &ordersv1.ExportOrdersResponse{Csv: text.String(), Orders: int32(len(all))}, nil
}
