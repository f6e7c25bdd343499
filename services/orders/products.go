package orders

import (
	"slices"

	"google.golang.org/genproto/googleapis/rpc/errdetails"

	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

// products are what the shop has, by their codes.
func products() []*ordersv1.Product {
	return []*ordersv1.Product{
		{Sku: "DESK", Title: "Writing desk", PriceCents: 34900},
		{Sku: "KETTLE", Title: "Water kettle", PriceCents: 3495},
		{Sku: "LAMP", Title: "Reading lamp", PriceCents: 5900},
		{Sku: "SHELF", Title: "Bookshelf", PriceCents: 12900},
	}
}

// seed are the orders that a new server holds.
func seed() []*ordersv1.Order {
	return []*ordersv1.Order{
		{Customer: "Ada", Items: []*ordersv1.Item{{Sku: "LAMP", Quantity: 1}}},
		{Customer: "Grace", Items: []*ordersv1.Item{{Sku: "SHELF", Quantity: 2}, {Sku: "KETTLE", Quantity: 1}}},
	}
}

// price returns what one of a product costs, and whether there is such a product.
func price(sku string) (cents int64, known bool) {
	all := products()
	i := slices.IndexFunc(all, func(p *ordersv1.Product) bool { return p.GetSku() == sku })
	if i < 0 {
		return 0, false
	}
	return all[i].GetPriceCents(), true
}

// total returns what items cost together.
func total(items []*ordersv1.Item) int64 {
	var cents int64
	for _, item := range items {
		one, _ := price(item.GetSku())
		cents += one * int64(item.GetQuantity())
	}
	return cents
}

// unknown returns a fault for each item of which the shop has no product; prefix
// is the path of the message that holds the items, with a dot, or empty.
func unknown(prefix string, items []*ordersv1.Item) []*errdetails.BadRequest_FieldViolation {
	var faults []*errdetails.BadRequest_FieldViolation
	for i, item := range items {
		if _, known := price(item.GetSku()); !known {
			faults = append(faults, violation.Field(path(prefix, i), "there is no product %q: the list of products names those there are", item.GetSku()))
		}
	}
	return faults
}
