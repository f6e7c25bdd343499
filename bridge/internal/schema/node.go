package schema

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// node is one schema. The fields are the keywords of the portable profile, each left out when empty, so that nothing else
// can be said; `properties` alone is also written empty, for an object.
type node struct {
	types       []string
	description string
	format      string
	enum        []string
	object      bool // write properties even when there are none
	properties  []property
	required    []string
	items       *node
	anyOf       []*node
	known       extent // of a node that is sealed; zero for others
}

type property struct {
	name string
	node *node
}

// extent is how large a schema is: its bytes as JSON and its nodes.
type extent struct {
	bytes, nodes int
}

func (e extent) plus(o extent) extent  { return extent{e.bytes + o.bytes, e.nodes + o.nodes} }
func (e extent) minus(o extent) extent { return extent{e.bytes - o.bytes, e.nodes - o.nodes} }

// seal measures a node that does not change any more. It may then be part of several trees.
func (n *node) seal() *node {
	n.known = n.extent()
	return n
}

// extent measures the tree without writing it.
func (n *node) extent() extent {
	if n.known.nodes > 0 {
		return n.known
	}
	e := extent{len("{}") + n.leafBytes(), 1}
	keywords := 0
	if n.object || len(n.properties) > 0 {
		keywords++
		e.bytes += len(`"properties":{},`) + max(len(n.properties)-1, 0)
		for _, p := range n.properties {
			e.bytes += quotedBytes(p.name) + len(":")
			e = e.plus(p.node.extent())
		}
	}
	if n.items != nil {
		keywords++
		e.bytes += len(`"items":,`)
		e = e.plus(n.items.extent())
	}
	if len(n.anyOf) > 0 {
		keywords++
		e.bytes += len(`"anyOf":[],`) + len(n.anyOf) - 1
		for _, a := range n.anyOf {
			e = e.plus(a.extent())
		}
	}
	if keywords > 0 || e.bytes > len("{}") {
		e.bytes-- // the last keyword has no comma behind it
	}
	return e
}

// leafBytes counts the keywords that hold no schemas, each with a comma behind it.
func (n *node) leafBytes() int {
	var total int
	if len(n.types) == 1 {
		total += len(`"type":,`) + quotedBytes(n.types[0])
	} else if len(n.types) > 1 {
		total += len(`"type":,`) + listBytes(n.types)
	}
	if n.description != "" {
		total += len(`"description":,`) + quotedBytes(n.description)
	}
	if n.format != "" {
		total += len(`"format":,`) + quotedBytes(n.format)
	}
	if len(n.enum) > 0 {
		total += len(`"enum":,`) + listBytes(n.enum)
	}
	if len(n.required) > 0 {
		total += len(`"required":,`) + listBytes(n.required)
	}
	return total
}

func listBytes(list []string) int {
	total := len("[]") + max(len(list)-1, 0)
	for _, s := range list {
		total += quotedBytes(s)
	}
	return total
}

// quotedBytes is the length of what [appendString] appends.
func quotedBytes(s string) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == 0x7f || c >= utf8.RuneSelf {
			return len(appendString(make([]byte, 0, 2*len(s)), s))
		}
	}
	return len(s) + len(`""`)
}

// append writes the tree as compact JSON.
func (n *node) append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, '{')
	dst = n.appendLeaf(dst)
	if n.object || len(n.properties) > 0 {
		dst = append(dst, `"properties":{`...)
		for i, p := range n.properties {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, p.name), ':')
			dst = p.node.append(dst)
		}
		dst = append(dst, `},`...)
	}
	if len(n.required) > 0 {
		dst = append(appendStrings(append(dst, `"required":`...), n.required), ',')
	}
	if n.items != nil {
		dst = append(n.items.append(append(dst, `"items":`...)), ',')
	}
	if len(n.anyOf) > 0 {
		dst = append(dst, `"anyOf":[`...)
		for i, a := range n.anyOf {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = a.append(dst)
		}
		dst = append(dst, `],`...)
	}
	if len(dst) > start+1 {
		dst = dst[:len(dst)-1]
	}
	return append(dst, '}')
}

// appendLeaf writes the keywords that hold no schemas, each with a comma behind it.
func (n *node) appendLeaf(dst []byte) []byte {
	switch len(n.types) {
	case 0:
	case 1:
		dst = append(appendString(append(dst, `"type":`...), n.types[0]), ',')
	default:
		dst = append(appendStrings(append(dst, `"type":`...), n.types), ',')
	}
	if n.description != "" {
		dst = append(appendString(append(dst, `"description":`...), n.description), ',')
	}
	if n.format != "" {
		dst = append(appendString(append(dst, `"format":`...), n.format), ',')
	}
	if len(n.enum) > 0 {
		dst = append(appendStrings(append(dst, `"enum":`...), n.enum), ',')
	}
	return dst
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

// appendString quotes s; the error of AppendQuote is about invalid UTF-8, which it has replaced.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
