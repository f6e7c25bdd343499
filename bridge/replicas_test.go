package bridge_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/orders"
)

// TestReplicasGoOn: a call whose backend asks is answered by one replica and goes on at another that has the same key; one with
// another key refuses what it did not seal.
func TestReplicasGoOn(t *testing.T) {
	t.Parallel()
	conn := startServices(t, host.Described(orders.New(), orders.DescriptorSet()))
	replica := func(key byte) *client {
		b := newBridge(t, []bridge.Backend{{Conn: conn}}, bridge.WithStateKeys(bytes.Repeat([]byte{key}, 32)))
		c := httpClient(t, serveHTTP(t, b), modern)
		c.can = map[string]any{"elicitation": map[string]any{"form": map[string]any{}}}
		return c
	}
	params := map[string]any{"name": "order_place_order", "arguments": map[string]any{
		"customer": "Ada", "items": []any{map[string]any{"sku": "DESK", "quantity": 3}},
	}}
	var asked struct {
		ResultType    string
		RequestState  string
		InputRequests map[string]any
	}
	r := replica(1).request(t, "tools/call", params)
	if err := json.Unmarshal(r.Result, &asked); err != nil || asked.ResultType != "input_required" || len(asked.InputRequests) != 1 {
		t.Fatalf("asked %s: %v", r.Result, r.Error)
	}
	answers := map[string]any{}
	for key := range asked.InputRequests {
		answers[key] = map[string]any{"action": "decline"}
	}
	params["requestState"], params["inputResponses"] = asked.RequestState, answers
	if r := replica(2).request(t, "tools/call", params); r.Error == nil || r.Error.Code != -32602 {
		t.Errorf("with another key: %s %v", r.Result, r.Error)
	}
	r = replica(1).request(t, "tools/call", params)
	var result toolResult
	if r.Error != nil || json.Unmarshal(r.Result, &result) != nil || result.ResultType != "complete" {
		t.Errorf("with the same key: %s %v", r.Result, r.Error)
	}
}
