package uritemplate

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxURI is the length, in bytes, of the longest URI that a template matches.
const MaxURI = 8 << 10

// Template is a parsed URI template. It is immutable and safe for concurrent use.
type Template struct {
	text     string
	pattern  *regexp.Regexp
	groups   []group // what the groups of the pattern capture, in order
	names    []string
	literals int // bytes of literal text
	reserved int // variables that match anything
}

// group is what one group of a pattern captures: the value of one variable or, where name is "", a list of pairs of names
// and values.
type group struct {
	name      string
	separator string // between pairs; one byte
}

// String returns the template as it was written.
func (t *Template) String() string { return t.text }

// Variables returns the names of the variables, each once, in the order of their first places. The slice is shared: do
// not change it.
func (t *Template) Variables() []string { return t.names }

// Pattern returns a text that is the same for two templates that differ in nothing but the names of variables which do
// not stand in the URI: one of the two would never be reached.
func (t *Template) Pattern() string { return t.pattern.String() }

// Compare orders templates by how much they say: first those with more literal text, then those with fewer variables that
// match anything, then those with fewer variables at all, then by their text.
func Compare(a, b *Template) int {
	return cmp.Or(
		cmp.Compare(b.literals, a.literals), cmp.Compare(a.reserved, b.reserved),
		cmp.Compare(len(a.names), len(b.names)), strings.Compare(a.text, b.text),
	)
}

// Match reports whether uri is one of those that the template stands for, and returns the decoded values of the variables
// that it has. It is not where it is longer than [MaxURI], holds a space or a control character, or where a value is not
// soundly encoded UTF-8. A variable that stands in several places must have one value.
func (t *Template) Match(uri string) (values map[string]string, ok bool) {
	if len(uri) > MaxURI || strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, false
	}
	found := t.pattern.FindStringSubmatchIndex(uri)
	if found == nil {
		return nil, false
	}
	values = make(map[string]string, len(t.names))
	for i, g := range t.groups {
		from, to := found[2*i+2], found[2*i+3]
		if from >= 0 && !g.read(uri[from:to], values) {
			return nil, false
		}
	}
	return values, true
}

// read notes what the group has captured.
func (g group) read(captured string, values map[string]string) bool {
	if g.name != "" {
		value, ok := decode(captured)
		if before, twice := values[g.name]; twice && before != value {
			return false
		}
		values[g.name] = value
		return ok
	}
	if captured == "" {
		return true
	}
	var seen []string
	for pair := range strings.SplitSeq(captured[1:], g.separator) {
		name, raw, _ := strings.Cut(pair, "=")
		if slices.Contains(seen, name) || !(group{name: name}).read(raw, values) {
			return false
		}
		seen = append(seen, name)
	}
	return true
}

// decode undoes percent-encoding; false where that is unsound or what it encodes is no UTF-8.
func decode(encoded string) (string, bool) {
	if !strings.Contains(encoded, "%") {
		return encoded, utf8.ValidString(encoded)
	}
	b := make([]byte, 0, len(encoded))
	for i := 0; i < len(encoded); i++ {
		c := encoded[i]
		if c == '%' {
			if !isEncoded(encoded[i:]) {
				return "", false
			}
			c = hexValue(encoded[i+1])<<4 | hexValue(encoded[i+2])
			i += 2
		}
		b = append(b, c)
	}
	return string(b), utf8.Valid(b)
}

// isEncoded reports whether text begins with a percent-encoded byte.
func isEncoded(text string) bool {
	return len(text) > 2 && text[0] == '%' && strings.IndexByte(hexDigits, text[1]) >= 0 && strings.IndexByte(hexDigits, text[2]) >= 0
}

const hexDigits = "0123456789abcdefABCDEF"

// hexValue returns the value of a hexadecimal digit.
func hexValue(digit byte) byte {
	v := strings.IndexByte(hexDigits, digit)
	if v > 0xf {
		v -= 6
	}
	return byte(v)
}
