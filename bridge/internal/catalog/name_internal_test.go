package catalog

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"
)

// TestOthersRenameNobody: a method that is added changes no name but one that it, or who is moved by it, could have itself, and
// frees none but such a one.
func TestOthersRenameNobody(t *testing.T) {
	t.Parallel()
	identifier := rapid.SampledFrom([]string{
		"a", "A", "v1", "a_b", "AB", "Service", "AService", "x", "Get", "Long" + strings.Repeat("Word", 12),
	})
	party := rapid.Custom(func(t *rapid.T) Party {
		parts := rapid.SliceOfN(identifier, 2, 5).Draw(t, "parts")
		return Party{Backend: rapid.SampledFrom([]string{"eu", "us"}).Draw(t, "backend"), Method: protoreflect.FullName(strings.Join(parts, "."))}
	})
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfNDistinct(party, 1, 30, rapid.ID).Draw(t, "parties")
		before := all[:rapid.IntRange(1, len(all)).Draw(t, "how many are first")]
		names := ToolNames(all)
		for i, name := range ToolNames(before) {
			if names[i] != name && !disputed(all, i, name) && !disputed(all, i, names[i]) {
				t.Fatalf("%v was %q and becomes %q, though nobody else can be called that", all[i], name, names[i])
			}
		}
	})
}

// disputed says whether another than one party has a name among those that it can have, or the same method.
func disputed(all []Party, one int, name string) bool {
	return slices.ContainsFunc(all, func(p Party) bool {
		return p != all[one] && (p.Method == all[one].Method || slices.Contains(possible(p), name))
	})
}

// possible are the names that a party can come to have.
func possible(p Party) []string {
	var names []string
	for _, shared := range []bool{false, true} {
		n := newNaming(p, shared)
		for names = append(names, n.name()); !n.last(); names = append(names, n.name()) {
			n.step++
		}
	}
	return names
}

// TestManyCollisions: thousands that share a name are told apart in as many steps as a few are.
func TestManyCollisions(t *testing.T) {
	t.Parallel()
	var parties []Party
	for i := range 20_000 {
		pkg := strings.Repeat("a", i%100+1) + "." + strings.Repeat("b", i/100+1)
		parties = append(parties, Party{Backend: "b", Method: protoreflect.FullName(pkg + ".LibraryService.GetBook")})
	}
	seen := map[string]bool{}
	for i, name := range ToolNames(parties) {
		if seen[name] || len(name) > maxName || !strings.Contains(name, "library_get_book") && !strings.Contains(name, "get_book_") {
			t.Fatalf("%s is called %q", parties[i].Method, name)
		}
		seen[name] = true
	}
}
