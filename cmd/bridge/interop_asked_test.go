package main_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/orders"
)

// dear is an order that the shop does not take without asking.
const dear = `{"customer":"Ada","items":[{"sku":"DESK","quantity":2}]}`

// TestInteropAsked has one backend, unchanged, ask its question of the client of the official Go SDK in every revision that has
// questions, over HTTP and over stdio, and has it stream, import and export. In the revisions before, the model is told that
// the client cannot be asked.
func TestInteropAsked(t *testing.T) {
	backend := startServices(t, host.Described(orders.New(orders.WithStep(10*time.Millisecond)), orders.DescriptorSet()))
	url := startServe(t, "--backend", backend, "--plaintext")
	for _, version := range interopVersions {
		t.Run("serve/"+version, func(t *testing.T) { checkShop(t, overHTTP(url), version) })
		t.Run("stdio/"+version, func(t *testing.T) { checkShop(t, overStdio(t, "--backend", backend, "--plaintext"), version) })
	}
}

// user answers what it is asked, and notes what it is told of progress.
type user struct {
	mu       sync.Mutex
	action   string
	asked    []string
	progress []float64
	messages []string
}

func (u *user) elicit(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, r.Params.Message)
	result := &mcp.ElicitResult{Action: u.action}
	if u.action == "accept" {
		result.Content = map[string]any{"agree": true, "note": "ring twice"}
	}
	return result, nil
}

func (u *user) told(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.progress, u.messages = append(u.progress, r.Params.Progress), append(u.messages, r.Params.Message)
}

// answers sets what the user does from now on.
func (u *user) answers(action string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.action = action
}

func checkShop(t *testing.T, transport mcp.Transport, version string) {
	t.Helper()
	u := &user{action: "accept"}
	options := &mcp.ClientOptions{ProgressNotificationHandler: u.told}
	asks := version >= "2025-06-18"
	if asks {
		options.ElicitationHandler = u.elicit
	}
	s := connect(t, transport, version, options)
	if !asks {
		if text := callError(t, s, "order_place_order", dear); !strings.Contains(text, "needs a client with the capability elicitation") ||
			!strings.Contains(text, "outcome: not_executed") {
			t.Errorf("a client that cannot be asked: %s", text)
		}
	} else {
		checkAsked(t, s, u)
	}
	checkStreams(t, s, u)
	if done := callJSON(t, s, "order_export_orders", `{"customer":"Grace"}`); done["done"] != true || done["response"] == nil {
		t.Errorf("exported %v", done)
	}
}

func checkAsked(t *testing.T, s *mcp.ClientSession, u *user) {
	t.Helper()
	if order := callJSON(t, s, "order_place_order", dear); order["note"] != "ring twice" ||
		order["total_cents"] != "69800" && order["totalCents"] != "69800" {
		t.Errorf("placed %v", order)
	}
	for _, action := range []string{"decline", "cancel"} {
		u.answers(action)
		if text := callError(t, s, "order_place_order", dear); !strings.Contains(text, "FAILED_PRECONDITION") || !strings.Contains(text, "NOT_CONFIRMED") {
			t.Errorf("%s: %s", action, text)
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.asked) != 3 || u.asked[0] != "Place an order for Ada that costs 698.00?" {
		t.Errorf("asked %q", u.asked)
	}
}

func checkStreams(t *testing.T, s *mcp.ClientSession, u *user) {
	t.Helper()
	params := &mcp.CallToolParams{Name: "order_track_order", Arguments: json.RawMessage(`{"name":"orders/1001"}`)}
	params.SetProgressToken("track")
	result, err := s.CallTool(t.Context(), params)
	if err != nil || result.IsError {
		t.Fatalf("track: %v, %v", result, err)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	if n := strings.Count(text, "ORDER_STATE_"); n != 4 || !strings.Contains(text, `"items":[`) {
		t.Errorf("tracked %s", text)
	}
	eventually(t, func() bool {
		u.mu.Lock()
		defer u.mu.Unlock()
		return len(u.progress) == 4 && u.progress[3] == 4
	})
	imported := callJSON(t, s, "order_import_orders",
		`{"messages":[{"customer":"Bo","items":[{"sku":"LAMP","quantity":1}]},{"customer":"Cy","items":[{"sku":"KETTLE","quantity":2}]}]}`)
	if placed, _ := imported["orders"].([]any); len(placed) != 2 {
		t.Errorf("imported %v", imported)
	}
	quoted := callJSON(t, s, "order_quote_orders",
		`{"messages":[{"items":[{"sku":"LAMP","quantity":1}]},{"items":[{"sku":"DESK","quantity":2}]}]}`)
	if quotes, _ := quoted["items"].([]any); len(quotes) != 2 {
		t.Errorf("quoted %v", quoted)
	}
	text = callError(t, s, "order_import_orders",
		`{"messages":[{"customer":"Bo","items":[{"sku":"LAMP","quantity":1}]},{"customer":"Cy","items":[{"sku":"BOAT","quantity":2}]}]}`)
	if !strings.Contains(text, "messages[1].items[0].sku") {
		t.Errorf("a faulty import: %s", text)
	}
}

// eventually waits until something holds: notifications may come behind the result.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Error("it never came to hold")
			return
		}
	}
}
