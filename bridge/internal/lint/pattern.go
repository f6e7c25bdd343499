package lint

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// pattern demands that a pattern is a regular expression of ECMA-262 under the flag u, by which ajv compiles it: of one that
// does not compile, the TypeScript SDK says that the list of tools cannot be read.
func (w *walk) pattern(value []byte) {
	if text, ok := jsonrpc.Unquote(value); ok {
		w.compiles(text)
	}
}

func (w *walk) compiles(text string) {
	if reason := patternFault(text); reason != "" {
		w.found(patternRefused, "the pattern %s does not compile in JavaScript: %s", jsonrpc.Echo(text), reason)
	}
}

// patternFault says why text is no regular expression of ECMA-262 under the flag u (22.2.1), "" where it is one. What few
// engines know counts as wrong: modifiers, the flag v, properties other than general categories and scripts.
func patternFault(text string) string {
	p := expression{rest: text, groups: strings.Count(text, "(")}
	for p.rest != "" && p.fault == "" {
		p.next()
	}
	if p.fault == "" && len(p.open) > 0 {
		p.fault = "a parenthesis is not closed"
	}
	return p.fault
}

// expression is a regular expression, read from left to right.
type expression struct {
	rest   string
	groups int    // at most; to hold references against
	open   []bool // for each open parenthesis, whether what it closes may be repeated
	atom   bool   // what was read last may be repeated
	fault  string
}

// next reads one term.
func (e *expression) next() {
	c := e.rest[0]
	switch c {
	case '\\':
		e.rest = e.rest[1:]
		e.escape(false)
		return
	case '(':
		e.parenthesis()
		return
	case '[':
		e.rest = e.rest[1:]
		e.class()
		return
	case '*', '+', '?', '{':
		e.quantifier()
		return
	}
	e.rest = e.rest[1:]
	switch c {
	case ')':
		e.closed()
	case ']', '}':
		e.fault = "a lone " + string(c)
	default:
		e.atom = c != '^' && c != '$' && c != '|'
	}
}

// groupOpenings are what may follow an opening parenthesis, and whether such a group may be repeated under the flag u.
var groupOpenings = []struct {
	text   string
	repeat bool
}{{"(?:", true}, {"(?=", false}, {"(?!", false}, {"(?<=", false}, {"(?<!", false}}

func (e *expression) parenthesis() {
	e.atom = false
	if !strings.HasPrefix(e.rest, "(?") {
		e.rest, e.open = e.rest[1:], append(e.open, true)
		return
	}
	for _, o := range groupOpenings {
		if rest, ok := strings.CutPrefix(e.rest, o.text); ok {
			e.rest, e.open = rest, append(e.open, o.repeat)
			return
		}
	}
	name, rest, found := strings.Cut(strings.TrimPrefix(e.rest, "(?<"), ">")
	if !strings.HasPrefix(e.rest, "(?<") || !found || !isIdentifier(name) {
		e.fault = "flags and names as in (?i) and (?P<name>) are of other languages"
		return
	}
	e.rest, e.open = rest, append(e.open, true)
}

func (e *expression) closed() {
	if len(e.open) == 0 {
		e.fault = "a parenthesis is closed that none opened"
		return
	}
	e.atom = e.open[len(e.open)-1]
	e.open = e.open[:len(e.open)-1]
}

// isIdentifier says whether text can be the name of a group; names beyond ASCII count as wrong.
func isIdentifier(text string) bool {
	for i := range len(text) {
		if !isWord(text[i]) {
			return false
		}
	}
	return text != "" && !isDigit(text[0])
}

func (e *expression) quantifier() {
	if !e.atom {
		e.fault = "a quantifier has nothing before it that it could repeat"
		return
	}
	e.atom = false
	if e.rest[0] == '{' {
		inside, rest, closed := strings.Cut(e.rest[1:], "}")
		if !closed || !isRange(inside) {
			e.fault = "a lone {"
			return
		}
		e.rest = rest
	} else {
		e.rest = e.rest[1:]
	}
	e.rest = strings.TrimPrefix(e.rest, "?")
}

// isRange says whether text is n, "n," or "n,m" with n at most m.
func isRange(text string) bool {
	low, high, two := strings.Cut(text, ",")
	least, err := strconv.ParseUint(low, 10, 32)
	if err != nil || low[0] == '+' {
		return false
	}
	if !two || high == "" {
		return true
	}
	most, err := strconv.ParseUint(high, 10, 32)
	return err == nil && least <= most
}

// class reads what follows an opening bracket, up to the one that closes it.
func (e *expression) class() {
	e.rest = strings.TrimPrefix(e.rest, "^")
	for e.rest != "" && e.fault == "" {
		if e.rest[0] == ']' {
			e.rest, e.atom = e.rest[1:], true
			return
		}
		low, single := e.classAtom()
		if e.fault != "" || len(e.rest) < 2 || e.rest[0] != '-' || e.rest[1] == ']' {
			continue
		}
		e.rest = e.rest[1:]
		if high, also := e.classAtom(); e.fault == "" && (!single || !also || low > high) {
			e.fault = "a range of a class ends before it begins, or at a class"
		}
	}
	if e.fault == "" {
		e.fault = "a bracket is not closed"
	}
}

// classAtom reads one member of a class and returns its character; single is false for an escape that stands for several.
func (e *expression) classAtom() (char rune, single bool) {
	if e.rest[0] == '\\' {
		e.rest = e.rest[1:]
		return e.escape(true)
	}
	r, size := utf8.DecodeRuneInString(e.rest)
	e.rest = e.rest[size:]
	return r, size > 0
}
