package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// maxName is the longest tool name: what clients leave of their providers' 64 characters for a server key of up to 13.
const maxName = 44

// hashLength is the number of hexadecimal digits behind a name that had to be cut.
const hashLength = 8

// Party is a method that needs a name.
type Party struct {
	// Backend is the backend's name.
	Backend string
	// Method is the method's full name, `package.Service.Method`.
	Method protoreflect.FullName
	// Name is the one that the method has by its own word, which is never changed; "" for none.
	Name string
}

// ToolNames names the parties, which must be distinct; the result is parallel to them and depends on them alone, not on
// their order. A name that a party does not bring along matches ^[a-z][a-z0-9_]{0,43}$, without a double or a trailing underscore.
//
// It is always service_method in snake case without the suffix Service. Where names collide, every party takes as many
// trailing parts of its package in front as tell it apart (`v1_library_get_book`); where one method is served by several
// backends, the backend's name. What cannot be told apart so, and what is over 44 characters, ends in eight hexadecimal
// digits of the SHA-256 of the full method name (of `backend/method` where that is not unique); the words that make room
// for them are taken from the service first, then from the middle of the method. Collisions apart, another party never changes a name.
//
// A party that brings its name along keeps it, and the others give way: that is a collision for them alone. Names that are
// not told apart so are for the caller to find: of two parties that bring the same one, or where a name was brought along
// that ends in the digits of another party.
func ToolNames(parties []Party) []string {
	served := map[protoreflect.FullName]int{}
	for _, p := range parties {
		if p.Name == "" {
			served[p.Method]++
		}
	}
	namings := make([]naming, len(parties))
	names := make([]string, len(parties))
	for i, p := range parties {
		namings[i] = newNaming(p, served[p.Method] > 1)
		if names[i] = p.Name; p.Name == "" {
			names[i] = namings[i].name()
		}
	}
	for qualify(namings, names) {
	}
	return names
}

// qualify lets all the parties of each collision go one step further at once, and says whether any did.
func qualify(namings []naming, names []string) bool {
	holders := make(map[string]int, len(names))
	for _, name := range names {
		holders[name]++
	}
	changed := false
	for i := range namings {
		if n := &namings[i]; !n.fixed && holders[names[i]] > 1 && n.step <= len(n.prefixes) {
			n.step++
			names[i] = n.name()
			changed = true
		}
	}
	return changed
}

// naming is a party's way from its plain name to ever more qualified ones.
type naming struct {
	full     string   // the method's full name
	hashed   string   // what is hashed when words tell nothing apart: unique among the parties
	service  []string // words
	method   []string
	prefixes [][]string // words in front at each step but the first, which has none, and the last, which adds a hash
	step     int
	fixed    bool // the party brings its name along
}

func newNaming(p Party, shared bool) naming {
	parent := p.Method.Parent()
	n := naming{
		full:    string(p.Method),
		hashed:  string(p.Method),
		service: words(strings.TrimSuffix(string(parent.Name()), "Service")),
		method:  words(string(p.Method.Name())),
		fixed:   p.Name != "",
	}
	if len(n.service) == 0 {
		n.service = words(string(parent.Name()))
	}
	var pkg []string // the trailing parts so far
	var tails [][]string
	for at := parent.Parent(); at != ""; at = at.Parent() {
		pkg = slices.Concat(words(string(at.Name())), pkg)
		tails = append(tails, pkg)
	}
	if len(tails) == 0 {
		tails = append(tails, nil)
	}
	if shared {
		backend := words(p.Backend)
		n.prefixes = append(n.prefixes, backend)
		n.hashed = p.Backend + "/" + n.hashed
		for _, tail := range tails {
			n.prefixes = append(n.prefixes, slices.Concat(backend, tail))
		}
	} else {
		n.prefixes = tails
	}
	return n
}

func words(identifier string) []string {
	list := annotation.Words(identifier)
	for i, w := range list {
		list[i] = strings.ToLower(w)
	}
	return list
}

// name is the party's name at its present step.
func (n *naming) name() string {
	leading := n.service
	if n.step > 0 {
		leading = slices.Concat(n.prefixes[min(n.step, len(n.prefixes))-1], n.service)
	}
	if n.step > len(n.prefixes) {
		return cut(leading, n.method, n.hashed)
	}
	if name := snake(leading, n.method); len(name) <= maxName {
		return name
	}
	return cut(leading, n.method, n.full)
}

// snake joins words to a name; one that would begin with a digit, or be empty, is given a word in front.
func snake(leading, trailing []string) string {
	all := slices.Concat(leading, trailing)
	if len(all) == 0 || all[0][0] < 'a' {
		all = slices.Insert(all, 0, "rpc")
	}
	return strings.Join(all, "_")
}

// cut shortens a name at words, so that the hash of what it stands for fits behind it: the last words of the service go
// first, for the method's tell more, then those in the middle of the method. Its first says what is done and its last
// to what: without that, getting the code of a thing would look like getting the thing.
func cut(leading, trailing []string, hashed string) string {
	const room = maxName - 1 - hashLength
	for len(leading) > 0 && len(snake(leading, trailing)) > room {
		leading = leading[:len(leading)-1]
	}
	for len(trailing) > 2 && len(snake(leading, trailing)) > room {
		middle := len(trailing) / 2
		trailing = slices.Concat(trailing[:middle], trailing[middle+1:])
	}
	if len(trailing) == 2 && len(snake(leading, trailing)) > room {
		first, last := trailing[0], trailing[1]
		trailing = []string{first[:min(len(first), max(room/2, room-1-len(last)))], last}
	}
	name := snake(leading, trailing)
	name = strings.TrimRight(name[:min(len(name), room)], "_")
	sum := sha256.Sum256([]byte(hashed))
	return name + "_" + hex.EncodeToString(sum[:])[:hashLength]
}
