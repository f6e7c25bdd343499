package rules

import (
	"strings"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// secret reports whether a broken rule of the API's own names a field that clients may not see, in its expression or in what
// it says: they could neither keep it nor may they learn of the field. A name counts wherever it is a word, so that a rule
// about another field of the name is passed over with it.
func (t *teller) secret(p *place, found *protovalidate.Violation) bool {
	if t.hide == nil || p.oneof != nil || found.Proto.GetRuleId() == "message.oneof" || isStandard(found.RuleDescriptor) {
		return false
	}
	md := p.owner()
	if md == nil {
		md = p.message
	}
	names := t.secretsOf(md)
	if len(names) == 0 {
		return false
	}
	texts := append(expressions(p, found), found.Proto.GetMessage())
	for word := range strings.FieldsFuncSeq(strings.Join(texts, " "), isNoWord) {
		if names[word] {
			return true
		}
	}
	return false
}

// isStandard reports whether a rule is one of buf.validate's own.
func isStandard(rule protoreflect.FieldDescriptor) bool {
	return rule != nil && !rule.IsExtension() && !isExpression(rule)
}

func isNoWord(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// secretsOf returns the names, in both spellings, of the fields that clients may not see of md and of all that it can hold.
func (t *teller) secretsOf(md protoreflect.MessageDescriptor) map[string]bool {
	if known, ok := t.secrets[md]; ok {
		return known
	}
	names := map[string]bool{}
	for _, held := range reachable(md) {
		for i := range held.Fields().Len() {
			if fd := held.Fields().Get(i); t.hides(fd) {
				names[string(fd.Name())], names[fd.JSONName()] = true, true
			}
		}
	}
	if t.secrets == nil {
		t.secrets = map[protoreflect.MessageDescriptor]map[string]bool{}
	}
	t.secrets[md] = names
	return names
}

// expressions returns those of the rules at p that have the id of the broken one, and the id, which may be the expression.
func expressions(p *place, found *protovalidate.Violation) []string {
	id := found.Proto.GetRuleId()
	texts := []string{id}
	var rules proto.Message
	if found.FieldDescriptor != nil && p.field != nil {
		rules, _ = protovalidate.ResolveFieldRules(p.field)
	} else if md := p.owner(); md != nil {
		rules, _ = protovalidate.ResolveMessageRules(md)
	}
	if rules == nil { // not of a type either
		return texts
	}
	eachRule(rules.ProtoReflect(), func(rule *validate.Rule) {
		if rule.GetId() == id {
			texts = append(texts, rule.GetExpression())
		}
	})
	return texts
}

// eachRule goes through the rules in CEL that m holds, at any depth.
func eachRule(m protoreflect.Message, visit func(*validate.Rule)) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Message() == nil || fd.IsMap():
		case fd.IsList():
			for i := range v.List().Len() {
				if rule, ok := v.List().Get(i).Message().Interface().(*validate.Rule); ok {
					visit(rule)
				}
			}
		default:
			eachRule(v.Message(), visit)
		}
		return true
	})
}
