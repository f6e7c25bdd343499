package main

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	benchv1 "github.com/mcpgrpc/bridge/tools/bench/gen/bench/v1"
)

// size is one of the sizes of a call: the order that is sent and given back.
type size struct {
	name  string
	items int
	// longer is how many times longer a cell lasts, so that slow calls are enough.
	longer int
}

// sizes are about 250 bytes, 1.7 KB and 100 KB of JSON each way.
var sizes = []size{{"small", 1, 1}, {"medium", 13, 1}, {"large", 820, 2}}

// sizeNamed finds one of sizes.
func sizeNamed(name string) (size, error) {
	if i := slices.IndexFunc(sizes, func(s size) bool { return s.name == name }); i >= 0 {
		return sizes[i], nil
	}
	return size{}, fmt.Errorf("no size is called %q", name)
}

// order is the message of the size, the same each time. Every field is set, so that it makes no difference who leaves out what.
func (s size) order() *benchv1.Order {
	o := &benchv1.Order{
		Name: "orders/8f14", Number: 9007199254740993, Status: benchv1.Status_STATUS_PAID,
		CreateTime: timestamppb.New(time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)), Labels: map[string]string{"via": "web"},
	}
	for i := range s.items {
		o.Items = append(o.Items, &benchv1.Item{
			Sku: fmt.Sprintf("A-%03d", i), Title: `Pot "Grün"`, Quantity: int32(i%7) + 1, Price: 12.5 + float64(i%40)/4,
			Serial: 9007199254740993 + int64(i), Stocked: true, Tags: []string{"new"},
		})
	}
	return o
}

// json is the order as ProtoJSON, without white space.
func (s size) json() ([]byte, error) { return compact(s.order()) }

// sameOrder reports how got, ProtoJSON, differs from the order of the size: an error unless they are equal.
func (s size) sameOrder(got []byte) error {
	o := new(benchv1.Order)
	if err := protojson.Unmarshal(got, o); err != nil {
		return fmt.Errorf("the answer is no order: %w", err)
	}
	if !proto.Equal(o, s.order()) {
		return fmt.Errorf("the answer is another order than the one that was sent")
	}
	return nil
}
