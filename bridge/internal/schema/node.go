package schema

import "github.com/go-json-experiment/json/jsontext"

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
}

type property struct {
	name string
	node *node
}

// count returns how many nodes the tree has.
func (n *node) count() int {
	total := 1
	for _, p := range n.properties {
		total += p.node.count()
	}
	if n.items != nil {
		total += n.items.count()
	}
	for _, a := range n.anyOf {
		total += a.count()
	}
	return total
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
