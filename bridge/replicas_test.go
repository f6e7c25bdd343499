package bridge_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/orders"
)

// desks are the params of a call that the shop asks about.
var desks = map[string]any{"name": "order_place_order", "arguments": map[string]any{
	"customer": "Ada", "items": []any{map[string]any{"sku": "DESK", "quantity": 2}},
}}

// shopReplica is a client of a bridge of its own before a shop of its own.
func shopReplica(t *testing.T, opts ...bridge.Option) *client {
	t.Helper()
	conn := startServices(t, host.Described(orders.New(orders.WithStep(time.Millisecond)), orders.DescriptorSet()))
	c := httpClient(t, serveHTTP(t, newBridge(t, []bridge.Backend{{Conn: conn}}, opts...)), modern)
	c.can = map[string]any{"elicitation": map[string]any{"form": map[string]any{}}}
	return c
}

// agree answers a question of the shop's at c, with the state that came with it.
func agree(t *testing.T, c *client, asked json.RawMessage) response {
	t.Helper()
	var q struct{ ResultType, RequestState string }
	if err := json.Unmarshal(asked, &q); err != nil || q.ResultType != "input_required" {
		t.Fatalf("%v: it is not asked: %s", err, asked)
	}
	params := maps.Clone(desks)
	params["requestState"] = q.RequestState
	content := map[string]any{"agree": true, "note": "at two"}
	params["inputResponses"] = map[string]any{"confirmation": map[string]any{"action": "accept", "content": content}}
	return c.request(t, "tools/call", params)
}

// TestReplicas: what one replica has asked is answered at another one that has its key, be it the old one of two, and at no other.
func TestReplicas(t *testing.T) {
	t.Parallel()
	keys := func(all ...byte) []bridge.Option {
		var long [][]byte
		for _, k := range all {
			long = append(long, bytes.Repeat([]byte{k}, bridge.MinStateKeyBytes))
		}
		return []bridge.Option{bridge.WithStateKeys(long...)}
	}
	for name, tt := range map[string]struct {
		asks, answered []bridge.Option
		refused        bool
	}{
		"one key":           {asks: keys(1), answered: keys(1)},
		"the key of before": {asks: keys(1), answered: keys(2, 1)},
		"the key to come":   {asks: keys(2, 1), answered: keys(1), refused: true},
		"other keys":        {asks: keys(1), answered: keys(2), refused: true},
		"keys of their own": {refused: true},
		"a key and none":    {asks: keys(1), refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asking, answering := shopReplica(t, tt.asks...), shopReplica(t, tt.answered...)
			asked := asking.request(t, "tools/call", desks)
			r := agree(t, answering, asked.Result)
			switch {
			case tt.refused && (r.Error == nil || r.Error.Code != -32602 || !strings.Contains(r.Error.Message, "requestState")):
				t.Errorf("it is not refused: %s %+v", r.Result, r.Error)
			case !tt.refused && (r.Error != nil || !strings.Contains(string(r.Result), `"note":"at two"`)):
				t.Errorf("it is not ordered: %s %+v", r.Result, r.Error)
			}
		})
	}
}
