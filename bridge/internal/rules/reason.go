package rules

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// maxReason bounds, in bytes, what is demanded by one rule.
const maxReason = 400

// violations tells what the validator has found in a request of type md; none where clients may see none of it.
func (t *teller) violations(md protoreflect.MessageDescriptor, found []*protovalidate.Violation) *Violations {
	type located struct {
		*place
		Violation
	}
	all := make([]located, 0, len(found))
	for _, f := range found {
		p := t.locate(md, f.Proto.GetField())
		if p.hidden {
			continue
		}
		if reason := t.reason(&p, f); reason != "" {
			all = append(all, located{&p, Violation{Path: p.path, Reason: reason, Rule: f.Proto.GetRuleId()}})
		}
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
	return v
}

// reason says what is demanded at p; "" where that is of hidden fields only.
func (t *teller) reason(p *place, found *protovalidate.Violation) string {
	text := oneLine(found.Proto.GetMessage())
	switch id := found.Proto.GetRuleId(); {
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
		text = enumReason(p, found, text)
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
	md := p.message
	if p.field != nil {
		md = messageOf(p.field)
	}
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

// enumReason names the values of an enum, of which the validator knows the numbers only.
func enumReason(p *place, found *protovalidate.Violation, text string) string {
	if p.field == nil || found.RuleDescriptor == nil {
		return text
	}
	fd := p.field
	if fd.IsMap() {
		fd = fd.MapValue()
	}
	if fd.Enum() == nil {
		return text
	}
	switch found.RuleDescriptor.FullName() {
	case "buf.validate.EnumRules.const":
		return "must be " + valueName(fd.Enum(), found.RuleValue.Int())
	case "buf.validate.EnumRules.in":
		return "must be one of " + valueNames(fd.Enum(), found.RuleValue.List())
	case "buf.validate.EnumRules.not_in":
		return "must not be one of " + valueNames(fd.Enum(), found.RuleValue.List())
	}
	return text
}

func valueNames(ed protoreflect.EnumDescriptor, numbers protoreflect.List) string {
	names := make([]string, numbers.Len())
	for i := range names {
		names[i] = valueName(ed, numbers.Get(i).Int())
	}
	return strings.Join(names, ", ")
}

func valueName(ed protoreflect.EnumDescriptor, number int64) string {
	if v := ed.Values().ByNumber(protoreflect.EnumNumber(number)); v != nil {
		return string(v.Name())
	}
	return strconv.FormatInt(number, 10)
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
