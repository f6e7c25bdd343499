package orders

import (
	"errors"
	"fmt"
	"io"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"

	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

// maxImport bounds the orders of one import.
const maxImport = 1000

// ImportOrders places all orders of the stream, or none of them.
func (s *Server) ImportOrders(stream grpc.ClientStreamingServer[ordersv1.ImportOrdersRequest, ordersv1.ImportOrdersResponse]) error {
	var all []*ordersv1.ImportOrdersRequest
	for {
		req, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(all) == maxImport {
			return violation.Error(violation.Field("", "an import has at most %d orders: send the rest in another one", maxImport))
		}
		if err := check(len(all), req); err != nil {
			return err
		}
		all = append(all, req)
	}
	placed, err := s.place(all)
	if err != nil {
		return err
	}
	return stream.SendAndClose(placed)
}

// place places all orders of an import.
func (s *Server) place(all []*ordersv1.ImportOrdersRequest) (*ordersv1.ImportOrdersResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.orders)+len(all) > maxOrders {
		return nil, full()
	}
	placed := &ordersv1.ImportOrdersResponse{}
	for _, req := range all {
		placed.Orders = append(placed.Orders, s.put(req.GetCustomer(), req.GetItems(), ""))
	}
	return placed, nil
}

// check finds the faults of one order of an import.
func check(i int, req *ordersv1.ImportOrdersRequest) error {
	message := fmt.Sprintf("messages[%d]", i)
	if err := violation.Check(message, req); err != nil {
		return err
	}
	return anyOf(unknown(message+".", req.GetItems()))
}

// QuoteOrders answers each request as it comes.
func (s *Server) QuoteOrders(stream grpc.BidiStreamingServer[ordersv1.QuoteOrdersRequest, ordersv1.QuoteOrdersResponse]) error {
	for i := 0; ; i++ {
		req, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		message := fmt.Sprintf("messages[%d]", i)
		if err := violation.Check(message, req); err != nil {
			return err
		}
		if err := anyOf(unknown(message+".", req.GetItems())); err != nil {
			return err
		}
		cents := total(req.GetItems())
		if err := stream.Send(&ordersv1.QuoteOrdersResponse{TotalCents: cents, NeedsConfirmation: cents > threshold}); err != nil {
			return err
		}
	}
}

// anyOf is the error for faults, nil for none.
func anyOf(faults []*errdetails.BadRequest_FieldViolation) error {
	if len(faults) == 0 {
		return nil
	}
	return violation.Error(faults...)
}
