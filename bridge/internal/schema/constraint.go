package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// only returns the strings that the rules of a field admit, nil where they do not say or where no keyword can: an empty
// string is none that providers take.
func only(fd protoreflect.FieldDescriptor, c *annotation.Constraint) []string {
	if c != nil && fd.IsList() {
		c = c.Items
	}
	if c == nil || fd.IsMap() || !isText(fd) {
		return nil
	}
	values := c.In
	if c.Const != nil {
		values = []string{*c.Const}
	}
	values = unique(values)
	if len(values) > maxEnum || slices.Contains(values, "") {
		return nil
	}
	return values
}

// isText says whether a field's values, in a wrapper or not, are free strings.
func isText(fd protoreflect.FieldDescriptor) bool {
	if md := fd.Message(); md != nil && shape.KindOf(md) == shape.Wrapper {
		fd = md.Fields().ByNumber(1)
	}
	return fd.Kind() == protoreflect.StringKind
}

// demands says in words what the rules of a field demand of its values. listed says that the values themselves are in a
// keyword; those of an enum always are, or in the words on a map.
func demands(c *annotation.Constraint, fd protoreflect.FieldDescriptor, listed bool) string {
	if c == nil {
		return ""
	}
	unit := "items"
	if fd.IsMap() {
		unit = "entries"
	}
	listed = listed || fd.Kind() == protoreflect.EnumKind
	parts := []string{values(c, listed && !fd.IsList()), counted(c.MinItems, c.MaxItems, unit)}
	if c.Unique {
		parts = append(parts, "Unique items.")
	}
	named := valueOf(fd).Enum() != nil
	parts = append(parts, within("Each: ", c.Items, listed), within("Keys: ", c.Keys, false), within("Values: ", c.Values, named))
	return join(append(parts, sentences(c.Words))...)
}

// within says what is demanded of each value in a list or a map.
func within(of string, c *annotation.Constraint, listed bool) string {
	if c == nil {
		return ""
	}
	if text := join(values(c, listed), sentences(c.Words)); text != "" {
		return of + text
	}
	return ""
}

// values says what is demanded of one value.
func values(c *annotation.Constraint, listed bool) string {
	var parts []string
	if !listed {
		switch {
		case c.Const != nil:
			parts = append(parts, "Exactly "+spelt(*c.Const)+".")
		case len(c.In) > 0:
			parts = append(parts, "One of: "+list(spellings(c.In))+".")
		}
		if len(c.NotIn) > 0 {
			parts = append(parts, "None of: "+list(spellings(c.NotIn))+".")
		}
	}
	parts = append(parts, span(c.Min, c.Max), counted(c.MinLength, c.MaxLength, "characters"), counted(c.MinBytes, c.MaxBytes, "bytes"))
	if c.Finite {
		parts = append(parts, "Finite.")
	}
	if c.Format != "" {
		parts = append(parts, cmp.Or(forms[c.Format], strings.ReplaceAll(c.Format, "_", " "))+".")
	}
	if c.Pattern != "" {
		parts = append(parts, "Matches "+c.Pattern+".")
	}
	for _, p := range []struct{ opening, text string }{
		{"Starts with ", c.Prefix}, {"Ends with ", c.Suffix}, {"Contains ", c.Contains}, {"Does not contain ", c.NotContains},
	} {
		if p.text != "" {
			parts = append(parts, p.opening+string(appendString(nil, p.text))+".")
		}
	}
	return join(parts...)
}

// forms names the well-known forms of strings.
var forms = map[string]string{
	"email": "Email address", "hostname": "Host name", "ip": "IP address", "ipv4": "IPv4 address", "ipv6": "IPv6 address",
	"uri": "URI", "uri_ref": "URI reference", "address": "Host name or IP address", "uuid": "UUID",
	"tuuid": "UUID without hyphens", "ulid": "ULID", "ip_with_prefixlen": "IP address with prefix length",
	"ipv4_with_prefixlen": "IPv4 address with prefix length", "ipv6_with_prefixlen": "IPv6 address with prefix length",
	"ip_prefix": "IP prefix", "ipv4_prefix": "IPv4 prefix", "ipv6_prefix": "IPv6 prefix", "host_and_port": "Host and port",
	"http_header_name": "HTTP header name", "http_header_value": "HTTP header value",
}

// maxListedText is how much of a value is shown, in characters.
const maxListedText = 40

// spelt writes a value; the empty string and long ones have to be made visible.
func spelt(value string) string {
	if value == "" || strings.ContainsAny(value, " ,.") && !isNumber(value) {
		value = string(appendString(nil, value))
	}
	return annotation.Cut(value, maxListedText)
}

func isNumber(value string) bool {
	_, err := strconv.ParseFloat(strings.TrimSuffix(value, "s"), 64)
	return err == nil
}

func spellings(values []string) []string {
	spelled := make([]string, len(values))
	for i, v := range values {
		spelled[i] = spelt(v)
	}
	return spelled
}

// span says a range.
func span(low, high *annotation.Bound) string {
	switch {
	case low == nil && high == nil:
		return ""
	case high == nil:
		return above(low) + "."
	case low == nil:
		return below(high) + "."
	case exceeds(low.Value, high.Value):
		return below(high) + " or " + lower(above(low)) + "."
	case !low.Exclusive && !high.Exclusive:
		return low.Value + " to " + high.Value + "."
	}
	return above(low) + ", " + lower(below(high)) + "."
}

func above(b *annotation.Bound) string {
	if b.Exclusive {
		return "More than " + b.Value
	}
	return "At least " + b.Value
}

func below(b *annotation.Bound) string {
	if b.Exclusive {
		return "Less than " + b.Value
	}
	return "At most " + b.Value
}

// lower makes the first letter small.
func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// exceeds compares two numbers, durations or times.
func exceeds(a, b string) bool {
	x, err := strconv.ParseFloat(strings.TrimSuffix(a, "s"), 64)
	y, err2 := strconv.ParseFloat(strings.TrimSuffix(b, "s"), 64)
	if err == nil && err2 == nil {
		return x > y
	}
	from, err := time.Parse(time.RFC3339Nano, a)
	to, err2 := time.Parse(time.RFC3339Nano, b)
	return err == nil && err2 == nil && from.After(to)
}

// counted says how many there may be.
func counted(least, most *uint64, units string) string {
	unit := func(n uint64) string {
		if n != 1 {
			return units
		}
		if units == "entries" {
			return "entry"
		}
		return strings.TrimSuffix(units, "s")
	}
	number := func(n uint64) string { return strconv.FormatUint(n, 10) + " " + unit(n) }
	switch {
	case least != nil && most != nil && *least == *most:
		return "Exactly " + number(*least) + "."
	case most != nil && least != nil && *least > 0:
		return strconv.FormatUint(*least, 10) + " to " + number(*most) + "."
	case most != nil:
		return "At most " + number(*most) + "."
	case least != nil && *least == 1:
		return "Not empty."
	case least != nil && *least > 1:
		return "At least " + number(*least) + "."
	}
	return ""
}

// sentences puts a full stop behind each clause.
func sentences(clauses []string) string {
	closedAll := make([]string, len(clauses))
	for i, c := range clauses {
		closedAll[i] = closed(c, ".")
	}
	return join(closedAll...)
}
