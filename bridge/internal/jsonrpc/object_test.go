package jsonrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// TestObject finds members of params in a message that was decoded, which has noted them, and in one that was not; they agree
// on any number of members, escaped names and values of each kind.
func TestObject(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"none":    `{}`,
		"few":     `{"name":"a","arguments":{"name":"inner","x":[1,{"y":2}]},"_meta":{}}`,
		"escaped": `{"na\u006de":"a","\"":1}`,
		"spaced":  "{ \"name\" : \"a\" ,\n\"arguments\":\t{ } }",
		"kinds":   `{"a":null,"b":true,"c":-1.5e3,"d":"","e":[],"f":{}}`,
		"eight":   `{` + numbered(8) + `}`,
		"many":    `{` + numbered(30) + `}`,
	}
	names := []string{"name", "arguments", "_meta", `"`, "x", "inner", "a", "b", "c", "d", "e", "f", "m0", "m7", "m8", "m29", "m30", ""}
	for label, params := range tests {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			msg, err := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","method":"m","params":`+params+`}`), jsonrpc.DefaultLimits)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(msg.Object().Raw()); got != params {
				t.Errorf("raw %s, want %s", got, params)
			}
			for _, name := range names {
				want, there := jsonrpc.Find([]byte(params), name)
				for how, o := range map[string]jsonrpc.Object{"noted": msg.Object(), "not noted": jsonrpc.ObjectOf([]byte(params))} {
					if got, ok := o.Find(name); ok != there || string(got) != string(want) {
						t.Errorf("%s: member %q is %q, %v; want %q, %v", how, name, got, ok, want, there)
					}
				}
			}
		})
	}
	if _, ok := (jsonrpc.Object{}).Find("name"); ok {
		t.Error("the zero Object has a member")
	}
}

// TestObjectsOfABatch are those of each message, and of no other.
func TestObjectsOfABatch(t *testing.T) {
	t.Parallel()
	_, batch := jsonrpc.DecodeBatch([]byte(`[{"jsonrpc":"2.0","method":"m","params":{"a":1}},{"jsonrpc":"2.0","method":"m"},
		{"jsonrpc":"2.0","method":"m","params":{"a":2}}]`), jsonrpc.DefaultLimits)
	var got []string
	for _, one := range batch {
		value, ok := one.Message.Object().Find("a")
		got = append(got, fmt.Sprint(string(value), ok))
	}
	if text := strings.Join(got, " "); text != "1true false 2true" {
		t.Errorf("members of the three: %s", text)
	}
}

// numbered are n members called m0, m1 and so on.
func numbered(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"m%d":%d`, i, i))
	}
	return strings.Join(all, ",")
}
