package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
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
	// Held is the name that was derived for it in the catalog before, which clients know it by; "" for none, or for one that is
	// new. No two parties can hold the same, for one catalog has given them.
	Held string
}

// ToolNames names the parties, which must be distinct; the result is parallel to them and depends on them alone, not on
// their order. A name that is derived matches ^[a-z][a-z0-9_]{0,43}$, without a double or a trailing underscore.
//
// It is always service_method in snake case without the suffix Service. Where names collide, every party takes as many
// trailing parts of its package in front as tell it apart (`v1_library_get_book`); where one method is served by several
// backends, the backend's name. What cannot be told apart so, and what is over 44 characters, ends in eight hexadecimal
// digits of the SHA-256 of the full method name (of `backend/method` where that is not unique); the words that make room
// for them are taken from the service first, then from the method: prepositions and the like, the last first, and then those in
// its middle. Collisions apart, another party never changes a name.
//
// A party that brings its name along keeps it, and the others give way: that is a collision for them alone. Names that are
// not told apart so are for the caller to find: of two parties that bring the same one, or where a name was brought along
// that ends in the digits of another party.
//
// A name that is held stays: whoever is new and would be called so goes on to the next name, alone, and where both serve one
// method it is the new one that takes its backend's name in front. It gives way to a name that was brought along, and is then
// derived like that of a new party; a party that brings its own holds none. So names that were derived together depend on the
// parties alone, and those of parties that have come since on who was there.
func ToolNames(parties []Party) []string {
	served := map[protoreflect.FullName]int{}
	for _, p := range parties {
		served[p.Method]++
	}
	namings := make([]naming, len(parties))
	names := make([]string, len(parties))
	for i, p := range parties {
		namings[i] = newNaming(p, served[p.Method] > 1)
		names[i] = namings[i].name()
	}
	newStandings(names).settle(namings, names)
	return names
}

// standings are the parties that hold each name.
type standings map[string][]int

func newStandings(names []string) standings {
	held := make(standings, len(names))
	for i, name := range names {
		held[name] = append(held[name], i)
	}
	return held
}

// settle has the parties of collisions go on until nobody who can still go anywhere shares a name. After the first round a
// collision can only be where somebody has come to in the last one; a name gets longer with each, so there are few.
func (held standings) settle(namings []naming, names []string) {
	disputed := maps.Clone(held)
	for len(disputed) > 0 {
		leaving := held.leave(disputed, namings)
		disputed = make(standings)
		for _, i := range leaving {
			namings[i].goOn()
			names[i] = namings[i].name()
			held[names[i]] = append(held[names[i]], i)
			disputed[names[i]] = nil
		}
	}
}

// leave takes from each disputed name that several hold those who can go on, all at once, and returns them. Who has had the name
// before is none of them, unless somebody is there who cannot go on.
func (held standings) leave(disputed standings, namings []naming) []int {
	var leaving []int
	for name := range disputed {
		if len(held[name]) < 2 {
			continue
		}
		var staying []int
		final := slices.ContainsFunc(held[name], func(i int) bool { return namings[i].last() })
		for _, i := range held[name] {
			if namings[i].last() || namings[i].holds && !final {
				staying = append(staying, i)
			} else {
				leaving = append(leaving, i)
			}
		}
		held[name] = staying
	}
	return leaving
}

// naming is a party's way from its plain name to ever more qualified ones.
type naming struct {
	party    Party
	shared   bool     // several backends serve the method
	holds    bool     // it still has the name that it held, before its first step
	service  []string // words
	method   []string
	prefixes [][]string // words in front at each step but the first, which has none, and the last, which adds a hash; nil until needed
	step     int
}

func newNaming(p Party, shared bool) naming {
	parent := p.Method.Parent()
	n := naming{
		party:   p,
		shared:  shared,
		holds:   p.Held != "" && p.Name == "",
		service: words(strings.TrimSuffix(string(parent.Name()), "Service")),
		method:  words(string(p.Method.Name())),
	}
	if len(n.service) == 0 {
		n.service = words(string(parent.Name()))
	}
	return n
}

// last says that the party's name stays as it is, whoever else has it: it was brought along, or ends in the hash already.
func (n *naming) last() bool {
	return n.party.Name != "" || !n.holds && n.step > len(n.inFront())
}

// goOn takes the party to its next name: from the one that it held to its plain one, and then on.
func (n *naming) goOn() {
	if n.holds {
		n.holds = false
		return
	}
	n.step++
}

// inFront returns what stands in front at each step.
func (n *naming) inFront() [][]string {
	if n.prefixes != nil {
		return n.prefixes
	}
	var pkg []string // the trailing parts so far
	var tails [][]string
	for at := n.party.Method.Parent().Parent(); at != ""; at = at.Parent() {
		pkg = slices.Concat(words(string(at.Name())), pkg)
		tails = append(tails, pkg)
	}
	if len(tails) == 0 {
		tails = append(tails, nil)
	}
	n.prefixes = tails
	if n.shared {
		backend := words(n.party.Backend)
		n.prefixes = [][]string{backend}
		for _, tail := range tails {
			n.prefixes = append(n.prefixes, slices.Concat(backend, tail))
		}
	}
	return n.prefixes
}

// hashed is what is hashed when words tell nothing apart: unique among the parties.
func (n *naming) hashed() string {
	if n.shared {
		return n.party.Backend + "/" + string(n.party.Method)
	}
	return string(n.party.Method)
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
	if n.party.Name != "" {
		return n.party.Name
	}
	if n.holds {
		return n.party.Held
	}
	leading := n.service
	if n.step > 0 {
		leading = slices.Concat(n.inFront()[min(n.step, len(n.inFront()))-1], n.service)
	}
	if n.step > 0 && n.step > len(n.inFront()) {
		return cut(leading, n.method, n.hashed())
	}
	if name := snake(leading, n.method); len(name) <= maxName {
		return name
	}
	return cut(leading, n.method, string(n.party.Method))
}

// snake joins words to a name; one that would begin with a digit, or be empty, is given a word in front.
func snake(leading, trailing []string) string {
	all := slices.Concat(leading, trailing)
	if len(all) == 0 || all[0][0] < 'a' {
		all = slices.Insert(all, 0, "rpc")
	}
	return strings.Join(all, "_")
}

// small are words that tell little of what a method does, and the first that a name which is too long does without.
var small = []string{"a", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}

// cut shortens a name at words, so that the hash of what it stands for fits behind it: the last words of the service go
// first, for the method's tell more, then the small words of the method, the last first, then those in its middle. Its first
// says what is done and its last to what: without that, getting the code of a thing would look like getting the thing.
func cut(leading, trailing []string, hashed string) string {
	const room = maxName - 1 - hashLength
	for len(leading) > 0 && len(snake(leading, trailing)) > room {
		leading = leading[:len(leading)-1]
	}
	for i := len(trailing) - 2; i > 0 && len(snake(leading, trailing)) > room; i-- {
		if slices.Contains(small, trailing[i]) {
			trailing = slices.Concat(trailing[:i], trailing[i+1:])
		}
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
