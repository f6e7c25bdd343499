package jsonrpc_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

const (
	ping  = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// TestDecodeBatch: JSON-RPC 2.0 §6: each element is answered for itself.
func TestDecodeBatch(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in   string
		want []string // per element: its kind, its id and what is wrong with it
	}{
		"one": {`[` + ping + `]`, []string{"request 1"}},
		"several": {
			" [" + ping + " ,\n" + ready + `,{"jsonrpc":"2.0","id":"r","result":{}}]` + "\n",
			[]string{"request 1", "notification ", `response "r"`},
		},
		"the same id twice": {`[` + ping + `,` + ping + `]`, []string{"request 1", "request 1"}},
		"elements of all kinds": {`[1,"a",null,true,[],[` + ping + `],{}]`, []string{
			"unknown : not a number", "unknown : not a string", "unknown : not null", "unknown : not a boolean", "unknown : not an array",
			"unknown : not an array",
			`unknown : member "jsonrpc" must be`,
		}},
		"a bad one between": {
			`[` + ready + `,{"jsonrpc":"1.0","id":7,"method":"m"},` + ping + `]`,
			[]string{"notification ", `unknown 7: member "jsonrpc" must be`, "request 1"},
		},
		"a bad id":               {`[{"jsonrpc":"2.0","id":1.5,"method":"m"}]`, []string{"unknown : not the number 1.5"}},
		"params of another kind": {`[{"jsonrpc":"2.0","id":2,"method":"m","params":[]}]`, []string{"unknown 2: params must be an object"}},
		"as many as may be": {
			`[` + strings.Repeat(ready+",", jsonrpc.MaxBatch-1) + ping + `]`,
			append(slices.Repeat([]string{"notification "}, jsonrpc.MaxBatch-1), "request 1"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, batch := jsonrpc.DecodeBatch([]byte(tt.in), jsonrpc.Limits{})
			if one.Err != nil || one.Message.Kind != 0 {
				t.Errorf("one is %+v", one)
			}
			if len(batch) != len(tt.want) {
				t.Fatalf("%d messages, want %d", len(batch), len(tt.want))
			}
			for i, d := range batch {
				got, want := fmt.Sprintf("%s %s", d.Message.Kind, d.Message.ID), tt.want[i]
				if d.Err != nil {
					wantError(t, d.Err, jsonrpc.CodeInvalidRequest, want[strings.Index(want, ": ")+2:])
					got += want[strings.Index(want, ": "):]
				}
				if got != want {
					t.Errorf("message %d: got %s, want %s", i, got, want)
				}
			}
		})
	}
}

// TestDecodeBatchRefuses: what is wrong with the whole is one error, without an id.
func TestDecodeBatchRefuses(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, tt := range map[string]struct {
		in   string
		code int
		says string
	}{
		"empty":                  {`[ ]`, jsonrpc.CodeInvalidRequest, "an empty batch"},
		"cut off":                {`[` + ping, jsonrpc.CodeParse, "',' or ']' after an element"},
		"cut off behind a comma": {`[` + ping + `,`, jsonrpc.CodeParse, "a JSON value"},
		"comma last":             {`[` + ping + `,]`, jsonrpc.CodeParse, "a JSON value"},
		"no comma":               {`[` + ping + ping + `]`, jsonrpc.CodeParse, "',' or ']' after an element"},
		"opened only":            {`[`, jsonrpc.CodeParse, "a JSON value"},
		"data after it":          {`[` + ping + `]]`, jsonrpc.CodeParse, "data after the JSON value"},
		"two of them":            {`[` + ping + `] [` + ping + `]`, jsonrpc.CodeParse, "data after the JSON value"},
		"a name twice in one element": {
			`[` + ping + `,{"jsonrpc":"2.0","id":2,"id":3,"method":"m"}]`, jsonrpc.CodeParse, `the name "id" a second time`,
		},
		"a lone surrogate": {`[` + ping + `,{"a":"\ud800"}]`, jsonrpc.CodeParse, "half a surrogate pair"},
		"invalid UTF-8":    {"[" + ping + ",\"\xff\"]", jsonrpc.CodeParse, "invalid UTF-8"},
		"one message too many": {
			`[` + strings.Repeat(ready+",", jsonrpc.MaxBatch) + ping + `]`, jsonrpc.CodeInvalidRequest, "more than 100 messages in a batch",
		},
		"tokens, of all together": {
			`[` + strings.Repeat(`{"a":[`+strings.Repeat("1,", 60_000)+`1]},`, 2) + ping + `]`, jsonrpc.CodeInvalidRequest,
			"more than 100000 JSON tokens",
		},
		"an element too deep": {`[` + ping + `,` + deep(101) + `]`, jsonrpc.CodeInvalidRequest, "101 deep"},
		"a message too deep": {
			`[{"jsonrpc":"2.0","method":"m","params":{"a":` + deep(101) + `}}]`, jsonrpc.CodeInvalidRequest, "103 deep",
		},
		"a message too deep, second": {
			`[` + ping + `,{"jsonrpc":"2.0","method":"m","params":{"a":` + deep(101) + `}}]`, jsonrpc.CodeInvalidRequest, "103 deep",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, batch := jsonrpc.DecodeBatch([]byte(tt.in), jsonrpc.Limits{})
			wantError(t, one.Err, tt.code, tt.says)
			if batch != nil || !one.Message.ID.IsZero() {
				t.Errorf("got id %s and %d messages", one.Message.ID, len(batch))
			}
		})
	}
	allowed := `[{"jsonrpc":"2.0","method":"m","params":{"a":` + deep(100) + `}},` + deep(100) + `]`
	if one, batch := jsonrpc.DecodeBatch([]byte(allowed), jsonrpc.Limits{}); len(batch) != 2 || batch[0].Err != nil {
		t.Errorf("as deep as may be: %v, %+v", one.Err, batch)
	}
}

// TestDecodeBatchOfOne: what is no array is read as Decode reads it.
func TestDecodeBatchOfOne(t *testing.T) {
	t.Parallel()
	for _, in := range []string{ping, " \n" +
		ready, ``, ` `, `null`, `"a"`, `{`, `{"jsonrpc":"2.0","id":3}`, "\xef\xbb\xbf[" + ping + "]", "\f[]"} {
		one, batch := jsonrpc.DecodeBatch([]byte(in), jsonrpc.Limits{})
		msg, err := jsonrpc.Decode([]byte(in), jsonrpc.Limits{})
		if diff := cmp.Diff(jsonrpc.Decoded{Message: msg, Err: err}, one, ids); diff != "" || batch != nil {
			t.Errorf("%q: %s, %v", in, diff, batch)
		}
	}
	wantError(t, jsonrpc.RefuseBatch(), jsonrpc.CodeInvalidRequest, "send each message by itself")
}

// compareBatch holds DecodeBatch against Decode, which compare holds against jsontext.
func compareBatch(t fataler, data []byte, limits jsonrpc.Limits) {
	t.Helper()
	one, batch := jsonrpc.DecodeBatch(data, limits)
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '[' {
		msg, err := jsonrpc.Decode(data, limits)
		if diff := cmp.Diff(jsonrpc.Decoded{Message: msg, Err: err}, one, ids); diff != "" || batch != nil {
			t.Fatalf("DecodeBatch(%q) = %+v, %+v", data, one, batch)
		}
		return
	}
	elements, ok := elementsOf(data, limits)
	if (batch != nil) != ok || ok == (one.Err != nil) || len(batch) != len(elements) {
		t.Fatalf("DecodeBatch(%q) = %v, %d messages; want %d, %v", data, one.Err, len(batch), len(elements), ok)
	}
	for i, element := range elements {
		msg, err := jsonrpc.Decode(element, limits)
		if element.Kind() == '[' { // there is no batch within a batch
			msg, err = jsonrpc.Message{}, batch[i].Err
		}
		if diff := cmp.Diff(jsonrpc.Decoded{Message: msg, Err: err}, batch[i], ids); diff != "" || element.Kind() == '[' && err == nil {
			t.Fatalf("message %d of DecodeBatch(%q) (-want +got):\n%s", i, data, diff)
		}
	}
}

// elementsOf is the second opinion on the shape of a batch.
func elementsOf(data []byte, limits jsonrpc.Limits) (elements []jsontext.Value, ok bool) {
	if !admits(data, jsonrpc.Limits{Depth: 1 << 20, Tokens: limits.Tokens}) {
		return nil, false
	}
	for element := range jsonrpc.Elements(data) {
		own := limits
		if jsontext.Value(element).Kind() == '{' {
			own.Depth += 2
		}
		if !admits(element, own) {
			return nil, false
		}
		elements = append(elements, element)
	}
	if len(elements) == 0 || len(elements) > jsonrpc.MaxBatch {
		return nil, false
	}
	return elements, true
}

// TestDecodeBatchDifferential compares on arrays of whole and broken messages.
func TestDecodeBatchDifferential(t *testing.T) {
	t.Parallel()
	pieces := []string{
		ping, ready, `{"jsonrpc":"2.0","id":"r","result":[[[[1]]]]}`, `{"a":1,"a":2}`, `{"id":7}`, `[]`, `[{}]`, `[[[[[[1]]]]]]`, `1`,
		`"\ud800"`, `null`, ``, ` `,
	}
	rapid.Check(t, func(t *rapid.T) {
		text := "[" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5).Draw(t, "pieces"),
			rapid.SampledFrom([]string{",", " , ", ""}).Draw(t, "comma")) + "]"
		compareBatch(t, []byte(text), jsonrpc.DefaultLimits)
		compareBatch(t, []byte(text), jsonrpc.Limits{Depth: 3, Tokens: 30})
	})
}
