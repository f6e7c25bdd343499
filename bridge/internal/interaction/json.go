package interaction

import (
	"iter"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// members goes through the members of an object, their names as texts.
func members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		if !isObject(object) {
			return
		}
		for name, value := range jsonrpc.Pairs(object) {
			if !yield(string(name), value) {
				return
			}
		}
	}
}

// texts goes through the elements of an array that are strings.
func texts(array []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(array) == 0 || array[0] != '[' {
			return
		}
		for element := range jsonrpc.Elements(array) {
			if text, ok := jsonrpc.Unquote(element); ok && !yield(text) {
				return
			}
		}
	}
}
