package config

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"buf.build/go/protoyaml"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// hopeless is how many wrong keys and forms a file may have for its values to be looked at, too: what has more is another file.
const hopeless = 10 * maxFaults

// fill makes a configuration of a parsed file and checks it. The faults have places and stand in their order.
func fill(root *yaml.Node, text []byte) (*configv1.Config, []Fault, error) {
	c := &configv1.Config{}
	s := &structure{
		faults: newFaults(), values: map[spot]value{}, nodes: map[string]*yaml.Node{"": root},
		broken: map[string]bool{}, unfit: map[string]bool{}, names: map[spot]*yaml.Node{},
	}
	s.message("", root, c.ProtoReflect().Descriptor())
	if s.faults.huge || len(s.faults.list) > hopeless {
		return nil, capped(s.faults.list), nil
	}
	// The lines of protoyaml end with "\n" alone, and it looks up those that the YAML parser counts.
	padded := append(bytes.Clone(text), "\n"+strings.Repeat("#\n", breaks(text))...)
	s.unread(protoyaml.UnmarshalOptions{AllowPartial: true}.Unmarshal(padded, c))
	checked, err := check(c)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range checked.list {
		if !s.follows(f) {
			s.faults.note(s.placed(s.discreet(f, checked.first[f.Path])))
		}
	}
	for _, f := range literals(c) {
		s.faults.note(s.placed(f))
	}
	slices.SortStableFunc(s.faults.list, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return c, capped(s.faults.list), nil
}

// unreadable matches what protoyaml says of one node: an empty path, line and column, and the reason.
var unreadable = regexp.MustCompile(`(?m)^:(\d+):(\d+) (.*)$`)

// unread notes what protoyaml could not read, in our own words. Of what is said already nothing is said again. Its errors are
// no type of their own, and its texts quote whole lines of the file, which may hold secrets.
func (s *structure) unread(err error) {
	if err == nil {
		return
	}
	said := map[spot]bool{}
	for _, f := range s.faults.list {
		said[spot{f.Line, f.Column}] = true
	}
	for _, m := range unreadable.FindAllStringSubmatch(err.Error(), -1) {
		line, _ := strconv.Atoi(m[1]) // of digits alone
		column, _ := strconv.Atoi(m[2])
		at := spot{line, column}
		if v, ok := s.values[at]; ok && !said[at] {
			s.faults.note(Fault{Path: v.path, Message: s.demands(v), Line: line, Column: column})
			said[at], s.unfit[v.path] = true, true
		}
	}
	if len(s.faults.list) == 0 {
		s.faults.note(Fault{Message: "is no configuration"})
	}
}

// integer matches a whole number.
var integer = regexp.MustCompile(`^[+-]?[0-9]+$`)

// demands says what a value must be that cannot be read as what it fills.
func (s *structure) demands(v value) string {
	if n := s.nodes[v.path]; n != nil && integer.MatchString(n.Value) {
		rules, _ := proto.GetExtension(v.field.Options(), validate.E_Field).(*validate.FieldRules)
		switch { // all that are there have both bounds
		case rules.HasInt32():
			return within(fmt.Sprint(rules.GetInt32().GetGte()), fmt.Sprint(rules.GetInt32().GetLte()), v.field)
		case rules.HasInt64():
			return within(fmt.Sprint(rules.GetInt64().GetGte()), fmt.Sprint(rules.GetInt64().GetLte()), v.field)
		}
	}
	return "must be " + demand(v.field) + s.unit(v)
}

// number matches a duration that lacks its unit.
var number = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// unit says how a number without a unit is written as a duration.
func (s *structure) unit(v value) string {
	n := s.nodes[v.path]
	if v.field.Message() == nil || n == nil || !number.MatchString(n.Value) || len(n.Value) > maxQuoted {
		return ""
	}
	return fmt.Sprintf("; for %s seconds write %ss", n.Value, n.Value)
}

// follows says whether a fault is only there because of one in the form of the same thing, such as a misspelt key.
func (s *structure) follows(f Fault) bool {
	switch {
	case s.unfit[f.Path]:
		return true
	case s.nodes[f.Path] == nil: // something is missing
		return s.broken[parent(f.Path)]
	}
	return f.Path != "" && s.broken[f.Path]
}

// discreet is a fault in words for a file: with the line of what has been there before, if it is about that, and without the
// name of a header that is none, which may be the secret itself, put into the wrong line.
func (s *structure) discreet(f Fault, first string) Fault {
	if first != "" {
		f.Message += fmt.Sprintf("; the other one is in line %d", s.placed(Fault{Path: first}).Line)
	}
	if words := patterns["headers.name"]; strings.HasSuffix(f.Field(), "headers.name") && strings.HasSuffix(f.Message, words) {
		f.Message = words
	}
	return f
}

// placed gives a fault the place of what its path names, or of the nearest thing around it that is there: that of the value
// if it is a single one, else that of its key.
func (s *structure) placed(f Fault) Fault {
	path := f.Path
	n := s.nodes[path]
	for n == nil {
		path = parent(path)
		n = s.nodes[path]
	}
	if key := s.names[spot{n.Line, n.Column}]; key != nil && n.Kind != yaml.ScalarNode && s.nodes[path] == n {
		n = key
	}
	f.Line, f.Column = n.Line, n.Column
	return f
}

// parent is the path around a path; "" around the outermost.
func parent(path string) string {
	if strings.HasSuffix(path, `"]`) { // the key of a map may have any character
		if i := strings.LastIndex(path, `["`); i >= 0 {
			return path[:i]
		}
	}
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}
