package jsonrpc_test

import (
	"fmt"
	"strings"
	"testing"

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
