package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/orders"
)

// dear is an order that the shop does not take without asking.
const dear = `{"customer":"Ada","items":[{"sku":"DESK","quantity":2}]}`

// startShop is a bridge before the shop.
func startShop(t *testing.T, opts ...bridge.Option) *bridge.Bridge {
	t.Helper()
	conn := startServices(t, host.Described(orders.New(orders.WithStep(time.Millisecond)), orders.DescriptorSet()))
	return newBridge(t, []bridge.Backend{{Conn: conn, Descriptors: descriptor.FileSetBytes("orders.binpb", orders.DescriptorSet())}}, opts...)
}

// script answers the nth time with the nth text, and with the last one from then on.
func script(asked *[]string, texts ...string) func(context.Context, []byte) ([]byte, error) {
	return func(_ context.Context, requests []byte) ([]byte, error) {
		*asked = append(*asked, string(requests))
		return []byte(texts[min(len(*asked), len(texts))-1]), nil
	}
}

// TestCallAnswers: what a backend asks is answered, again where the answer does not fit, and its answer to that is the result.
func TestCallAnswers(t *testing.T) {
	t.Parallel()
	b := startShop(t)
	const yes = `{"confirmation":{"action":"accept","content":{"agree":true,"note":"ring twice"}}}`
	for name, c := range map[string]struct {
		capabilities, want string
		answers            []string
		asked              int
	}{
		"accepted":          {`{"elicitation":{"form":{}}}`, "ring twice", []string{yes}, 1},
		"without modes":     {`{"elicitation":{}}`, "ring twice", []string{yes}, 1},
		"space around":      {" {\"elicitation\":{}}\n", "ring twice", []string{"\n" + yes + " "}, 1},
		"declined":          {`{"elicitation":{}}`, "did not confirm", []string{`{"confirmation":{"action":"decline"}}`}, 1},
		"does not fit":      {`{"elicitation":{}}`, "ring twice", []string{`{"confirmation":{"action":"accept","content":{"agree":7}}}`, yes}, 2},
		"missing":           {`{"elicitation":{}}`, "ring twice", []string{`{}`, `{"other":1}`, yes}, 3},
		"never fits":        {`{"elicitation":{}}`, "however often", []string{`{}`}, 110},
		"no object":         {`{"elicitation":{}}`, "no JSON object", []string{`[]`}, 1},
		"no JSON":           {`{"elicitation":{}}`, "no JSON object", []string{`{`}, 1},
		"nothing":           {`{"elicitation":{}}`, "no JSON object", []string{``}, 1},
		"nothing declared":  {"", "capability elicitation.form", nil, 0},
		"another one":       {`{"roots":{}}`, "capability elicitation.form", nil, 0},
		"no capabilities":   {`[]`, "must be a JSON object", nil, 0},
		"with an extension": {`{"extensions":{}}`, "leave them out", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			result, err := b.Call(t.Context(), "order_place_order", []byte(dear), bridge.Answering([]byte(c.capabilities), script(&asked, c.answers...)))
			got := fmt.Sprint(err)
			if err == nil {
				got = result.Text
			}
			if !strings.Contains(got, c.want) || len(asked) != c.asked {
				t.Errorf("got %s, asked %d times, want %s and %d", got, len(asked), c.want, c.asked)
			}
			for _, q := range asked {
				if !strings.HasPrefix(q, `{"confirmation":{"method":"elicitation/create","params":{`) {
					t.Errorf("asked %s", q)
				}
			}
		})
	}
}

// TestCallOptions: options that are none are errors before anything is called, and an error of the answer is that of the call.
func TestCallOptions(t *testing.T) {
	t.Parallel()
	b := startShop(t)
	gone := errors.New("the user has gone")
	for name, c := range map[string]struct {
		option bridge.CallOption
		want   string
	}{
		"nil option": {nil, "option 1 of 1 is nil"},
		"nil answer": {bridge.Answering(nil, nil), "the function that answers is nil"},
		"failed":     {bridge.Answering([]byte(`{"elicitation":{}}`), func(context.Context, []byte) ([]byte, error) { return nil, gone }), gone.Error()},
	} {
		if result, err := b.Call(t.Context(), "order_place_order", []byte(dear), c.option); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %+v, %v", name, result, err)
		}
	}
}

// TestCheckInputResponse: who asks the user is told what does not fit before the call goes on, in the bridge's own words.
func TestCheckInputResponse(t *testing.T) {
	t.Parallel()
	const asks = ` {"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object",` +
		`"properties":{"agree":{"type":"boolean"}},"required":["agree"]}}} `
	const page = `{"method":"elicitation/create","params":{"mode":"url","message":"Pay","url":"https://example.com/"}}`
	for name, c := range map[string]struct{ request, answer, want string }{
		"fits":         {asks, ` {"action":"accept","content":{"agree":true,"more":1}} `, ``},
		"declined":     {asks, `{"action":"decline"}`, ``},
		"unfit":        {asks, `{"action":"accept","content":{"agree":"yes"}}`, `"agree" must be true or false`},
		"missing":      {asks, `{"action":"accept"}`, `"agree" is required`},
		"no action":    {asks, `{}`, `action must be accept, decline or cancel`},
		"no answer":    {asks, `nonsense`, `the answer is no JSON`},
		"page":         {page, `{"action":"accept"}`, ``},
		"roots":        {`{"method":"roots/list"}`, `{"roots":[{"uri":"file:///home"}]}`, ``},
		"no roots":     {`{"method":"roots/list"}`, `{"roots":[{"uri":"https://a.example"}]}`, `must begin with file://`},
		"no question":  {`{"method":"tools/list"}`, `{}`, `the request: the method "tools/list" is none by which a server asks`},
		"mode":         {`{"method":"elicitation/create","params":{"mode":"later"}}`, `{}`, `the request: the mode "later" is unknown`},
		"no schema":    {`{"method":"elicitation/create"}`, `{}`, `the request: requestedSchema: no JSON`},
		"no request":   {``, `{}`, `the request: no JSON object`},
		"broken later": {`{"method":`, `{}`, `the request: no JSON object`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := bridge.CheckInputResponse([]byte(c.request), []byte(c.answer))
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
