package schema

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// ecmaPattern writes a regular expression of RE2 so that validators of JSON Schema compile it to the same meaning: in the
// dialect of ECMA-262 with the flag u, and in RE2. Escapes that only RE2 has are taken off where the character means itself.
// It is not ok for what the dialects do not share: flags, named groups, classes of Unicode and of POSIX, \A, \z, \C, \Q,
// and braces that are no repetition.
func ecmaPattern(pattern string) (portable string, ok bool) {
	if _, err := regexp.Compile(pattern); err != nil || !utf8.ValidString(pattern) {
		return "", false
	}
	p := patternReader{rest: pattern}
	for p.rest != "" {
		if !p.next() {
			return "", false
		}
	}
	_, err := regexp.Compile(p.out.String())
	return p.out.String(), err == nil
}

// patternReader copies a pattern that RE2 accepts, construct by construct.
type patternReader struct {
	rest  string
	out   strings.Builder
	fixed bool // what was read last is a place and not a character, which ECMA-262 does not repeat
}

// take copies n bytes.
func (p *patternReader) take(n int) bool {
	p.out.WriteString(p.rest[:n])
	p.rest = p.rest[n:]
	return true
}

// next reads one construct outside of classes.
func (p *patternReader) next() bool {
	fixed := p.fixed
	p.fixed = false
	switch c := p.rest[0]; c {
	case '\\':
		return p.escape()
	case '[':
		return p.class()
	case '^', '$':
		p.fixed = true
		return p.take(1)
	case '(':
		return p.group()
	case '*', '+', '?':
		return !fixed && p.take(1)
	case '{':
		n := len(repetition.FindString(p.rest))
		return n > 0 && !fixed && p.take(n)
	case '}', ']':
		return false
	}
	_, size := utf8.DecodeRuneInString(p.rest)
	return p.take(size)
}

// repetition is a count that both dialects read as one.
var repetition = regexp.MustCompile(`^\{[0-9]+(,[0-9]*)?\}`)

// group reads the opening of a group without a name and without flags.
func (p *patternReader) group() bool {
	switch {
	case strings.HasPrefix(p.rest, "(?:"):
		return p.take(3)
	case strings.HasPrefix(p.rest, "(?"):
		return false
	}
	return p.take(1)
}

// escape reads a backslash and what it makes special outside of classes.
func (p *patternReader) escape() bool {
	switch c := p.rest[1]; {
	case c == 'b' || c == 'B':
		p.fixed = true
		return p.take(2)
	case strings.IndexByte(`^$\.*+?()[]{}|/`, c) >= 0:
		return p.take(2)
	}
	return p.common()
}

// common reads an escape that is the same inside and outside of classes.
func (p *patternReader) common() bool {
	switch c := p.rest[1]; {
	case strings.IndexByte("dDwWsStnrfv", c) >= 0:
		return p.take(2)
	case c == 'x' && !strings.HasPrefix(p.rest, `\x{`):
		return p.take(4)
	case strings.IndexByte(`!"#%&',-:;<=>@_~`+"`", c) >= 0 || c == ' ':
		p.rest = p.rest[1:]
		return p.take(1)
	}
	return false
}

// class reads a class whole. A hyphen behind a class within it is a range to one dialect.
func (p *patternReader) class() bool {
	p.take(1)
	if strings.HasPrefix(p.rest, "^") {
		p.take(1)
	}
	if strings.HasPrefix(p.rest, "]") {
		return false
	}
	for p.rest != "" && p.rest[0] != ']' {
		if !p.member() {
			return false
		}
	}
	return p.rest != "" && p.take(1)
}

// member reads a character, an escape or a range's hyphen within a class.
func (p *patternReader) member() bool {
	if p.rest[0] == '[' {
		return false
	}
	if p.rest[0] != '\\' {
		_, size := utf8.DecodeRuneInString(p.rest)
		return p.take(size)
	}
	c := p.rest[1]
	if strings.IndexByte(`^$\.*+?()[]{}|/-`, c) >= 0 {
		return p.take(2)
	}
	if !p.common() {
		return false
	}
	several := strings.IndexByte("dDwWsS", c) >= 0
	return !several || !strings.HasPrefix(p.rest, "-") || strings.HasPrefix(p.rest, "-]")
}
