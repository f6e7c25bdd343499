package jsonrpc_test

import (
	"bytes"
	"io"
	"math/big"
	"regexp"
	"slices"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// admits is the second opinion on the strict pass: jsontext judges the text,
// and its tokens are counted against the limits.
func admits(data []byte, limits jsonrpc.Limits) bool {
	if !jsontext.Value(data).IsValid() {
		return false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for tokens := 0; ; tokens++ {
		number := ""
		if dec.PeekKind() == '0' {
			value, _ := dec.ReadValue()
			number = string(value)
		} else if _, err := dec.ReadToken(); err == io.EOF {
			return tokens <= limits.Tokens
		}
		if len(number) > 64 || dec.StackDepth() > limits.Depth {
			return false
		}
	}
}

// plainInteger is the form of integer that an id may have.
var plainInteger = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// isID is the second opinion on ids.
func isID(raw jsontext.Value) bool {
	if raw.Kind() == '"' {
		return true
	}
	n, ok := new(big.Int).SetString(string(raw), 10)
	return ok && plainInteger.Match(raw) && n.CmpAbs(big.NewInt(1<<53)) <= 0
}

// reference is the second opinion on the envelope, on text that is strict JSON:
// the message, or false where it has none of the three shapes.
func reference(data []byte) (msg jsonrpc.Message, ok bool) {
	var m map[string]jsontext.Value
	if jsontext.Value(data).Kind() != '{' || jsonv2.Unmarshal(data, &m) != nil {
		return msg, false
	}
	var version string
	if jsonv2.Unmarshal(m["jsonrpc"], &version) != nil || version != "2.0" || m["jsonrpc"].Kind() != '"' {
		return msg, false
	}
	unknown := m["id"].Kind() == 'n' && m["error"] != nil && m["method"] == nil
	if id := m["id"]; id != nil && !unknown {
		if !isID(id) {
			return msg, false
		}
		msg.ID, _ = jsonrpc.ParseID(id)
	}
	switch {
	case m["method"] != nil:
		return referenceCall(m, msg)
	case m["error"] != nil:
		return referenceError(m, msg)
	}
	msg.Kind, msg.Result = jsonrpc.KindResponse, m["result"]
	return msg, m["result"] != nil && !msg.ID.IsZero()
}

// referenceCall reads a request or notification.
func referenceCall(m map[string]jsontext.Value, msg jsonrpc.Message) (jsonrpc.Message, bool) {
	msg.Kind = jsonrpc.KindRequest
	if msg.ID.IsZero() {
		msg.Kind = jsonrpc.KindNotification
	}
	msg.Params = m["params"]
	ok := m["method"].Kind() == '"' && jsonv2.Unmarshal(m["method"], &msg.Method) == nil &&
		(msg.Params == nil || m["params"].Kind() == '{') && m["result"] == nil && m["error"] == nil
	return msg, ok
}

// referenceError reads an error response.
func referenceError(m map[string]jsontext.Value, msg jsonrpc.Message) (jsonrpc.Message, bool) {
	var e map[string]jsontext.Value
	msg.Kind, msg.Error = jsonrpc.KindResponse, &jsonrpc.Error{}
	if m["error"].Kind() != '{' || jsonv2.Unmarshal(m["error"], &e) != nil || m["result"] != nil {
		return msg, false
	}
	msg.Error.Data = e["data"]
	ok := e["code"].Kind() == '0' && isID(e["code"]) && jsonv2.Unmarshal(e["code"], &msg.Error.Code) == nil &&
		e["message"].Kind() == '"' && jsonv2.Unmarshal(e["message"], &msg.Error.Message) == nil
	return msg, ok
}

// fataler is a test, of this package's or of rapid's kind.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// compare holds Check and Decode against the second opinions.
func compare(t fataler, data []byte, limits jsonrpc.Limits) {
	t.Helper()
	strict := admits(data, limits)
	if err := jsonrpc.Check(data, limits); (err == nil) != strict {
		t.Fatalf("Check(%q) = %v, jsontext admits it: %v", data, err, strict)
	}
	got, err := jsonrpc.Decode(data, limits)
	want, shaped := jsonrpc.Message{}, false
	limits.Depth += 2 // the message and its params or result are not counted
	if admits(data, limits) {
		want, shaped = reference(data)
	}
	if (err == nil) != shaped {
		t.Fatalf("Decode(%q) = %v, want a message: %v", data, err, shaped)
	}
	if err == nil {
		if diff := cmp.Diff(want, got, ids); diff != "" {
			t.Fatalf("Decode(%q) (-want +got):\n%s", data, diff)
		}
		return
	}
	if got.Kind != 0 || got.Method != "" || got.Params != nil || got.Result != nil || got.Error != nil {
		t.Fatalf("Decode(%q) fails and returns %+v", data, got)
	}
	if reply := jsonrpc.AppendError(nil, got.ID, err); !jsontext.Value(reply).IsValid() {
		t.Fatalf("the answer to %q is not JSON: %s", data, reply)
	}
}

// walk goes through data with all readers of raw JSON, whether it is JSON or
// not; what they yield of JSON is JSON.
func walk(t *testing.T, data []byte, strict bool) {
	t.Helper()
	check := func(value []byte) {
		if strict && !jsontext.Value(value).IsValid() {
			t.Fatalf("of %q came %q", data, value)
		}
	}
	for name, value := range jsonrpc.Pairs(data) {
		check(value)
		if found, ok := jsonrpc.Find(data, string(name)); !ok || strict && !bytes.Equal(found, value) {
			t.Fatalf("Find(%q, %q) = %q, %v; want %q", data, name, found, ok, value)
		}
	}
	for value := range jsonrpc.Elements(data) {
		check(value)
	}
	text, ok := jsonrpc.Unquote(data)
	if again, sure := jsonrpc.Unquote(jsonrpc.AppendString(nil, text)); ok && (!sure || again != text) {
		t.Fatalf("Unquote(%q) = %q, quoted again %q", data, text, again)
	}
	if id, ok := jsonrpc.ParseID(data); ok && !isID(jsontext.Value(id.String())) {
		t.Fatalf("ParseID(%q) = %s", data, id)
	}
}

// FuzzDecode compares every verdict with jsontext's. Some of the seeds are the
// rows of TestStrict, without the large ones, from which a fuzzer makes little
// but more large ones; more lie in testdata/fuzz.
func FuzzDecode(f *testing.F) {
	small := jsonrpc.Limits{Depth: 5, Tokens: 30}
	for _, row := range strictRows {
		for _, in := range slices.Concat(row.refused, row.accepted) {
			if len(in) < 1<<10 {
				f.Add([]byte(in))
			}
		}
	}
	f.Add([]byte("[" + ping + "," + ready + ",1,{}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		compare(t, data, jsonrpc.DefaultLimits)
		compare(t, data, small)
		compareBatch(t, data, jsonrpc.DefaultLimits)
		compareBatch(t, data, small)
		walk(t, data, admits(data, jsonrpc.DefaultLimits))
	})
}

// TestDecodeDifferential compares on messages that are nearly right: pieces of
// JSON and of the envelope, put together at random.
func TestDecodeDifferential(t *testing.T) {
	t.Parallel()
	pieces := []string{
		`{`, `}`, `[`, `]`, `:`, `,`, ` `, `"jsonrpc":"2.0"`, `"id":1`, `"id":null`, `"id":"a"`, `"method":"m"`, `"params":{}`, `"result":{}`,
		`"error":{"code":1,"message":""}`, `"a"`, `"\u0061"`, `"\ud800"`, `"\ud83d\ude00"`, "\"\xff\"", `1`, `-0.5e7`, `true`, `null`, `{"a":1}`,
		`[1,2]`,
	}
	rapid.Check(t, func(t *rapid.T) {
		var text string
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces") {
			text += piece
		}
		compare(t, []byte(text), jsonrpc.DefaultLimits)
		compare(t, []byte("{"+text+"}"), jsonrpc.DefaultLimits)
	})
}

// TestEnvelopeDifferential compares on objects of members drawn from those of
// all shapes.
func TestEnvelopeDifferential(t *testing.T) {
	t.Parallel()
	values := []string{`"2.0"`, `"m"`, `1`, `1.0`, `null`, `{}`, `[]`, `{"code":-1,"message":"x","data":[]}`, `{"code":"1"}`, `true`, `""`}
	usual := map[string]string{
		"jsonrpc": `"2.0"`, "id": `7`, "method": `"m"`, "params": `{}`, "result": `{}`, "error": `{"code":1,"message":"x"}`,
	}
	names := []string{"jsonrpc", "id", "method", "params", "result", "error"}
	rapid.Check(t, func(t *rapid.T) {
		var literals []byte
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 6, rapid.ID[string]).Draw(t, "names") {
			value := usual[name]
			if rapid.IntRange(0, 5).Draw(t, "odd") == 0 {
				value = rapid.SampledFrom(values).Draw(t, "value")
			}
			literals = append(literals, ","+spell(t, name)+":"+value...)
		}
		compare(t, append(append([]byte{'{'}, literals[1:]...), '}'), jsonrpc.DefaultLimits)
	})
}
