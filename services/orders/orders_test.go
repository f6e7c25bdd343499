package orders_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/orders"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clients are clients of both services of one shop.
type clients struct {
	ordersv1.OrderServiceClient
	longrunningpb.OperationsClient
}

// dial serves a shop in memory, whose steps take a millisecond unless an option says otherwise.
func dial(t *testing.T, opts ...orders.Option) clients {
	t.Helper()
	lis := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	shop := orders.New(append([]orders.Option{orders.WithStep(time.Millisecond)}, opts...)...)
	shop.Register(server)
	served := make(chan error, 1)
	go func() { served <- server.Serve(lis) }()
	conn, err := grpc.NewClient("passthrough:///memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		server.Stop()
		<-served
		shop.Close()
	})
	return clients{ordersv1.NewOrderServiceClient(conn), longrunningpb.NewOperationsClient(conn)}
}

// wantCode fails unless an error has a code and its message a part.
func wantCode(t *testing.T, err error, code codes.Code, part string) {
	t.Helper()
	if st := status.Convert(err); st.Code() != code || !strings.Contains(st.Message(), part) {
		t.Fatalf("got %v, want %v with %q", err, code, part)
	}
}

func items(pairs ...any) []*ordersv1.Item {
	var all []*ordersv1.Item
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, &ordersv1.Item{Sku: pairs[i].(string), Quantity: int32(pairs[i+1].(int))})
	}
	return all
}

func TestPlaceOrder(t *testing.T) {
	t.Parallel()
	c := dial(t)
	order, err := c.PlaceOrder(t.Context(), &ordersv1.PlaceOrderRequest{Customer: "Ada", Items: items("LAMP", 2)})
	if err != nil {
		t.Fatal(err)
	}
	if order.GetName() != "orders/1003" || order.GetTotalCents() != 11800 {
		t.Errorf("placed %v", order)
	}
	if got, err := c.GetOrder(t.Context(), &ordersv1.GetOrderRequest{Name: order.GetName()}); err != nil || !proto.Equal(got, order) {
		t.Errorf("got %v, %v", got, err)
	}
	_, err = c.GetOrder(t.Context(), &ordersv1.GetOrderRequest{Name: "orders/1"})
	wantCode(t, err, codes.NotFound, `order "orders/1" does not exist`)
	_, err = c.PlaceOrder(t.Context(), &ordersv1.PlaceOrderRequest{Customer: "Ada", Items: items("LAMP", 1, "BOAT", 1)})
	wantCode(t, err, codes.InvalidArgument, `items[1].sku: there is no product "BOAT"`)
	_, err = c.PlaceOrder(t.Context(), &ordersv1.PlaceOrderRequest{Items: items("LAMP", 0)})
	wantCode(t, err, codes.InvalidArgument, "items[0].quantity")
}

// TestPlaceOrderAsks places an order above what goes without asking: the question comes first, and what the user answers
// decides.
func TestPlaceOrderAsks(t *testing.T) {
	t.Parallel()
	c := dial(t)
	req := &ordersv1.PlaceOrderRequest{Customer: "Ada", Items: items("DESK", 2)}
	_, err := c.PlaceOrder(t.Context(), req)
	wantCode(t, err, codes.FailedPrecondition, "confirmation")
	asked, _ := status.Convert(err).Details()[0].(*bridgev1.InputRequired)
	if len(asked.GetRequests()) != 1 {
		t.Fatalf("asked %v", status.Convert(err).Details())
	}
	q := asked.GetRequests()[0]
	if q.GetKey() != "confirmation" || q.GetForm().GetMessage() != "Place an order for Ada that costs 698.00?" {
		t.Errorf("asked %v", q)
	}
	want := `{"type":"object","properties":{"agree":{"type":"boolean","title":"Place the order"},` +
		`"note":{"type":"string","title":"A note for the shop"}},"required":["agree"]}`
	if diff := cmp.Diff(want, q.GetForm().GetRequestedSchema()); diff != "" {
		t.Error(diff)
	}
	for name, answer := range map[string]*bridgev1.ElicitationResult{
		"declined":  {Action: bridgev1.ElicitationAction_ELICITATION_ACTION_DECLINE},
		"cancelled": {Action: bridgev1.ElicitationAction_ELICITATION_ACTION_CANCEL},
		"no":        accepted(t, map[string]any{"agree": false}),
	} {
		req.Answers = answers(answer)
		_, err := c.PlaceOrder(t.Context(), req)
		wantCode(t, err, codes.FailedPrecondition, "did not confirm")
		if asks := status.Convert(err).Details()[0]; !strings.Contains(fmt.Sprint(asks), "NOT_CONFIRMED") {
			t.Errorf("%s: %v", name, asks)
		}
	}
	req.Answers = answers(accepted(t, map[string]any{"agree": true, "note": "ring twice"}))
	order, err := c.PlaceOrder(t.Context(), req)
	if err != nil || order.GetNote() != "ring twice" || order.GetName() != "orders/1003" {
		t.Errorf("placed %v, %v", order, err)
	}
}

// TestConfirmedTwice: the answers to one question place one order, however often they come; those to another place another.
func TestConfirmedTwice(t *testing.T) {
	t.Parallel()
	c := dial(t)
	var placed []string
	for range 2 {
		req := &ordersv1.PlaceOrderRequest{Customer: "Ada", Items: items("DESK", 2)}
		_, err := c.PlaceOrder(t.Context(), req)
		asked, _ := status.Convert(err).Details()[0].(*bridgev1.InputRequired)
		if len(asked.GetState()) < 16 {
			t.Fatalf("asked with the key %q", asked.GetState())
		}
		req.Answers = answers(accepted(t, map[string]any{"agree": true}))
		req.Answers.State = asked.GetState()
		for range 2 {
			order, err := c.PlaceOrder(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			placed = append(placed, order.GetName())
		}
	}
	if want := []string{"orders/1003", "orders/1003", "orders/1004", "orders/1004"}; !cmp.Equal(want, placed) {
		t.Errorf("placed %v", placed)
	}
}

func answers(result *bridgev1.ElicitationResult) *bridgev1.InputResponses {
	return &bridgev1.InputResponses{Responses: []*bridgev1.InputResponse{{
		Key: "confirmation", Response: &bridgev1.InputResponse_Elicitation{Elicitation: result},
	}}}
}

func accepted(t *testing.T, content map[string]any) *bridgev1.ElicitationResult {
	t.Helper()
	fields, err := structpb.NewStruct(content)
	if err != nil {
		t.Fatal(err)
	}
	return &bridgev1.ElicitationResult{Action: bridgev1.ElicitationAction_ELICITATION_ACTION_ACCEPT, Content: fields}
}

func TestTrackOrder(t *testing.T) {
	t.Parallel()
	c := dial(t)
	var first []string
	for range 2 { // the second time all is behind the order
		stream, err := c.TrackOrder(t.Context(), &ordersv1.TrackOrderRequest{Name: "orders/1001"})
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for {
			m, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			switch e := m.GetEvent().(type) {
			case *ordersv1.TrackOrderResponse_Step:
				told = append(told, e.Step.GetState().String()+" "+e.Step.GetPlace())
			case *ordersv1.TrackOrderResponse_Progress:
				told = append(told, e.Progress.GetMessage())
			}
		}
		if first != nil && !cmp.Equal(first, told) {
			t.Error(cmp.Diff(first, told))
		}
		first = told
	}
	if len(first) != 8 || first[7] != "ORDER_STATE_DELIVERED front door" {
		t.Errorf("told %q", first)
	}
	if order, err := c.GetOrder(t.Context(), &ordersv1.GetOrderRequest{Name: "orders/1001"}); err != nil ||
		order.GetState() != ordersv1.OrderState_ORDER_STATE_DELIVERED {
		t.Errorf("order %v, %v", order, err)
	}
}

func TestImportOrders(t *testing.T) {
	t.Parallel()
	c := dial(t)
	send := func(all ...*ordersv1.ImportOrdersRequest) (*ordersv1.ImportOrdersResponse, error) {
		stream, err := c.ImportOrders(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, req := range all {
			if stream.Send(req) != nil { // CloseAndRecv tells why
				break
			}
		}
		return stream.CloseAndRecv()
	}
	good := &ordersv1.ImportOrdersRequest{Customer: "Ada", Items: items("LAMP", 1)}
	placed, err := send(good, good)
	if err != nil || len(placed.GetOrders()) != 2 || placed.GetOrders()[1].GetName() != "orders/1004" {
		t.Errorf("placed %v, %v", placed, err)
	}
	_, err = send(good, &ordersv1.ImportOrdersRequest{Customer: "Ada", Items: items("BOAT", 1)})
	wantCode(t, err, codes.InvalidArgument, `messages[1].items[0].sku: there is no product "BOAT"`)
	if _, err := c.GetOrder(t.Context(), &ordersv1.GetOrderRequest{Name: "orders/1005"}); status.Code(err) != codes.NotFound {
		t.Errorf("a part of a faulty import is placed: %v", err)
	}
}

func TestQuoteOrders(t *testing.T) {
	t.Parallel()
	stream, err := dial(t).QuoteOrders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []*ordersv1.QuoteOrdersResponse{{TotalCents: 5900}, {TotalCents: 69800, NeedsConfirmation: true}} {
		q := items("LAMP", 1)
		if want.GetNeedsConfirmation() {
			q = items("DESK", 2)
		}
		if err := stream.Send(&ordersv1.QuoteOrdersRequest{Items: q}); err != nil {
			t.Fatal(err)
		}
		if got, err := stream.Recv(); err != nil || !proto.Equal(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("the end is %v", err)
	}
}

func TestExportOrders(t *testing.T) {
	t.Parallel()
	c := dial(t)
	op, err := c.ExportOrders(t.Context(), &ordersv1.ExportOrdersRequest{Customer: "ada"})
	if err != nil || op.GetDone() {
		t.Fatalf("began %v, %v", op, err)
	}
	op, err = c.WaitOperation(t.Context(), &longrunningpb.WaitOperationRequest{Name: op.GetName(), Timeout: durationpb.New(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	var far ordersv1.ExportOrdersMetadata
	if err := op.GetMetadata().UnmarshalTo(&far); err != nil || far.GetDone() != 1 || far.GetTotal() != 1 {
		t.Errorf("when it is done it says %v, %v", &far, err)
	}
	var result ordersv1.ExportOrdersResponse
	if err := op.GetResponse().UnmarshalTo(&result); err != nil {
		t.Fatal(err)
	}
	if want := "name,customer,total,state\norders/1001,Ada,59.00,ORDER_STATE_PLACED\n"; result.GetCsv() != want || result.GetOrders() != 1 {
		t.Errorf("exported %v", &result)
	}
	_, err = c.GetOperation(t.Context(), &longrunningpb.GetOperationRequest{Name: "operations/9"})
	wantCode(t, err, codes.NotFound, `"operations/9"`)
}

// TestCancelOperation cancels an export that would take an hour for each order.
func TestCancelOperation(t *testing.T) {
	t.Parallel()
	c := dial(t, orders.WithStep(time.Hour))
	op, err := c.ExportOrders(t.Context(), &ordersv1.ExportOrdersRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CancelOperation(t.Context(), &longrunningpb.CancelOperationRequest{Name: op.GetName()}); err != nil {
		t.Fatal(err)
	}
	op, err = c.WaitOperation(t.Context(), &longrunningpb.WaitOperationRequest{Name: op.GetName()})
	if err != nil || codes.Code(op.GetError().GetCode()) != codes.Canceled {
		t.Errorf("ended as %v, %v", op, err)
	}
}

// TestDescriptorSet shows that the set stands alone and is that of the generated code.
func TestDescriptorSet(t *testing.T) {
	t.Parallel()
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(orders.DescriptorSet(), &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	file, err := files.FindFileByPath("orders/v1/orders.proto")
	if err != nil {
		t.Fatal(err)
	}
	embedded, generated := protodesc.ToFileDescriptorProto(file), protodesc.ToFileDescriptorProto(ordersv1.File_orders_v1_orders_proto)
	embedded.SourceCodeInfo = nil
	if !proto.Equal(embedded, generated) {
		t.Error("the embedded descriptor differs from the generated one; run make generate")
	}
}
