package catalog

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// references are the keywords whose value is the address of another schema (JSON Schema 2019-09 and 2020-12, Core, "Schema
// References"; drafts before have `$ref` alone).
var references = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// checkReferences demands that all references of a schema lead to a schema within it: clients are not to fetch anything
// (2026-07-28 server/tools, "Input Schema"), and refuse a tool, or all, for a reference that leads nowhere.
func checkReferences(whole []byte) error {
	return (&schemaRoot{root: whole}).check(whole)
}

// schemaRoot is a schema that references are relative to: the whole, or what has an `$id` of its own within it.
type schemaRoot struct {
	root    []byte
	anchors map[string][]byte // nil until needed
}

func (r *schemaRoot) check(at []byte) error {
	for _, keyword := range references {
		value, ok := jsonrpc.Find(at, keyword)
		if !ok {
			continue
		}
		if err := r.follow(keyword, value); err != nil {
			return err
		}
	}
	for _, inner := range schema.Subschemas(at) {
		next := r
		if identified(inner) {
			next = &schemaRoot{root: inner}
		}
		if err := next.check(inner); err != nil {
			return err
		}
	}
	return nil
}

// identified says whether a schema is a resource of its own. An `$id` that is a mere fragment is an anchor (draft-07, section
// 8.2.3).
func identified(at []byte) bool {
	id, _ := jsonrpc.Find(at, "$id")
	text, ok := jsonrpc.Unquote(id)
	return ok && text != "" && text[0] != '#'
}

// maxReferences bounds how many references in a row lead to one another.
const maxReferences = 16

// follow demands that a reference leads to a schema, through other references if need be, and not back to itself.
func (r *schemaRoot) follow(keyword string, value []byte) error {
	first := value
	for range maxReferences {
		address, ok := jsonrpc.Unquote(value)
		if !ok || address == "" || address[0] != '#' {
			return fmt.Errorf("its %s %s leads out of it: let it begin with # and lead to a schema within input_schema", keyword,
				jsonrpc.Echo(string(value)))
		}
		target, found := r.resolve(address[1:])
		if !found {
			return fmt.Errorf("its %s %s leads to no schema within it: let it be # with a JSON pointer, such as #/$defs/Book, or with "+
				"the $anchor of one", keyword, jsonrpc.Echo(string(value)))
		}
		if value, ok = jsonrpc.Find(target, "$ref"); !ok || identified(target) {
			return nil
		}
	}
	return fmt.Errorf("its %s %s leads from reference to reference without end, or over more than %d of them", keyword,
		jsonrpc.Echo(string(first)), maxReferences)
}

// pointerEscapes are those of a JSON pointer (RFC 6901, section 4).
var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// resolve finds the schema of a fragment: a JSON pointer (RFC 6901, section 6) or an anchor.
func (r *schemaRoot) resolve(fragment string) ([]byte, bool) {
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, false
	}
	if fragment != "" && fragment[0] != '/' {
		if r.anchors == nil {
			r.anchors = map[string][]byte{}
			r.collect(r.root)
		}
		target, ok := r.anchors[fragment]
		return target, ok
	}
	if fragment == "" {
		return r.root, true
	}
	at := r.root
	for token := range strings.SplitSeq(fragment[1:], "/") {
		var ok bool
		if at, ok = step(at, pointerEscapes.Replace(token)); !ok {
			return nil, false
		}
	}
	return at, at[0] == '{' || string(at) == "true" || string(at) == "false"
}

// step follows one token of a JSON pointer.
func step(at []byte, token string) ([]byte, bool) {
	if value, ok := jsonrpc.Find(at, token); ok {
		return value, true
	}
	index, err := strconv.Atoi(token)
	if err != nil || strconv.Itoa(index) != token {
		return nil, false
	}
	for element := range jsonrpc.Elements(at) {
		if index == 0 {
			return element, true
		}
		index--
	}
	return nil, false
}

// collect notes the anchors of a schema and of those below that are no resources of their own.
func (r *schemaRoot) collect(at []byte) {
	for _, keyword := range []string{"$anchor", "$dynamicAnchor", "$id"} {
		value, _ := jsonrpc.Find(at, keyword)
		name, ok := jsonrpc.Unquote(value)
		if keyword == "$id" {
			name, ok = strings.CutPrefix(name, "#")
		}
		if ok && name != "" {
			r.anchors[name] = at
		}
	}
	for _, inner := range schema.Subschemas(at) {
		if !identified(inner) {
			r.collect(inner)
		}
	}
}
