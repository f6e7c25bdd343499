package uritemplate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The bounds of a template.
const (
	maxTemplate  = 2 << 10 // bytes
	maxVariables = 32
)

// CheckURI refuses what is no absolute URI (RFC 3986 section 3): without a scheme, with characters that a URI does not
// have, or of more than 2 KiB.
func CheckURI(uri string) error {
	if len(uri) > maxTemplate {
		return fmt.Errorf("it is %d bytes long: at most %d are possible", len(uri), maxTemplate)
	}
	if err := checkScheme(uri); err != nil {
		return err
	}
	return checkLiteral(uri)
}

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

func checkScheme(text string) error {
	if !scheme.MatchString(text) {
		return errors.New("it does not begin with a scheme: write one before it, as in books://")
	}
	return nil
}

// checkLiteral refuses text that cannot stand in a URI (RFC 3986 section 2).
func checkLiteral(text string) error {
	for i, r := range text {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		case r == '%' && isEncoded(text[i:]):
		case strings.ContainsRune("-._~:/?#[]@!$&'()*+,;=", r):
		default:
			return fmt.Errorf("a URI has no %q: percent-encode it", r)
		}
	}
	return nil
}

// Parse reads a template (RFC 6570 section 2). It must begin with a scheme, literally, so that it stands for absolute URIs,
// have a variable at least, and be of level 3 at most. An expression `{x}` or `{+x}` that follows another one immediately is
// refused: nobody could tell where it begins.
func Parse(text string) (*Template, error) {
	if len(text) > maxTemplate {
		return nil, fmt.Errorf("it is %d bytes long: at most %d are possible", len(text), maxTemplate)
	}
	if err := checkScheme(text); err != nil {
		return nil, err
	}
	p := parser{Template: Template{text: text}}
	for rest := text; rest != ""; {
		var err error
		if rest, err = p.next(rest); err != nil {
			return nil, err
		}
	}
	switch n := len(p.names); {
	case n == 0:
		return nil, errors.New("it has no variable: give it as uri")
	case n > maxVariables:
		return nil, fmt.Errorf("it has %d variables: at most %d are possible", n, maxVariables)
	}
	pattern, err := regexp.Compile("(?s)^" + p.source.String() + "$")
	if err != nil {
		return nil, fmt.Errorf("it is too complicated: %w", err)
	}
	p.pattern = pattern
	return &p.Template, nil
}

// parser is a template in the making.
type parser struct {
	Template
	source strings.Builder // of the pattern
	after  bool            // the last thing was an expression
}

// next reads the literal or the expression that rest begins with, and returns what is behind it.
func (p *parser) next(rest string) (string, error) {
	if rest[0] != '{' {
		end := strings.IndexByte(rest, '{')
		if end < 0 {
			end = len(rest)
		}
		literal := rest[:end]
		if strings.Contains(literal, "}") {
			return "", errors.New("it closes a brace } that is not open")
		}
		p.literals += len(literal)
		p.source.WriteString(regexp.QuoteMeta(literal))
		p.after = false
		return rest[end:], checkLiteral(literal)
	}
	inside, behind, closed := strings.Cut(rest[1:], "}")
	if !closed || strings.Contains(inside, "{") {
		return "", fmt.Errorf("the expression %q is not closed: write } behind it", rest)
	}
	if err := p.expression(inside); err != nil {
		return "", fmt.Errorf("the expression {%s} %w", inside, err)
	}
	p.after = true
	return behind, nil
}

// operators are those of levels 2 and 3; there are others that RFC 6570 reserves.
const (
	operators = "+#./;?&"
	reserved  = "=,!@|"
)

// expression reads what stands between braces.
func (p *parser) expression(inside string) error {
	operator, list := "", inside
	if inside != "" && strings.ContainsAny(inside[:1], operators+reserved) {
		operator, list = inside[:1], inside[1:]
	}
	switch {
	case operator != "" && strings.Contains(reserved, operator):
		return fmt.Errorf("has an operator that RFC 6570 reserves: use none or one of %s", operators)
	case p.after && (operator == "" || operator == "+"):
		return errors.New("follows another one immediately: put text between them, or they cannot be told apart")
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if err := checkName(name); err != nil {
			return err
		}
		if !slices.Contains(p.names, name) {
			p.names = append(p.names, name)
		}
	}
	p.express(operator, names)
	return nil
}

var variable = regexp.MustCompile(`^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$`)

func checkName(name string) error {
	switch {
	case strings.ContainsAny(name, "*:"):
		return fmt.Errorf("has %q, which is of level 4: levels 1 to 3 are served, variables without * and without :length", name)
	case !variable.MatchString(name):
		return fmt.Errorf("has a variable %q: names are of letters, digits, _ and dots between them", name)
	}
	return nil
}

// express adds what an expression matches.
func (p *parser) express(operator string, names []string) {
	switch operator {
	case "", "+":
		p.whole(operator, names)
	case ";":
		p.pairs(names, ";", ";", "(?:=[^;/?#]*)?")
	case "?":
		p.pairs(names, `\?`, "&", "=[^&#]*")
	case "&":
		p.pairs(names, "&", "&", "=[^&#]*")
	default:
		p.optional(operator, names)
	}
	if operator == "+" || operator == "#" {
		p.reserved += len(names)
	}
}

// whole matches all the variables, with commas between them.
func (p *parser) whole(operator string, names []string) {
	for i, name := range names {
		if i > 0 {
			p.source.WriteString(",")
		}
		p.source.WriteString("(" + charset(operator, ",", len(names)) + ")")
		p.groups = append(p.groups, group{name: name})
	}
}

// optional matches the first variables, as many as there are, each behind the operator; in a fragment, behind commas.
func (p *parser) optional(operator string, names []string) {
	separator := operator
	if operator == "#" {
		separator = ","
	}
	before := operator
	for _, name := range names {
		p.source.WriteString("(?:" + regexp.QuoteMeta(before) + "(" + charset(operator, separator, len(names)) + ")")
		p.groups = append(p.groups, group{name: name})
		before = separator
	}
	p.source.WriteString(strings.Repeat(")?", len(names)))
}

// charset is what a variable may hold, as little of it as possible.
func charset(operator, separator string, variables int) string {
	excluded := "/?#"
	if operator == "+" || operator == "#" {
		excluded = ""
	}
	if variables > 1 && !strings.Contains(excluded, separator) {
		excluded += separator
	}
	if excluded == "" {
		return ".+?"
	}
	return "[^" + excluded + "]+?"
}

// pairs matches names with values, in any order, behind a mark and with separators between them.
func (p *parser) pairs(names []string, mark, separator, value string) {
	quoted := make([]string, len(names))
	for i, name := range slices.Sorted(slices.Values(names)) {
		quoted[i] = regexp.QuoteMeta(name)
	}
	pair := "(?:" + strings.Join(quoted, "|") + ")" + value
	p.source.WriteString("((?:" + mark + pair + "(?:" + separator + pair + ")*)?)")
	p.groups = append(p.groups, group{separator: separator})
}
