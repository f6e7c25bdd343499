package lint

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// controls are the letters that stand for a control character behind a backslash.
var controls = map[byte]rune{'t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}

// escape reads what follows a backslash, within a class or outside, and returns the character that it stands for, or false
// where it stands for several or for none.
func (e *expression) escape(class bool) (char rune, single bool) {
	if e.rest == "" {
		e.fault = "it ends in a backslash"
		return 0, false
	}
	c := e.rest[0]
	e.rest = e.rest[1:]
	e.atom = true
	switch {
	case strings.IndexByte(`^$\.*+?()[]{}|/`, c) >= 0 || class && c == '-':
		return rune(c), true
	case strings.IndexByte("dDsSwW", c) >= 0:
		return 0, false
	case controls[c] != 0:
		return controls[c], true
	case c == 'b' || c == 'B' && !class:
		e.atom = class
		return '\b', class
	}
	return e.longEscape(c, class)
}

// longEscape reads the escapes that more than one character belongs to.
func (e *expression) longEscape(c byte, class bool) (char rune, single bool) {
	switch {
	case c == 'x':
		return e.digits(2)
	case c == 'u':
		return e.unicode()
	case c == 'p' || c == 'P':
		e.property()
		return 0, false
	case c == '0' && (e.rest == "" || !isDigit(e.rest[0])):
		return 0, true
	case isDigit(c) && !class:
		e.back(c)
		return 0, false
	case c == 'c' && e.rest != "" && isLetter(e.rest[0]):
		char = rune(e.rest[0] & 0x1f)
		e.rest = e.rest[1:]
		return char, true
	}
	e.fault = `\` + string(rune(c)) + " stands for nothing: escape only ^ $ \\ . * + ? ( ) [ ] { } | /"
	return 0, false
}

// digits reads n hexadecimal digits.
func (e *expression) digits(n int) (char rune, single bool) {
	if len(e.rest) < n {
		e.fault = "hexadecimal digits are missing"
		return 0, false
	}
	value, err := strconv.ParseUint(e.rest[:n], 16, 32)
	if err != nil || e.rest[0] == '+' {
		e.fault = "hexadecimal digits are missing"
		return 0, false
	}
	e.rest = e.rest[n:]
	return rune(value), true
}

// unicode reads what follows \u: four digits, or any number in braces.
func (e *expression) unicode() (char rune, single bool) {
	if !strings.HasPrefix(e.rest, "{") {
		return e.digits(4)
	}
	inside, rest, closed := strings.Cut(e.rest[1:], "}")
	value, err := strconv.ParseUint(inside, 16, 32)
	if !closed || err != nil || value > unicode.MaxRune {
		e.fault = "hexadecimal digits are missing"
		return 0, false
	}
	e.rest = rest
	return rune(value), true
}

// property reads what follows \p: a general category or a script in braces.
func (e *expression) property() {
	inside, rest, closed := strings.Cut(strings.TrimPrefix(e.rest, "{"), "}")
	if !strings.HasPrefix(e.rest, "{") || !closed || !isProperty(inside) {
		e.fault = `\p wants a general category such as {L} or {Script=Greek} in braces`
		return
	}
	e.rest = rest
}

func isProperty(name string) bool {
	for _, prefix := range []string{"Script=", "sc=", "Script_Extensions=", "scx="} {
		if script, ok := strings.CutPrefix(name, prefix); ok {
			return unicode.Scripts[script] != nil
		}
	}
	return unicode.Categories[name] != nil && utf8.RuneCountInString(name) <= 2 ||
		slices.Contains([]string{"ASCII", "Alphabetic", "Any", "Letter", "Lowercase", "Number", "Punctuation", "Uppercase", "White_Space"}, name)
}

// back reads a reference to a group by its number.
func (e *expression) back(c byte) {
	number := string(rune(c))
	for e.rest != "" && isDigit(e.rest[0]) {
		number, e.rest = number+e.rest[:1], e.rest[1:]
	}
	if n, err := strconv.Atoi(number); err != nil || c == '0' || n > e.groups {
		e.fault = `\` + number + " refers to a group that there is not"
	}
}
