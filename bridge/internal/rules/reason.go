package rules

import (
	"slices"
	"strings"
	"unicode"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// maxReason bounds, in bytes, what is demanded by one rule.
const maxReason = 400

// violations tells what the validator has found. What clients are told nothing of is left out, and the full name of the
// message or field whose rule it is is in aside; with nothing left, there are no violations.
func (t *teller) violations(found []*protovalidate.Violation) (told *Violations, aside []protoreflect.FullName) {
	type located struct {
		*place
		Violation
	}
	all := make([]located, 0, len(found))
	for _, f := range found {
		p := t.locate(f.Proto.GetField())
		if reason := t.reason(&p, f); reason != "" {
			all = append(all, located{&p, Violation{Path: p.path, Reason: reason, Rule: f.Proto.GetRuleId()}})
			continue
		}
		if f.FieldDescriptor != nil {
			aside = append(aside, f.FieldDescriptor.FullName())
		} else {
			aside = append(aside, p.owner().FullName())
		}
	}
	if len(all) == 0 {
		return nil, aside
	}
	slices.SortStableFunc(all, func(a, b located) int { return comparePlaces(a.place, b.place) })
	v := &Violations{}
	met := map[Violation]bool{}
	for _, one := range all {
		if !met[one.Violation] {
			met[one.Violation] = true
			v.List = append(v.List, one.Violation)
		}
	}
	return v, aside
}

// reason says what is demanded at p; "" where that is of hidden fields only.
func (t *teller) reason(p *place, found *protovalidate.Violation) string {
	text := oneLine(found.Proto.GetMessage())
	switch id := found.Proto.GetRuleId(); {
	case t.secret(p, found):
		return ""
	case p.oneof != nil:
		names := t.listed(fieldsOf(p.oneof.Fields()))
		if names == "" {
			return ""
		}
		text = "exactly one of " + names + " is required"
	case id == "message.oneof":
		text = t.respell(p, text)
	case text == "" && id == "":
		text = "breaks a rule without a name"
	case text == "":
		text = "breaks the rule " + id
	default:
		text = t.plainer(p, found, text)
	}
	if found.Proto.GetForKey() {
		text = "the key " + text
	}
	return jsonrpc.Clip(text, maxReason)
}

func fieldsOf(fields protoreflect.FieldDescriptors) []protoreflect.FieldDescriptor {
	list := make([]protoreflect.FieldDescriptor, fields.Len())
	for i := range list {
		list[i] = fields.Get(i)
	}
	return list
}

// respell names the fields in the text about a message's own oneof as they are advertised; "" where all are hidden.
func (t *teller) respell(p *place, text string) string {
	md := p.owner()
	rules, err := protovalidate.ResolveMessageRules(md)
	if err != nil {
		return text
	}
	for _, oneof := range rules.GetOneof() {
		var fields []protoreflect.FieldDescriptor
		for _, name := range oneof.GetFields() {
			if fd := md.Fields().ByName(protoreflect.Name(name)); fd != nil {
				fields = append(fields, fd)
			}
		}
		const lead = "one of "
		given := lead + strings.Join(oneof.GetFields(), ", ") + " "
		if !strings.Contains(text, given) {
			continue
		}
		names := t.listed(fields)
		if names == "" {
			return ""
		}
		return strings.Replace(text, given, lead+names+" ", 1)
	}
	return text
}

// oneLine makes a rule's text, which the API's author wrote, fit for one line of an error: valid UTF-8 without line breaks
// and without what cannot be seen. Markup stays, because patterns look like it.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.C, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return -1
		}
		return r // strings.Map makes U+FFFD of invalid bytes
	}, text))
}
