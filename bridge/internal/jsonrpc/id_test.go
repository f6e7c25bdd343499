package jsonrpc_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// TestIDKeepsItsBytes sends ids and answers with them.
func TestIDKeepsItsBytes(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`0`, `-0`, `7`, `-1`, `9007199254740992`, `-9007199254740992`,
		`""`, `"a"`, `"1"`, `" "`, `"\u0061"`, `"\/"`, `"é\u00e9\ud83d\ude00"`, `"null"`, `"` + strings.Repeat("x", 500) + `"`,
	} {
		t.Run(raw, func(t *testing.T) {
			t.Parallel()
			msg, err := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id": `+raw+` ,"method":"ping"}`), jsonrpc.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if msg.ID.IsZero() || msg.ID.String() != raw {
				t.Errorf("id %s, want %s", msg.ID, raw)
			}
			if got, want := string(jsonrpc.AppendResult(nil, msg.ID, nil)), `{"jsonrpc":"2.0","id":`+raw+`,"result":{}}`; got != want {
				t.Errorf("response %s, want %s", got, want)
			}
			if id, ok := jsonrpc.ParseID([]byte(raw)); !ok || id != msg.ID {
				t.Errorf("ParseID(%s) = %q, %v", raw, id, ok)
			}
		})
	}
}

// TestIDRefusals gives values that are JSON and no ids.
func TestIDRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct{ raw, says string }{
		{`null`, "not null"},
		{`1.5`, "not the number 1.5"},
		{`1.0`, "not the number 1.0"},
		{`1e3`, "not the number 1e3"},
		{`1E0`, "not the number 1E0"},
		{`9007199254740993`, "not the number 9007199254740993"},
		{`-9007199254740993`, "not the number -9007199254740993"},
		{`18446744073709551617`, "not the number 18446744073709551617"},
		{strings.Repeat("9", 64), "…"},
		{`true`, "not a boolean"},
		{`[1]`, "not an array"},
		{`{"id":1}`, "not an object"},
	}
	for _, tt := range tests {
		t.Run(tt.raw, func(t *testing.T) {
			t.Parallel()
			msg, err := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":`+tt.raw+`,"method":"ping"}`), jsonrpc.Limits{})
			wantError(t, err, jsonrpc.CodeInvalidRequest, tt.says)
			if !msg.ID.IsZero() {
				t.Errorf("id %s, want none", msg.ID)
			}
			if id, ok := jsonrpc.ParseID([]byte(tt.raw)); ok {
				t.Errorf("ParseID = %s, want none", id)
			}
		})
	}
}

// TestParseIDRefusesWhatIsNotJSON gives it text that no pass has checked.
func TestParseIDRefusesWhatIsNotJSON(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "-", "+7", "07", "7 ", " 7", "1_0", "0x7", `"`, `"a`, `a"`, `"a"b"`, `"\x"`, "\"\xff\"", "٣"} {
		if id, ok := jsonrpc.ParseID([]byte(raw)); ok || !id.IsZero() {
			t.Errorf("ParseID(%q) = %q, %v", raw, id, ok)
		}
	}
}

// TestIDIsACopy overwrites the input.
func TestIDIsACopy(t *testing.T) {
	t.Parallel()
	data := []byte(`{"jsonrpc":"2.0","id":"abc","method":"ping"}`)
	msg, err := jsonrpc.Decode(data, jsonrpc.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	if msg.ID != jsonrpc.StringID("abc") || msg.Method != "ping" {
		t.Errorf("id %q and method %q changed with the input", msg.ID, msg.Method)
	}
}

// TestIDEquality holds ids of equal text and different kind apart.
func TestIDEquality(t *testing.T) {
	t.Parallel()
	var zero jsonrpc.ID
	distinct := []jsonrpc.ID{zero, jsonrpc.IntID(0), jsonrpc.IntID(1), jsonrpc.StringID(""), jsonrpc.StringID("1"), jsonrpc.StringID("null")}
	seen := map[jsonrpc.ID]bool{}
	for _, id := range distinct {
		if seen[id] {
			t.Errorf("id %q equals another", id)
		}
		seen[id] = true
		if id.IsZero() != (id == zero) {
			t.Errorf("IsZero(%q) = %v", id, id.IsZero())
		}
	}
	if got := string(zero.AppendJSON([]byte("id="))); got != "id=null" {
		t.Errorf("the zero ID appends %q", got)
	}
}

// TestIDProperty reads back ids made from any string and any safe integer.
func TestIDProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := jsonrpc.StringID(rapid.String().Draw(t, "string"))
		if rapid.Bool().Draw(t, "integer") {
			id = jsonrpc.IntID(rapid.Int64Range(-(1<<53), 1<<53).Draw(t, "n"))
		}
		msg, err := jsonrpc.Decode(jsonrpc.AppendRequest(nil, id, "ping", nil), jsonrpc.Limits{})
		if err != nil || msg.ID != id {
			t.Fatalf("id %s came back as %s, %v", id, msg.ID, err)
		}
	})
}
