package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/grpc"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/orders"
)

// asker is a shop that asks before it tells of an order, by the order's number, and writes the answer into the order's note. It
// says how far it has come with each track, and its exports are done after so many questions for them.
type asker struct {
	ordersv1.UnimplementedOrderServiceServer
	longrunningpb.UnimplementedOperationsServer
	calls atomic.Int64 // of GetOrder
	polls atomic.Int64
}

// Names of the orders that are asked about.
const (
	asksForm     = "orders/1"
	asksPage     = "orders/2"
	asksModel    = "orders/3"
	asksPlaces   = "orders/4"
	pollsOfOrder = 3
)

// questions are what it asks, by the order's name, under the key "q".
var questions = map[string]*bridgev1.InputRequest{
	asksForm:   ask.Form("q", "Sure?", ask.Bool("ok", ask.Required())),
	asksPage:   ask.URL("q", "Pay here", "https://example.com/pay"),
	asksModel:  ask.Sample("q", "Say goodbye.", 10),
	asksPlaces: ask.Roots("q"),
}

func (s *asker) Register(r grpc.ServiceRegistrar) {
	ordersv1.RegisterOrderServiceServer(r, s)
	longrunningpb.RegisterOperationsServer(r, s)
}

func (s *asker) GetOrder(ctx context.Context, r *ordersv1.GetOrderRequest) (*ordersv1.Order, error) {
	s.calls.Add(1)
	answers := ask.FromContext(ctx)
	if !answers.Has("q") {
		return nil, ask.RequireWithState([]byte("kept"), questions[r.GetName()])
	}
	note := fmt.Sprintf("%s: accepted %v", answers.State(), answers.Accepted("q"))
	if form, ok := answers.Form("q"); ok {
		note += fmt.Sprintf(", form %v", form.AsMap())
	}
	if text, ok := answers.Text("q"); ok {
		note += ", text " + text
	}
	if roots, ok := answers.Roots("q"); ok {
		note += ", root " + roots[0].GetUri()
	}
	return &ordersv1.Order{Name: r.GetName(), Note: note}, nil
}

func (*asker) TrackOrder(_ *ordersv1.TrackOrderRequest, stream grpc.ServerStreamingServer[ordersv1.TrackOrderResponse]) error {
	for _, value := range []float64{1, 2, 2, 1, 3} {
		word := &bridgev1.Progress{Progress: value, Total: new(3.0), Message: fmt.Sprintf("step %v", value)}
		if err := stream.Send(&ordersv1.TrackOrderResponse{Event: &ordersv1.TrackOrderResponse_Progress{Progress: word}}); err != nil {
			return err
		}
	}
	return nil
}

func (*asker) ExportOrders(context.Context, *ordersv1.ExportOrdersRequest) (*longrunningpb.Operation, error) {
	return &longrunningpb.Operation{Name: "operations/7"}, nil
}

func (s *asker) GetOperation(_ context.Context, r *longrunningpb.GetOperationRequest) (*longrunningpb.Operation, error) {
	return &longrunningpb.Operation{Name: r.GetName(), Done: s.polls.Add(1) >= pollsOfOrder}, nil
}

// dialogue is a client over stdio that can be asked for what can says, before an asker.
type dialogue struct {
	*pipe
	shop *asker
	can  string
}

// allCan are the capabilities of a client that can be asked for everything, and has tasks.
const allCan = `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// newDialogue begins one, with its handshake.
func newDialogue(t *testing.T, version, can string) *dialogue {
	t.Helper()
	shop := &asker{}
	conn := startServices(t, host.Described(shop, orders.DescriptorSet()))
	b := newBridge(t, []bridge.Backend{{Conn: conn}}, bridge.WithTasks(bridge.TaskOptions{PollInterval: 10 * time.Millisecond}))
	d := &dialogue{pipe: openPipe(t, b, version), shop: shop, can: can}
	if version != modern {
		d.ask(t, "initialize", strings.Replace(opening(version), `"capabilities":{}`, `"capabilities":`+can, 1)).wantResult(t)
		d.send(t, body(version, "", "notifications/initialized", "", ""))
	}
	return d
}

// begin sends a request; the modern metadata has more, which begins with a comma.
func (d *dialogue) begin(t *testing.T, method, params, more string) {
	t.Helper()
	d.nextID++
	text := body(d.version, fmt.Sprint(d.nextID), method, params, more)
	d.send(t, strings.Replace(text, `clientCapabilities":{}`, `clientCapabilities":`+d.can, 1))
}

// get asks for an order. more are other members of the params, and begin with a comma.
func (d *dialogue) get(t *testing.T, order, more string) message {
	t.Helper()
	d.begin(t, "tools/call", `{"name":"order_get_order","arguments":{"name":"`+order+`"}`+more+`}`, "")
	return d.next(t)
}

// asked is a question of the server.
type asked struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	id     json.RawMessage // legacy
	state  string          // modern
}

// question asks for an order and returns what the client is asked for that.
func (d *dialogue) question(t *testing.T, order string) asked {
	t.Helper()
	m := d.get(t, order, "")
	if d.version != modern {
		if m.Method == "" || m.ID == nil {
			t.Fatalf("%s is no request of the server: %+v", order, m)
		}
		return asked{Method: m.Method, Params: m.Params, id: m.ID}
	}
	return stateOf(t, m)
}

// stateOf reads the question in a result, with its state.
func stateOf(t *testing.T, m message) asked {
	t.Helper()
	m.wantResult(t, `"resultType":"input_required"`)
	var result struct {
		InputRequests map[string]asked
		RequestState  string
	}
	if err := json.Unmarshal(m.Result, &result); err != nil {
		t.Fatal(err)
	}
	q := result.InputRequests["q"]
	q.state = result.RequestState
	return q
}

// answer answers a question about an order with a result, and returns what comes then.
func (d *dialogue) answer(t *testing.T, q asked, order, result string) message {
	t.Helper()
	if d.version != modern {
		d.send(t, `{"jsonrpc":"2.0","id":`+string(q.id)+`,"result":`+result+`}`)
		return d.next(t)
	}
	return d.get(t, order, fmt.Sprintf(`,"requestState":%q,"inputResponses":{"q":%s}`, q.state, result))
}
