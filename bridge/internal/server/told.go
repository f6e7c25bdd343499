package server

import (
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// announced are the lists whose changes are announced, by the names under which
// [told] has them. Resource templates are announced with the resources.
var announced = []struct {
	name, method string
	declared     func(offer) bool
	digest       func(catalog.Digests) string
}{
	{"tools", mcp.MethodToolsChanged, func(offer) bool { return true }, func(d catalog.Digests) string { return d.Tools }},
	{"prompts", mcp.MethodPromptsChanged, offer.prompts, func(d catalog.Digests) string { return d.Prompts }},
	{"resources", mcp.MethodResourcesChanged, offer.resources, func(d catalog.Digests) string { return d.Resources }},
}

// told says what a client knows of the lists: the digest of each list that was
// declared to it, by name. Of others it is told nothing.
type told map[string]string

// tell returns what a client knows that is told of everything now.
func tell(offered offer) told {
	t, digests := told{}, offered.Digests()
	for _, list := range announced {
		if list.declared(offered) {
			t[list.name] = list.digest(digests)
		}
	}
	return t
}

// parseTold reads what String wrote. What it cannot read was not declared.
func parseTold(text string) told {
	t := told{}
	for part := range strings.FieldsSeq(text) {
		if name, digest, ok := strings.Cut(part, "="); ok {
			t[name] = digest
		}
	}
	return t
}

// String writes what a client knows for the record of its session.
func (t told) String() string {
	var parts []string
	for _, list := range announced {
		if digest, ok := t[list.name]; ok {
			parts = append(parts, list.name+"="+digest)
		}
	}
	return strings.Join(parts, " ")
}

// outdated returns the methods of the notifications by which a client learns
// what it does not know yet, and notes that it does.
func (t told) outdated(digests catalog.Digests) []string {
	var methods []string
	for _, list := range announced {
		known, declared := t[list.name]
		if now := list.digest(digests); declared && known != now {
			t[list.name] = now
			methods = append(methods, list.method)
		}
	}
	return methods
}
