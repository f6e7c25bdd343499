package annotation

import (
	"regexp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// refusesZero tells whether a constraint refuses the value that a field without presence has when it is not set. What Words
// demand is not known. It says false in doubt.
func refusesZero(fd protoreflect.FieldDescriptor, c *Constraint) bool {
	if fd.IsList() || fd.IsMap() {
		return positive(c.MinItems)
	}
	zero := zeroOf(fd)
	switch {
	case c.Const != nil && *c.Const != zero, c.In != nil && !slices.Contains(c.In, zero), slices.Contains(c.NotIn, zero):
		return true
	case fd.Kind() == protoreflect.StringKind:
		return positive(c.MinLength) || positive(c.MinBytes) || c.Prefix+c.Suffix+c.Contains != "" || refusesEmpty(c.Pattern) ||
			c.Format != "" && !emptyFormats[c.Format]
	case fd.Kind() == protoreflect.BytesKind:
		return positive(c.MinBytes)
	}
	return zeroOutside(c.Min, c.Max)
}

// withoutZero adds to a constraint, nil for none, that the value is not zero: to be required means that for a field without
// presence.
func withoutZero(fd protoreflect.FieldDescriptor, c *Constraint) *Constraint {
	if c == nil {
		c = &Constraint{}
	}
	switch kind := fd.Kind(); {
	case fd.IsList() || fd.IsMap():
		c.MinItems = new(uint64(1))
	case kind == protoreflect.StringKind:
		c.MinLength = new(uint64(1))
	case kind == protoreflect.BytesKind:
		c.MinBytes = new(uint64(1))
	case kind == protoreflect.BoolKind:
		c.Const = new("true")
	default:
		c.NotIn = append(c.NotIn, zeroOf(fd))
	}
	return c
}

// emptyFormats are the forms that the empty string has: RFC 3986 allows an empty reference, RFC 9110 an empty field value.
var emptyFormats = map[string]bool{"uri_ref": true, "http_header_value": true}

func positive(n *uint64) bool { return n != nil && *n > 0 }

// zeroOf spells the zero value of a scalar field.
func zeroOf(fd protoreflect.FieldDescriptor) string {
	switch fd.Kind() {
	case protoreflect.StringKind, protoreflect.BytesKind:
		return ""
	case protoreflect.BoolKind:
		return "false"
	case protoreflect.EnumKind:
		return spellEnum(0, fd.Enum())
	}
	return "0"
}

// refusesEmpty tells whether a regular expression that can be read does not match the empty string.
func refusesEmpty(pattern string) bool {
	if pattern == "" {
		return false
	}
	re, err := regexp.Compile(pattern)
	return err == nil && !re.MatchString("")
}

// zeroOutside tells whether zero is outside a range; where the ends are the wrong way round, whether it is in between.
func zeroOutside(lower, upper *Bound) bool {
	low, below := endOf(lower)
	high, above := endOf(upper)
	below = below && low >= 0 && (low > 0 || lower.Exclusive)
	above = above && high <= 0 && (high < 0 || upper.Exclusive)
	if lower != nil && upper != nil && low >= high {
		return below && above // values may be on either side; equal ends can be too close for floating point to tell
	}
	return below || above
}

// endOf reads the end of a range, false where there is none.
func endOf(b *Bound) (float64, bool) {
	if b == nil {
		return 0, false
	}
	end, err := strconv.ParseFloat(b.Value, 64)
	return end, err == nil
}
