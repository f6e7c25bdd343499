package interaction_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
)

// TestEvents: the member of a oneof that is set last decides, and what comes in several places is one.
func TestEvents(t *testing.T) {
	t.Parallel()
	md := (*ordersv1.TrackOrderResponse)(nil).ProtoReflect().Descriptor()
	e := interaction.EventsOf(md)
	if e.None() || e.Only() {
		t.Fatal("the events of orders are not found")
	}
	for name, omitted := range map[string]bool{"step": false, "progress": true, "log": true} {
		if got := e.Omits(md.Fields().ByTextName(name)); got != omitted {
			t.Errorf("%s is omitted: %t", name, got)
		}
	}
	step := marshal(t, &ordersv1.TrackOrderResponse{Event: &ordersv1.TrackOrderResponse_Step{Step: &ordersv1.Step{Place: "here"}}})
	progress := marshal(t,
		&ordersv1.TrackOrderResponse{Event: &ordersv1.TrackOrderResponse_Progress{Progress: &bridgev1.Progress{Progress: 1}}})
	more := marshal(t, &ordersv1.TrackOrderResponse{Event: &ordersv1.TrackOrderResponse_Progress{Progress: &bridgev1.Progress{Message: "m"}}})
	line := marshal(t, &ordersv1.TrackOrderResponse{Event: &ordersv1.TrackOrderResponse_Log{Log: &bridgev1.Log{Message: "l"}}})
	for name, c := range map[string]struct {
		wire []byte
		want interaction.Event
	}{
		"data":                   {step, interaction.Event{}},
		"nothing":                {nil, interaction.Event{}},
		"progress":               {progress, interaction.Event{Progress: &bridgev1.Progress{Progress: 1}}},
		"progress in two places": {join(progress, more), interaction.Event{Progress: &bridgev1.Progress{Progress: 1, Message: "m"}}},
		"progress, then data":    {join(progress, step), interaction.Event{}},
		"data, then a line":      {join(step, line), interaction.Event{Log: &bridgev1.Log{Message: "l"}}},
		"a line, then progress":  {join(line, progress), interaction.Event{Progress: &bridgev1.Progress{Progress: 1}}},
		"progress and unknown fields": {
			join(progress, protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1)),
			interaction.Event{Progress: &bridgev1.Progress{Progress: 1}},
		},
		"progress that is a number": {protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 1), interaction.Event{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, is, err := e.Read(c.wire)
			if err != nil || is != (c.want.Progress != nil || c.want.Log != nil) ||
				!proto.Equal(got.Progress, c.want.Progress) || !proto.Equal(got.Log, c.want.Log) {
				t.Errorf("read %v, %t, %v; want %v", got, is, err, c.want)
			}
		})
	}
	if _, is, err := e.Read(protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), []byte{0xff})); !is || err == nil {
		t.Errorf("progress that cannot be read: %t, %v", is, err)
	}
}

// TestWholeEvents: a stream of nothing but events.
func TestWholeEvents(t *testing.T) {
	t.Parallel()
	e := interaction.EventsOf((*bridgev1.Log)(nil).ProtoReflect().Descriptor())
	event, is, err := e.Read(marshal(t, &bridgev1.Log{Message: "l"}))
	if !e.Only() || !is || err != nil || event.Log.GetMessage() != "l" {
		t.Errorf("read %v, %t, %v", event, is, err)
	}
	if e := interaction.EventsOf((*ordersv1.Order)(nil).ProtoReflect().Descriptor()); !e.None() {
		t.Error("an order has events")
	}
}

// TestAppendResponses puts answers into the field of a request.
func TestAppendResponses(t *testing.T) {
	t.Parallel()
	in := &bridgev1.InputResponses{Responses: []*bridgev1.InputResponse{{Key: "k"}}, State: []byte("s")}
	fd := (*ordersv1.PlaceOrderRequest)(nil).ProtoReflect().Descriptor().Fields().ByTextName("answers")
	wire, err := interaction.AppendResponses(marshal(t, &ordersv1.PlaceOrderRequest{Customer: "Ada"}), fd, in)
	if err != nil {
		t.Fatal(err)
	}
	got := &ordersv1.PlaceOrderRequest{}
	if err := proto.Unmarshal(wire, got); err != nil || !proto.Equal(got, &ordersv1.PlaceOrderRequest{Customer: "Ada", Answers: in}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func marshal(t *testing.T, m proto.Message) []byte {
	t.Helper()
	wire, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return wire
}

func join(a, b []byte) []byte { return append(append([]byte(nil), a...), b...) }
