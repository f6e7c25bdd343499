package schema

import (
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// invites says whether a field is shown to callers. One that is deprecated is accepted, but nobody is asked to use it; one of
// an enum no value of which may be sent has nothing to ask for.
func (t *teller) invites(fd protoreflect.FieldDescriptor, said annotation.Field) bool {
	if said.OutputOnly || said.Deprecated && !said.Required || t.Hidden(fd) != "" {
		return false
	}
	if said.Required {
		return true
	}
	ed := valueOf(fd).Enum()
	return ed == nil || len(t.invited(ed, eachOf(fd, said.Constraint), false)) > 0
}

// eachOf returns what a constraint on a field demands of each item of a list, or of each value of a map; nil for nothing.
func eachOf(fd protoreflect.FieldDescriptor, c *annotation.Constraint) *annotation.Constraint {
	switch {
	case c == nil:
		return nil
	case fd.IsMap():
		return c.Values
	case fd.IsList():
		return c.Items
	}
	return c
}

// invited returns the values of an enum that callers may send: those that may be seen and that a constraint admits, in the order
// of declaration, of aliases the first. Deprecated ones are left out, and where one has to be set the one that stands for
// none, unless nothing else is left.
func (t *teller) invited(ed protoreflect.EnumDescriptor, c *annotation.Constraint, set bool) []annotation.EnumValue {
	var admitted []annotation.EnumValue
	for _, v := range t.Enum(ed).Values {
		if c == nil || allows(c, v.Descriptor) {
			admitted = append(admitted, v)
		}
	}
	for _, unwanted := range []func(v annotation.EnumValue) bool{
		func(v annotation.EnumValue) bool { return v.Deprecated || set && unspecified(v.Descriptor) },
		func(v annotation.EnumValue) bool { return set && unspecified(v.Descriptor) },
	} {
		if wanted := slices.DeleteFunc(slices.Clone(admitted), unwanted); len(wanted) > 0 {
			return distinct(wanted)
		}
	}
	return distinct(admitted)
}

// seen returns the names of an enum's values that may be seen, in declaration order, of aliases the first.
func (t *teller) seen(ed protoreflect.EnumDescriptor) []string {
	return namesIn(distinct(t.Enum(ed).Values))
}

// sent returns the names of the values that callers may send where nothing is ruled.
func (t *teller) sent(ed protoreflect.EnumDescriptor) []string {
	return namesIn(t.invited(ed, nil, false))
}

// defaultName is the name of an enum's value that a field has which is not set, "" where it may not be told.
func (t *teller) defaultName(fd protoreflect.FieldDescriptor) string {
	if v := fd.DefaultEnumValue(); v != nil && !shape.IsNullValue(fd.Enum()) && t.Hidden(v) == "" {
		return string(v.Name())
	}
	return ""
}

func namesIn(values []annotation.EnumValue) []string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v.Descriptor.Name())
	}
	return names
}

// distinct leaves out aliases: of several names of a number the first stays.
func distinct(values []annotation.EnumValue) []annotation.EnumValue {
	met := make(map[protoreflect.EnumNumber]bool, len(values))
	var first []annotation.EnumValue
	for _, v := range values {
		if n := v.Descriptor.Number(); !met[n] {
			met[n] = true
			first = append(first, v)
		}
	}
	return first
}

// allows reports whether a constraint, which spells values by name or by number, lets a value of an enum pass.
func allows(c *annotation.Constraint, v protoreflect.EnumValueDescriptor) bool {
	number := strconv.Itoa(int(v.Number()))
	among := func(list []string) bool {
		for _, s := range list {
			if named := v.Parent().(protoreflect.EnumDescriptor).Values().ByName(protoreflect.Name(s)); s == number ||
				named != nil && named.Number() == v.Number() {
				return true
			}
		}
		return false
	}
	return (c.Const == nil || among([]string{*c.Const})) && (len(c.In) == 0 || among(c.In)) && !among(c.NotIn)
}
