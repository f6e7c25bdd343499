package jsonrpc_test

import (
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// request returns a tools/call with the given text among its arguments.
func request(inside string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":` + inside + `}}`
}

// withID returns a request whose id is the given text.
func withID(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

// nested returns an array in an array, n of them.
func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// many returns an array of n numbers; it has n+2 tokens.
func many(n int) string { return "[" + strings.Repeat("1,", n-1) + "1]" }

// strictRows are what a server must refuse because two readers could understand
// it differently, or because it costs too much, and what is just inside. The
// advisories are those against readers that did not.
var strictRows = map[string]struct {
	code              int
	refused, accepted []string
}{
	// GO-2026-4770: names that are equal to somebody, twice in one object.
	"DuplicateNames": {jsonrpc.CodeParse, []string{
		`{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","\u006dethod":"b"}`,
		request(`{"a":1,"a":1}`),
		request(`{"a":{"b":[{"c":1,"\u0063":2}]}}`),
		request(`{"é":1,"\u00e9":2}`),
		request(`{"😀":1,"\ud83d\ude00":2}`),
		request(`{"":1,"":2}`),
		request(`{"a\u0000":1,"a\u0000":2}`),
	}, []string{
		request(`{"a":1,"A":1,"a ":1,"a\u0000":1}`),
		request(`[{"a":1},{"a":1}]`),
		request(`{"a":{"a":{"a":1}}}`),
		request(`{"\u00e9":1,"e\u0301":2}`), // composed and decomposed
	}},
	// CVE-2026-27896, GO-2026-4569: keys that are equal but for case or folding.
	"KeysByCaseOrFolding": {jsonrpc.CodeInvalidRequest, []string{
		`{"JSONRPC":"2.0","id":1,"method":"m"}`,
		`{"jsonrpc":"2.0","id":1,"Method":"m"}`,
		`{"jſonrpc":"2.0","id":1,"method":"m"}`,
		`{"\u006a\u017fonrpc":"2.0","id":1,"method":"m"}`,
		`{"jsonrpc":"2.0","id":1,"re\u017fult":{}}`,
	}, []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","paramſ":7,"Params":7,"PARAMS":7}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{},"\u212aey":7,"K":7}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","ID":2,"Id":3,"ıd":4}`,
	}},
	// GO-2026-4770, GHSA-q382: keys that are equal but for what follows U+0000.
	"KeysWithNUL": {jsonrpc.CodeInvalidRequest, []string{
		`{"jsonrpc\u0000":"2.0","id":1,"method":"m"}`,
		`{"jsonrpc":"2.0","id":1,"method\u0000":"m"}`,
		`{"jsonrpc":"2.0","id":1,"method\u0000x":"m"}`,
	}, []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","method\u0000":"n","id\u0000":2}`,
	}},
	"InvalidUTF8": {jsonrpc.CodeParse, []string{
		request("\"\xff\""), request("\"\xc0\xaf\""), request("\"\xed\xa0\x80\""), request("\"\xf4\x90\x80\x80\""), request("{\"a\xe2\x82\":1}"),
	}, []string{
		request("\"é€😀\uFFFD\""),
	}},
	"LoneSurrogates": {jsonrpc.CodeParse, []string{
		request(`"\ud800"`), request(`"\udc00"`), request(`"\udc00\ud800"`), request(`{"\ud800":1}`), request(`"\ud800\\udc00"`),
	}, []string{
		request(`"\ud83d\ude00"`),
	}},
	"TrailingData": {jsonrpc.CodeParse, []string{
		withID("1") + "{}", withID("1") + withID("2"), withID("1") + "\n" + withID("2"), withID("1") + "\x00", withID("1") + "]",
		withID("1") + " //",
	}, []string{
		withID("1") + " \t\r\n",
	}},
	"Depth": {jsonrpc.CodeInvalidRequest, []string{
		request(nested(101)), request(strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 101)), request(nested(100_000)),
	}, []string{
		request(nested(100)), request(strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)),
	}},
	"Tokens": {jsonrpc.CodeInvalidRequest, []string{ // 14 are around the array, and 2 its brackets
		request(many(100_000 - 15)), request("[" + strings.Repeat("[],", 60_000) + "[]]"), request(many(300_000)),
	}, []string{
		request(many(100_000 - 16)),
	}},
	"LongNumbers": {jsonrpc.CodeParse, []string{
		request(strings.Repeat("9", 65)), request("1e" + strings.Repeat("0", 63)), request("-0." + strings.Repeat("0", 62)),
	}, []string{
		request(strings.Repeat("9", 64)), request("1e999999999"),
	}},
	"IDs": {jsonrpc.CodeInvalidRequest, []string{
		withID("1.5"), withID("1.0"), withID("1e3"), withID("null"), withID("true"), withID("[]"), withID("{}"),
		withID("9007199254740993"), withID("-9007199254740993"), withID("1e999"),
	}, []string{
		withID("0"), withID("-0"), withID("-1"), withID(`""`), withID(`"null"`), withID("9007199254740992"), withID("-9007199254740992"),
		withID(`"\u0061"`),
	}},
}

// TestStrict has a subtest for each row of what is refused on sight.
func TestStrict(t *testing.T) {
	t.Parallel()
	for name, row := range strictRows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, in := range row.refused {
				if _, err := jsonrpc.Decode([]byte(in), jsonrpc.Limits{}); err == nil || err.Code != row.code {
					t.Errorf("%.200q: got %v, want %d", in, err, row.code)
				}
			}
			for _, in := range row.accepted {
				if _, err := jsonrpc.Decode([]byte(in), jsonrpc.Limits{}); err != nil {
					t.Errorf("%.200q: got %v", in, err)
				}
			}
		})
	}
}

// TestSmuggledName (GHSA-4gph-2hhr-5mwg): who reads the params again sees the
// bytes that were sent, and finds the member of that name alone.
func TestSmuggledName(t *testing.T) {
	t.Parallel()
	in := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"admin","NAME":"admin","name\u0000":"admin","name":"read"}}`
	msg, err := jsonrpc.Decode([]byte(in), jsonrpc.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := jsonrpc.Find(msg.Params, "name")
	if name, _ := jsonrpc.Unquote(raw); name != "read" || !strings.Contains(in, string(msg.Params)) {
		t.Errorf("the name is %s in %s", name, msg.Params)
	}
}

// TestIDsKeepTheirBytes: an answer has the id that was sent, byte for byte.
func TestIDsKeepTheirBytes(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"0", "-0", "-1", `""`, `"null"`, "9007199254740992", `"\u0061"`, `"a\/b"`, `"é"`} {
		msg, err := jsonrpc.Decode([]byte(withID(id)), jsonrpc.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(jsonrpc.AppendResult(nil, msg.ID, nil)); got != `{"jsonrpc":"2.0","id":`+id+`,"result":{}}` {
			t.Errorf("%s is answered %s", id, got)
		}
	}
}
