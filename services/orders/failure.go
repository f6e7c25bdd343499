package orders

import (
	"fmt"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/services/violation"
)

// resourceType is the type of an order in google.rpc.ResourceInfo.
const resourceType = "orders.example.com/Order"

func notFound(name string) error {
	return violation.With(status.Newf(codes.NotFound, "order %q does not exist", name), &errdetails.ResourceInfo{
		ResourceType: resourceType,
		ResourceName: name,
		Description:  "an order has the name with which PlaceOrder returned it",
	})
}

// refused says that the user does not want an order.
func refused(cents int64) error {
	st := status.Newf(codes.FailedPrecondition, "the user did not confirm an order of %s", money(cents))
	return violation.With(st, &errdetails.ErrorInfo{Reason: "NOT_CONFIRMED", Domain: "orders.example.com"}, &errdetails.PreconditionFailure{
		Violations: []*errdetails.PreconditionFailure_Violation{{
			Type: "CONFIRMATION", Subject: "user", Description: "place it again only when the user asks for it",
		}},
	})
}

func full() error {
	st := status.Newf(codes.ResourceExhausted, "the shop has taken %d orders, which is all it can", maxOrders)
	return violation.With(st, &errdetails.QuotaFailure{
		Violations: []*errdetails.QuotaFailure_Violation{{Subject: "orders", Description: "start the shop anew"}},
	})
}

// money writes cents as people do.
func money(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// path names the product of an item within a message.
func path(prefix string, i int) string { return fmt.Sprintf("%sitems[%d].sku", prefix, i) }
