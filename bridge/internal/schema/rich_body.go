package schema

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// richSide tells what a caller sends from what comes back.
type richSide uint8

const (
	richIn richSide = iota
	richOut
)

// richTexts says how much one level of detail tells.
type richTexts struct {
	comment int  // characters of a comment; maxText stands for the whole, less for the first sentence
	named   int  // fields that a message that is not shown is described by
	enum    int  // names that an enum may have
	values  bool // whether the comments on an enum's values are told
	bytes   int  // up to which size of a whole schema this much is told: a listing of many has to stay affordable
}

// richLevels is how many levels of detail there are, the fullest first.
const richLevels = 4

// richSentence is the room of the first sentence of a comment.
const richSentence = 200

// richScale is the order in which texts and names are given up for structure.
var richScale = [2][richLevels]richTexts{
	richIn: {
		{maxText, maxListed, maxEnum, true, 1 << 10},
		{richSentence, 4, maxEnum, true, 5 << 10},
		{0, 4, maxEnum, false, 12 << 10},
		{0, 0, 16, false, 16 << 10},
	},
	richOut: {
		{0, maxListed, maxEnum, false, 3 << 10}, {0, 4, maxEnum, false, 6 << 10}, {0, 4, 16, false, 8 << 10}, {0, 0, 0, false, 8 << 10},
	},
}

// richNode is the schema of one value. Where target is set, it is that of a message or an enum, which stands here or in
// $defs; types, rest, items and values are then empty.
type richNode struct {
	types         string // the JSON of `type`, "" for none
	said          saying
	detail        string   // words on the form of the value
	rest          []string // other keywords with their values
	items, values *richNode
	target        protoreflect.Descriptor
}

// richField is one property of an object.
type richField struct {
	name     string
	node     *richNode
	required bool
}

// richBody is what is known of a message or an enum on one side, at every level of detail. It does not change.
type richBody struct {
	target protoreflect.Descriptor // nil for a root of its own
	fields []richField
	closed bool   // no other properties are accepted
	head   string // the schema up to where a description may stand: `{"type":"object"`
	about  string // the comment on the type
	rules  string // what holds for the whole message, always told
	values string // the comments on the values of an enum
	forms  [richLevels]richForm
	small  bool // short enough to be written wherever it is used
}

// richForm is the JSON of a body behind its description, without the brace at the end, at one level of detail.
type richForm struct {
	pieces []richPiece
	about  string // the comment on the type
	names  string // the names of an enum that are not written as such
	values string // what stands behind a description that has room for it
}

// richPiece is text and what follows it: the schema of target, or nothing.
type richPiece struct {
	text   string
	target protoreflect.Descriptor
	said   saying
}

// richCache keeps the bodies of one generator, by side: methods share most of their messages.
type richCache struct {
	bodies [2]cache[protoreflect.FullName, *richBody]
}

// body returns what is known of a message or an enum.
func (g *Generator) body(d protoreflect.Descriptor, side richSide) *richBody {
	return g.rich.bodies[side].get(d.FullName(), func() *richBody { return g.newBody(d, side) })
}

func (g *Generator) newBody(d protoreflect.Descriptor, side richSide) *richBody {
	if ed, ok := d.(protoreflect.EnumDescriptor); ok {
		return g.enumBody(ed, side)
	}
	b := g.objectBody(d.(protoreflect.MessageDescriptor), side)
	b.finish(side)
	return b
}

// maxSmall is how long a schema may be, in bytes, that is written wherever it is used.
const maxSmall = 120

// finish writes the forms of an object.
func (b *richBody) finish(side richSide) {
	b.head = `{"type":"object"`
	for level, texts := range richScale[side] {
		w := richWriter{texts: texts}
		w.properties(b.fields)
		if b.closed && (b.target == nil || level < richLevels-1) {
			w.text = append(w.text, `,"additionalProperties":false`...)
		}
		b.forms[level] = richForm{pieces: append(w.pieces, richPiece{text: string(w.text)}), about: brief(b.about, texts)}
	}
	first := b.forms[0].pieces
	b.small = len(first) == 1 && len(b.head)+len(first[0].text)+len(b.rules)+len(b.forms[0].about) <= maxSmall
}

// brief is what is told of a type: a sentence at most.
func brief(about string, texts richTexts) string {
	return shortened(annotation.Sentence(about), min(texts.comment, 120))
}

// names lists the properties; of those that are sent it marks bytes.
func (b *richBody) names(side richSide) []string {
	names := make([]string, len(b.fields))
	for i, f := range b.fields {
		names[i] = f.name
		if side == richIn && f.node.isBytes() {
			names[i] += " (base64)"
		}
	}
	return names
}

// isBytes says whether values, or what is in a list or a map of them, are base64.
func (n *richNode) isBytes() bool {
	return n != nil && (slices.Contains(n.rest, encoded) || n.items.isBytes() || n.values.isBytes())
}

// richWriter writes pieces at one level of detail.
type richWriter struct {
	texts  richTexts
	text   []byte
	pieces []richPiece
}

// properties writes the keywords of an object, each with a comma before it.
func (w *richWriter) properties(fields []richField) {
	if len(fields) == 0 {
		return
	}
	var required []string
	w.text = append(w.text, `,"properties":{`...)
	for i, f := range fields {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		w.text = append(appendString(w.text, f.name), ':')
		w.node(f.node)
		if f.required {
			required = append(required, f.name)
		}
	}
	w.text = append(w.text, '}')
	if len(required) > 0 {
		w.text = appendStrings(append(w.text, `,"required":`...), required)
	}
}

func (w *richWriter) node(n *richNode) {
	said := saying{w.trim(n.said.comment), n.said.note}
	if n.target != nil {
		w.pieces = append(w.pieces, richPiece{string(w.text), n.target, said})
		w.text = nil
		return
	}
	w.text = append(w.text, '{')
	if n.types != "" {
		w.keyword(`"type":` + n.types)
	}
	if description := said.with(n.detail); description != "" {
		w.keyword(`"description":` + string(appendString(nil, description)))
	}
	for _, k := range n.rest {
		w.keyword(k)
	}
	w.child(`"items":`, n.items)
	w.child(`"additionalProperties":`, n.values)
	w.text = append(w.text, '}')
}

func (w *richWriter) child(name string, n *richNode) {
	if n != nil {
		w.keyword(name)
		w.node(n)
	}
}

// keyword writes a keyword, with a comma before it unless it is the first of its schema.
func (w *richWriter) keyword(text string) {
	if w.text[len(w.text)-1] != '{' {
		w.text = append(w.text, ',')
	}
	w.text = append(w.text, text...)
}

// trim cuts a comment to what the level tells.
func (w *richWriter) trim(comment string) string {
	if w.texts.comment < maxText {
		comment = annotation.Sentence(comment)
	}
	return shortened(comment, w.texts.comment)
}

// stub says what stands in place of the properties of an object that is not shown.
func (b *richBody) stub(side richSide, texts richTexts) string {
	name := string(b.target.Name()) + " object"
	if texts.named == 0 || len(b.fields) == 0 {
		return name + "."
	}
	return name + " with " + listSome(b.names(side), texts.named) + "."
}
