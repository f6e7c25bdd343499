// Package orders is a sample backend: a small shop, held in memory, served as
// orders.v1.OrderService. It has each kind of method that gRPC has, says how far
// it has come, asks the user before it spends much, and has an operation of
// google.longrunning.
package orders

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/operation"
	"github.com/mcpgrpc/bridge/services/violation"
)

const (
	// maxOrders bounds what callers can make the server hold.
	maxOrders = 10_000
	// firstOrder is the number of the first order.
	firstOrder = 1001
	// defaultStep is the time between two steps of an order on its way.
	defaultStep = 500 * time.Millisecond
)

// Server implements orders.v1.OrderService and google.longrunning.Operations. It
// is safe for concurrent use; what it holds is gone when it is. Every error is a
// gRPC status with details.
type Server struct {
	ordersv1.UnimplementedOrderServiceServer

	now  func() time.Time
	step time.Duration

	mu sync.RWMutex
	// orders are those placed, by number from firstOrder on. A stored order is never
	// modified, only replaced.
	orders []*ordersv1.Order
	// confirmed are the names of the orders that the user has confirmed, by the key
	// that went with the question: there are no more of them than orders.
	confirmed map[string]string

	operations *operation.Store
}

// Option changes how a Server is made.
type Option func(*Server)

// WithClock makes the server take create times from now, which must be safe for
// concurrent use. The default is time.Now.
func WithClock(now func() time.Time) Option {
	return func(s *Server) { s.now = now }
}

// WithStep sets the time between two steps: of an order on its way, and between
// the orders that an export writes. The default is half a second.
func WithStep(d time.Duration) Option {
	return func(s *Server) { s.step = d }
}

// New returns a server that holds two orders. Close it when nobody calls it any
// more, to end the exports that run.
func New(opts ...Option) *Server {
	s := &Server{now: time.Now, step: defaultStep, confirmed: map[string]string{}, operations: operation.New()}
	for _, opt := range opts {
		opt(s)
	}
	for _, order := range seed() {
		s.add(order.GetCustomer(), order.GetItems(), "")
	}
	return s
}

// Close ends the exports that run and waits for them.
func (s *Server) Close() { s.operations.Close() }

// Register adds both services to a gRPC server that does not serve yet.
func (s *Server) Register(registrar grpc.ServiceRegistrar) {
	ordersv1.RegisterOrderServiceServer(registrar, s)
	s.operations.Register(registrar)
}

// ListProducts returns all products.
func (s *Server) ListProducts(context.Context, *ordersv1.ListProductsRequest) (*ordersv1.ListProductsResponse, error) {
	return &ordersv1.ListProductsResponse{Products: products()}, nil
}

// GetOrder returns the order with a name, or NOT_FOUND.
func (s *Server) GetOrder(_ context.Context, req *ordersv1.GetOrderRequest) (*ordersv1.Order, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	return s.find(req.GetName())
}

// find returns a copy of an order.
func (s *Server) find(name string) (*ordersv1.Order, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, order := range s.orders {
		if order.GetName() == name {
			return proto.CloneOf(order), nil
		}
	}
	return nil, notFound(name)
}

// all returns copies of the orders of a customer, of all with "".
func (s *Server) all(customer string) []*ordersv1.Order {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var found []*ordersv1.Order
	for _, order := range s.orders {
		if customer == "" || strings.EqualFold(order.GetCustomer(), customer) {
			found = append(found, proto.CloneOf(order))
		}
	}
	return found
}

// add places an order, whose items are known, and returns a copy of it.
func (s *Server) add(customer string, items []*ordersv1.Item, note string) *ordersv1.Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(customer, items, note)
}

// put is add for a caller that holds mu.
func (s *Server) put(customer string, items []*ordersv1.Item, note string) *ordersv1.Order {
	order := &ordersv1.Order{
		Name:       fmt.Sprintf("orders/%d", firstOrder+len(s.orders)),
		Customer:   customer,
		Items:      items,
		TotalCents: total(items),
		Note:       note,
		State:      ordersv1.OrderState_ORDER_STATE_PLACED,
		CreateTime: timestamppb.New(s.now()),
	}
	s.orders = append(s.orders, order)
	return proto.CloneOf(order)
}

// move sets how far an order has come, which never goes back.
func (s *Server) move(name string, state ordersv1.OrderState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.orders, func(o *ordersv1.Order) bool { return o.GetName() == name })
	if i < 0 || s.orders[i].GetState() >= state {
		return
	}
	moved := proto.CloneOf(s.orders[i])
	moved.State = state
	s.orders[i] = moved
}
