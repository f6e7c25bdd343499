package lint

import (
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// maxReferences bounds how many references in a row lead to one another.
const maxReferences = 16

// reference demands that a reference leads to a schema within the whole, by a JSON pointer: clients fetch nothing, and one
// that leads nowhere costs all tools of the list. A schema that is an override may use names instead, which were looked up
// when it was read.
func (w *walk) reference(value []byte) {
	first, ok := jsonrpc.Unquote(value)
	if !ok || slices.Contains(w.refs, first) {
		return
	}
	address := first
	for range maxReferences {
		target, found := w.resolve(address)
		if !found {
			w.found(referenceDangling, "it refers to %s, which is no schema within it: clients drop all tools of the list for it",
				jsonrpc.Echo(address))
			return
		}
		next, more := jsonrpc.Find(target, "$ref")
		if address, ok = jsonrpc.Unquote(next); !more || !ok {
			w.refs = append(w.refs, first)
			return
		}
	}
	w.found(referenceDangling, "it refers to %s, which leads from reference to reference without end", jsonrpc.Echo(first))
}

// pointerEscapes are those of a JSON pointer (RFC 6901, section 4).
var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// resolve finds what a reference leads to; nil where that is a name in a schema that is an override.
func (w *walk) resolve(address string) (target []byte, found bool) {
	pointer, local := strings.CutPrefix(address, "#")
	if pointer == "" || pointer[0] != '/' {
		return w.whole, local && (pointer == "" || w.dialect == raw)
	}
	pointer, err := url.PathUnescape(pointer)
	if !local || err != nil {
		return nil, false
	}
	at := w.whole
	for token := range strings.SplitSeq(pointer[1:], "/") {
		var ok bool
		if at, ok = jsonrpc.Find(at, pointerEscapes.Replace(token)); !ok {
			return nil, w.dialect == raw // into a list, or relative to an $id
		}
	}
	return at, at[0] == '{'
}
