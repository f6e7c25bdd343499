package rules

import (
	"fmt"
	"strconv"
	"strings"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxNames bounds how many names one reason lists.
const maxNames = 10

// leads replaces what the validator's sentences begin with, so that all are said of the argument and most begin with "must".
var leads = []struct{ given, told string }{
	{"value is ", "is "},
	{"value must ", "must "},
	{"repeated value must ", "must "},
	{"map must be ", "must have "},
	{"does not match ", "must match "},
	{"does not have ", "must have "},
	{"does not contain ", "must contain "},
	{"contains ", "must not contain "},
}

// plainer words what a built-in rule demands for a model, which knows names and not numbers. What an API's author wrote stays.
func (t *teller) plainer(p *place, found *protovalidate.Violation, text string) string {
	rule := found.RuleDescriptor
	if rule == nil || rule.IsExtension() || rule.Name() == "cel" || rule.Name() == "cel_expression" {
		return text
	}
	for _, lead := range leads {
		if rest, ok := strings.CutPrefix(text, lead.given); ok {
			text = lead.told + rest
			break
		}
	}
	switch rule.FullName() {
	case "buf.validate.AnyRules.in":
		return "must have one of the types " + listed(textsOf(found.RuleValue.List()))
	case "buf.validate.AnyRules.not_in":
		return "must not have one of the types " + listed(textsOf(found.RuleValue.List()))
	}
	if p.field == nil {
		return text
	}
	fd := p.field
	if fd.IsMap() {
		fd = fd.MapValue()
	}
	if fd.Enum() == nil || found.Proto.GetForKey() {
		return text
	}
	return t.enumReason(fd, found, text)
}

// enumReason names the values of an enum, of which the validator knows the numbers only. Where a field of its own has none but
// zero, which is how it is when nothing is given, and may not, it is missing.
func (t *teller) enumReason(fd protoreflect.FieldDescriptor, found *protovalidate.Violation, text string) string {
	ed, given := fd.Enum(), found.FieldValue
	single := fd.Cardinality() != protoreflect.Repeated && !fd.ContainingMessage().IsMapEntry()
	missing := single && (!given.IsValid() || isZero(given))
	lead := "must be one of "
	if missing {
		lead = "is missing: one of "
	}
	breaks := "breaks the rule " + found.Proto.GetRuleId()
	switch found.RuleDescriptor.FullName() {
	case "buf.validate.FieldRules.required":
		if single {
			return among("is missing: one of ", t.namesBut(ed, map[int64]bool{0: !fd.HasPresence()}), "is missing")
		}
	case "buf.validate.EnumRules.const":
		return among("must be ", t.valueNames(ed, found.RuleValue.Int()), breaks)
	case "buf.validate.EnumRules.in":
		return among(lead, t.valueNames(ed, numbersOf(found.RuleValue.List())...), breaks)
	case "buf.validate.EnumRules.defined_only":
		return among("must be one of ", t.namesBut(ed, nil), breaks)
	case "buf.validate.EnumRules.not_in":
		refused := numbersOf(found.RuleValue.List())
		if rest := t.namesBut(ed, setOf(refused)); missing && len(rest) > 0 {
			return lead + listed(rest)
		}
		return among("must not be one of ", t.valueNames(ed, refused...), breaks)
	}
	return text
}

// among lists names behind lead; where clients may see none, it is otherwise.
func among(lead string, names []string, otherwise string) string {
	if len(names) == 0 {
		return otherwise
	}
	return lead + listed(names)
}

// isZero reports whether the value of an enum is its number 0, in either form in which the validator gives it.
func isZero(v protoreflect.Value) bool {
	switch n := v.Interface().(type) {
	case protoreflect.EnumNumber:
		return n == 0
	case int32:
		return n == 0
	}
	return false
}

// listed joins the first names and counts the others.
func listed(names []string) string {
	if len(names) > maxNames {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
	}
	return strings.Join(names, ", ")
}

func textsOf(list protoreflect.List) []string {
	texts := make([]string, list.Len())
	for i := range texts {
		texts[i] = oneLine(list.Get(i).String())
	}
	return texts
}

// namesBut names the values of an enum that clients may see and whose numbers are not refused, the first name of each.
func (t *teller) namesBut(ed protoreflect.EnumDescriptor, refused map[int64]bool) []string {
	var names []string
	met := map[protoreflect.EnumNumber]bool{}
	for i := range ed.Values().Len() {
		v := ed.Values().Get(i)
		if refused[int64(v.Number())] || met[v.Number()] || t.hidesValue(v) {
			continue
		}
		met[v.Number()] = true
		names = append(names, string(v.Name()))
	}
	return names
}

// valueNames names values by their numbers, without those that clients may not see. A number without a name is its own.
func (t *teller) valueNames(ed protoreflect.EnumDescriptor, numbers ...int64) []string {
	var names []string
	for _, n := range numbers {
		switch v := ed.Values().ByNumber(protoreflect.EnumNumber(n)); {
		case v == nil:
			names = append(names, strconv.FormatInt(n, 10))
		case t.hidesValue(v):
			names = append(names, t.alias(ed, v.Number())...)
		default:
			names = append(names, string(v.Name()))
		}
	}
	return names
}

// alias returns the first name of a number that clients may see, if any.
func (t *teller) alias(ed protoreflect.EnumDescriptor, n protoreflect.EnumNumber) []string {
	for i := range ed.Values().Len() {
		if v := ed.Values().Get(i); v.Number() == n && !t.hidesValue(v) {
			return []string{string(v.Name())}
		}
	}
	return nil
}

func (t *teller) hidesValue(v protoreflect.EnumValueDescriptor) bool {
	return t.hideValue != nil && t.hideValue(v)
}

func numbersOf(list protoreflect.List) []int64 {
	numbers := make([]int64, list.Len())
	for i := range numbers {
		numbers[i] = list.Get(i).Int()
	}
	return numbers
}

func setOf(numbers []int64) map[int64]bool {
	set := map[int64]bool{}
	for _, n := range numbers {
		set[n] = true
	}
	return set
}
