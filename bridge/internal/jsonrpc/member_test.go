package jsonrpc_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// member is one member as Members gives it.
type member struct{ Name, Value string }

// params is an object with a value of each kind, and spaces where they may be.
const params = ` { "name" : "x" ,"arguments":{"a":"}\"]","b":[1,{"name":2}]}, "\u006eull":null,"e":[ ],` +
	"\n\"d\":-1.5e3\t,\"\":true,\"o\" :{}\n,\"s\":\"\\\\\"}"

// wantMembers are the members of params.
var wantMembers = []member{
	{"name", `"x"`},
	{"arguments", `{"a":"}\"]","b":[1,{"name":2}]}`},
	{"null", `null`},
	{"e", `[ ]`},
	{"d", `-1.5e3`},
	{"", `true`},
	{"o", `{}`},
	{"s", `"\\"`},
}

// TestMembers walks an object in both forms.
func TestMembers(t *testing.T) {
	t.Parallel()
	if err := jsonrpc.Check([]byte(params), jsonrpc.Limits{}); err != nil {
		t.Fatal(err)
	}
	var got, pairs []member
	err := jsonrpc.Members([]byte(params), func(name string, value []byte) error {
		got = append(got, member{name, string(value)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range jsonrpc.Pairs([]byte(params)) {
		pairs = append(pairs, member{string(name), string(value)})
	}
	if diff := cmp.Diff(wantMembers, got); diff != "" {
		t.Errorf("Members (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantMembers, pairs); diff != "" {
		t.Errorf("Pairs (-want +got):\n%s", diff)
	}
}

// TestMembersStops ends at the first error and returns it.
func TestMembersStops(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	calls := 0
	err := jsonrpc.Members([]byte(params), func(string, []byte) error {
		calls++
		return stop
	})
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("Members = %v after %d calls", err, calls)
	}
	for range jsonrpc.Pairs([]byte(params)) {
		break
	}
	for range jsonrpc.Elements([]byte(`[1,2]`)) {
		break
	}
}

// TestMembersOfOthers gives what is not an object.
func TestMembersOfOthers(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{``, ` `, `null`, `[{"a":1}]`, `"{}"`, `7`} {
		err := jsonrpc.Members([]byte(raw), func(name string, _ []byte) error {
			t.Errorf("%s has a member %q", raw, name)
			return nil
		})
		if err == nil {
			t.Errorf("Members(%s) gives no error", raw)
		}
		for name := range jsonrpc.Pairs([]byte(raw)) {
			t.Errorf("%s has a member %q", raw, name)
		}
		if _, ok := jsonrpc.Find([]byte(raw), "a"); ok {
			t.Errorf("Find in %s", raw)
		}
	}
	if err := jsonrpc.Members([]byte(` { } `), func(string, []byte) error { return errors.New("called") }); err != nil {
		t.Errorf("an empty object: %v", err)
	}
}

// TestPairsOfWhatIsNotJSON keeps what it can tell and ends where it cannot.
func TestPairsOfWhatIsNotJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]member{
		`{"\q":1`:           {{`\q`, `1`}},
		`{"a":1 "b":2}`:     {{"a", "1"}},
		`{"a":[1,{"b":`:     {{"a", `[1,{"b":`}},
		`{"a":"\`:           {{"a", `"\`}},
		`{"a":}`:            nil,
		`{"a"`:              nil,
		`{"`:                nil,
		`{"a":1,b:2,"c":3}`: {{"a", "1"}},
	} {
		var got []member
		for name, value := range jsonrpc.Pairs([]byte(in)) {
			got = append(got, member{string(name), string(value)})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Pairs(%s) (-want +got):\n%s", in, diff)
		}
	}
}

// TestFind looks for each member, and for what is only deeper down.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, want := range wantMembers {
		if got, ok := jsonrpc.Find([]byte(params), want.Name); !ok || string(got) != want.Value {
			t.Errorf("Find(%q) = %s, %v; want %s", want.Name, got, ok, want.Value)
		}
	}
	for _, name := range []string{"a", "b", "Name", "NAME", `\u006eull`, "name\x00", "x"} {
		if got, ok := jsonrpc.Find([]byte(params), name); ok {
			t.Errorf("Find(%q) = %s", name, got)
		}
	}
}

// TestFindAllocatesNothing goes past a large value.
func TestFindAllocatesNothing(t *testing.T) {
	msg, err := jsonrpc.Decode(callOf(100), jsonrpc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	got := testing.AllocsPerRun(100, func() {
		if value, ok := jsonrpc.Find(msg.Params, "_meta"); !ok || string(value) != `{"progressToken":"p7"}` {
			t.Fatalf("Find = %s, %v", value, ok)
		}
	})
	if got != 0 {
		t.Errorf("Find allocates %v times", got)
	}
}

// TestElements walks arrays.
func TestElements(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want []string
	}{
		{`[]`, nil},
		{` [ ] `, nil},
		{`[1]`, []string{`1`}},
		{` [ null ,[1,[2]] , {"a":[]},"],[" , -1e5 ]`, []string{`null`, `[1,[2]]`, `{"a":[]}`, `"],["`, `-1e5`}},
		{`{"a":[1]}`, nil},
		{`"[1]"`, nil},
		{``, nil},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			var got []string
			for value := range jsonrpc.Elements([]byte(tt.in)) {
				got = append(got, string(value))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Elements(%s) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}
