package orders

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

// threshold is what an order may cost, in cents, without the user being asked.
const threshold = 50_000

// confirmation is the key of the question, and noteField the field of its form
// that is no yes or no.
const (
	confirmation = "confirmation"
	agreeField   = "agree"
	noteField    = "note"
)

// PlaceOrder places an order, and asks the user first where it costs more than
// threshold. A confirmation can come more than once, as answers do whose reply was
// lost: it places one order.
func (s *Server) PlaceOrder(_ context.Context, req *ordersv1.PlaceOrderRequest) (*ordersv1.Order, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	if faults := unknown("", req.GetItems()); len(faults) > 0 {
		return nil, violation.Error(faults...)
	}
	note, key := "", ""
	if cents := total(req.GetItems()); cents > threshold {
		answers := ask.From(req.GetAnswers())
		if !answers.Has(confirmation) {
			return nil, ask.RequireWithState([]byte(rand.Text()), question(req, cents))
		}
		form, _ := answers.Form(confirmation)
		if !answers.Accepted(confirmation) || !form.GetFields()[agreeField].GetBoolValue() {
			return nil, refused(cents)
		}
		note, key = form.GetFields()[noteField].GetStringValue(), string(answers.State())
	}
	return s.placeOnce(req, note, key)
}

// placeOnce places an order, or returns the one that was placed by the same key; ""
// is the key of none.
func (s *Server) placeOnce(req *ordersv1.PlaceOrderRequest, note, key string) (*ordersv1.Order, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name, ok := s.confirmed[key]; ok {
		i := slices.IndexFunc(s.orders, func(o *ordersv1.Order) bool { return o.GetName() == name })
		return proto.CloneOf(s.orders[i]), nil
	}
	if len(s.orders) >= maxOrders {
		return nil, full()
	}
	order := s.put(req.GetCustomer(), req.GetItems(), note)
	if key != "" {
		s.confirmed[key] = order.GetName()
	}
	return order, nil
}

// question asks the user to confirm an order.
func question(req *ordersv1.PlaceOrderRequest, cents int64) *bridgev1.InputRequest {
	return ask.Form(confirmation, fmt.Sprintf("Place an order for %s that costs %s?", req.GetCustomer(), money(cents)),
		ask.Bool(agreeField, ask.Title("Place the order"), ask.Required()),
		ask.String(noteField, ask.Title("A note for the shop")))
}
