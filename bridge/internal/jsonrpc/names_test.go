package jsonrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// objectOf returns an object with the given literals as names.
func objectOf(literals []string, value string) string {
	members := make([]string, len(literals))
	for i, literal := range literals {
		members[i] = literal + ":" + value
	}
	return "{" + strings.Join(members, ",") + "}"
}

// literalsOf returns n name literals, each fourth one escaped.
func literalsOf(n int) []string {
	literals := make([]string, n)
	for i := range literals {
		literals[i] = fmt.Sprintf(`"n%d"`, i)
		if i%4 == 3 {
			literals[i] = fmt.Sprintf(`"\u006e%d"`, i)
		}
	}
	return literals
}

// TestDuplicatesInLargeObjects repeats each name of objects of many sizes,
// around the sizes where names move into a table and the table grows.
func TestDuplicatesInLargeObjects(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 130, 300} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			literals := literalsOf(n)
			if err := jsonrpc.Check([]byte(objectOf(literals, "0")), jsonrpc.Limits{}); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				again := fmt.Sprintf(`"\u006e%d"`, i)
				doubled := objectOf(append(literals[:n:n], again), "0")
				wantError(t, jsonrpc.Check([]byte(doubled), jsonrpc.Limits{}), jsonrpc.CodeParse, "a second time")
			}
		})
	}
}

// TestDuplicatesAroundLargeObjects puts large objects into large objects: the
// same names at each depth are no duplicates, and a duplicate after an inner
// object has closed is found.
func TestDuplicatesAroundLargeObjects(t *testing.T) {
	t.Parallel()
	literals := literalsOf(40)
	inner := objectOf(literals, "0")
	middle := objectOf(literals, inner)
	limits := jsonrpc.Limits{Tokens: 1 << 20}
	for _, in := range []string{inner, middle, objectOf(literals[:20], middle), "[" + middle + "," + inner + "," + middle + "]"} {
		if err := jsonrpc.Check([]byte(in), limits); err != nil {
			t.Errorf("Check(…) = %v", err)
		}
	}
	for _, again := range []string{`"n0"`, `"n3"`, `"n20"`, `"n39"`} {
		in := objectOf(append(literals[:40:40], again), inner)
		wantError(t, jsonrpc.Check([]byte(in), limits), jsonrpc.CodeParse, "a second time")
	}
}

// TestManyNamesAreLinear reads half a million names of one length in one
// object. Pairwise comparison would run into the test binary's time-out.
func TestManyNamesAreLinear(t *testing.T) {
	t.Parallel()
	in := []byte{'{'}
	for i := range 500_000 {
		in = fmt.Appendf(in, `"%020d":0,`, i)
	}
	in = append(in, `"":0}`...)
	if err := jsonrpc.Check(in, jsonrpc.Limits{Tokens: 1 << 21}); err != nil {
		t.Fatal(err)
	}
}

// TestNamesProperty compares the verdict on random objects with a Go map's.
func TestNamesProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringN(0, 3, -1), 0, 60).Draw(t, "names")
		seen := map[string]bool{}
		literals := make([]string, len(names))
		for i, name := range names {
			seen[name] = true
			literals[i] = spell(t, name)
		}
		err := jsonrpc.Check([]byte(objectOf(literals, "{}")), jsonrpc.Limits{})
		if unique := len(seen) == len(names); unique != (err == nil) {
			t.Fatalf("unique %v, Check = %v", unique, err)
		}
	})
}

// TestNamesOfSiblings holds objects that begin as one before them: what such a one
// has left behind vouches for its own names alone.
func TestNamesOfSiblings(t *testing.T) {
	t.Parallel()
	for in, fresh := range map[string]bool{
		`[{"a":1,"b":2},{"a":1,"b":2},{"a":1,"b":2}]`:             true,
		`[{"a":1,"b":2},{"a":1,"b":2,"c":3},{"a":1,"c":3}]`:       true,
		`[{"a":1,"b":2},{"b":1,"a":2},{"a":1,"b":2}]`:             true,
		`[{"a":1,"b":2},{"a":1,"b":2,"a":3}]`:                     false,
		`[{"a":1,"b":2},{"a":1,"a":2}]`:                           false,
		`[{"a":1,"b":2},{"a" :1,"b":2},{"a":1,"b" :2,"b":3}]`:     false,
		`[{"a":1,"n":{"a":1}},{"a":1,"n":2,"a":3}]`:               false,
		`[{"a":1,"n":{"a":1}},{"a":1,"n":{"a":2}}]`:               true,
		`[{"a":1,"n":{"x":1,"a":2}},{"a":1,"n":2,"x":3,"a":4}]`:   false,
		`[{"a":1,"n":{"x":1},"b":2},{"a":1,"n":{"x":1},"b":2}]`:   true,
		`[{"a":1,"n":{"x":1},"b":2},{"a":1,"n":{"x":1},"n":2}]`:   false,
		`[{"a":1,"b":2},{"\u0061":1,"b":2,"a":3}]`:                false,
		`[{"\u0061":1,"b":2},{"\u0061":1,"b":2,"a":3}]`:           false,
		`[{"":1,"b":2},{"":1,"b":2},{"":1,"":2}]`:                 false,
		`[{"a":1,"b":2},[{"a":1},{"a":1,"a":2}]]`:                 false,
		`[{"a":{"a":{"a":1}}},{"a":{"a":{"a":1}}}]`:               true,
		`[{"a":{"a":{"a":1}}},{"a":1,"a":1}]`:                     false,
		`{"a":[{"a":1,"b":[{"a":1,"b":2}]},{"a":1,"b":2}],"a":1}`: false,
	} {
		err := jsonrpc.Check([]byte(in), jsonrpc.Limits{})
		if fresh != (err == nil) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// TestNamesOfSiblingsProperty compares the verdict on random trees of few names
// with jsontext's.
func TestNamesOfSiblingsProperty(t *testing.T) {
	t.Parallel()
	name := rapid.SampledFrom([]string{`"a"`, `"b"`, `"\u0061"`, `"ab"`, `""`, `"c" `, `"d"`})
	var value func(t *rapid.T, depth int) string
	list := func(t *rapid.T, item func() string) string {
		items := make([]string, rapid.IntRange(0, 4).Draw(t, "length"))
		for i := range items {
			items[i] = item()
		}
		return strings.Join(items, ",")
	}
	value = func(t *rapid.T, depth int) string {
		switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
		case depth == 0 || kind == 0:
			return "1"
		case kind == 1:
			return "[" + list(t, func() string { return value(t, depth-1) }) + "]"
		}
		return "{" + list(t, func() string { return name.Draw(t, "name") + ":" + value(t, depth-1) }) + "}"
	}
	rapid.Check(t, func(t *rapid.T) {
		in := value(t, 5)
		if err := jsonrpc.Check([]byte(in), jsonrpc.Limits{}); (err == nil) != jsontext.Value(in).IsValid() {
			t.Fatalf("%s: %v", in, err)
		}
	})
}
