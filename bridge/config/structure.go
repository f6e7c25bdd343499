package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// nullTag is the tag of a value that is not there.
const nullTag = "!!null"

// maxItems is how many items a list may have, so that rules that compare them with each other end soon.
const maxItems = 1000

// spot is a place in a file.
type spot struct{ line, column int }

// structure is what a file looks like beside the messages that it fills.
type structure struct {
	faults *faults
	values map[spot]value        // the scalars that fill something
	nodes  map[string]*yaml.Node // what there is, by path
	broken map[string]bool       // the paths of mappings of which a key or its form is wrong
	names  map[spot]*yaml.Node   // the keys of values, by the places of these
	unfit  map[string]bool       // the paths of values that cannot be what they should
}

// value is a scalar that fills a field.
type value struct {
	path  string
	field protoreflect.FieldDescriptor
}

// message looks at the node of a message.
func (s *structure) message(path string, n *yaml.Node, md protoreflect.MessageDescriptor) {
	if !s.is(path, n, yaml.MappingNode, "a mapping of keys"+firstName(md)) {
		return
	}
	seen := map[protoreflect.Name]*yaml.Node{}
	chosen := map[protoreflect.Name]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		fd := s.field(path, key, md)
		if fd == nil {
			continue
		}
		at := join(path, string(fd.Name()))
		if first := seen[fd.Name()]; first != nil {
			s.fault(at, key, fmt.Sprintf("stands here a second time, after line %d: put both together", first.Line))
			continue
		}
		seen[fd.Name()] = key
		if od := fd.ContainingOneof(); od != nil && !od.IsSynthetic() {
			if other := chosen[od.Name()]; other != "" {
				s.fault(at, key, fmt.Sprintf("%s and %s exclude each other: keep one of them", other, fd.Name()))
				continue
			}
			chosen[od.Name()] = string(fd.Name())
		}
		s.nodes[at], s.names[spot{val.Line, val.Column}] = val, key
		s.filled(at, val, fd)
	}
}

// field finds the field that a key names.
func (s *structure) field(path string, key *yaml.Node, md protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	if key.Kind == yaml.ScalarNode {
		if fd := md.Fields().ByName(protoreflect.Name(key.Value)); fd != nil {
			return fd
		}
		if fd := md.Fields().ByJSONName(key.Value); fd != nil {
			return fd
		}
	}
	s.fault(path, key, unknown(key, md))
	s.broken[path] = true
	return nil
}

// unknown says of a key that md has no field for it, and which may be meant.
func unknown(key *yaml.Node, md protoreflect.MessageDescriptor) string {
	near, named := nearest(key.Value, md), named(key.Value)
	if near != "" && len(key.Value) <= maxQuoted { // as good as known, so that it can be shown
		named = strconv.Quote(key.Value)
	}
	switch {
	case key.Kind != yaml.ScalarNode:
		return "a key is a name, such as deadline"
	case key.Value == "<<":
		return "keys cannot be merged: write out what is meant"
	case md.Fields().Len() == 0:
		return named + " is unknown; there are no keys here: write {}"
	case near != "":
		return fmt.Sprintf("%s is unknown; %s is meant", named, near)
	}
	if place := elsewhere(key.Value, md); place != "" {
		return fmt.Sprintf("%q is unknown here; it belongs to %s", key.Value, place)
	}
	return fmt.Sprintf("%s is unknown; there are %s", named, allNames(md))
}

// filled looks at what fills a field.
func (s *structure) filled(path string, n *yaml.Node, fd protoreflect.FieldDescriptor) {
	switch {
	case fd.IsMap():
		s.entries(path, n, fd)
	case fd.IsList():
		if !s.is(path, n, yaml.SequenceNode, "a list, each item behind a \"-\"") {
			return
		}
		if len(n.Content) > maxItems {
			s.fault(path, n, fmt.Sprintf("has %d items, and may have %d", len(n.Content), maxItems))
			s.faults.huge = true
			return
		}
		for i, item := range n.Content {
			at := fmt.Sprintf("%s[%d]", path, i)
			s.nodes[at] = item
			s.single(at, item, fd)
		}
	default:
		s.single(path, n, fd)
	}
}

// entries looks at the node of a map.
func (s *structure) entries(path string, n *yaml.Node, fd protoreflect.FieldDescriptor) {
	if !s.is(path, n, yaml.MappingNode, "a mapping of names") {
		return
	}
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Value == "<<" {
			s.fault(path, key, "a key is a name")
			continue
		}
		at := path + "[" + strconv.Quote(key.Value) + "]"
		if first := seen[key.Value]; first != nil {
			s.fault(at, key, fmt.Sprintf("stands here a second time, after line %d: put both together", first.Line))
			continue
		}
		seen[key.Value] = key
		s.nodes[at], s.names[spot{val.Line, val.Column}] = val, key
		s.single(at, val, fd.MapValue())
	}
}

// single looks at one value.
func (s *structure) single(path string, n *yaml.Node, fd protoreflect.FieldDescriptor) {
	if md := fd.Message(); md != nil && md.FullName() != "google.protobuf.Duration" {
		s.message(path, n, md)
		return
	}
	if s.is(path, n, yaml.ScalarNode, demand(fd)) {
		s.values[spot{n.Line, n.Column}] = value{path, fd}
	}
}

// is says whether a node has the form that is wanted, and notes what is wrong.
func (s *structure) is(path string, n *yaml.Node, kind yaml.Kind, want string) bool {
	empty := map[yaml.Kind]string{yaml.MappingNode: "write {}", yaml.SequenceNode: "write []", yaml.ScalarNode: `write ""`}
	switch {
	case n.Kind == yaml.AliasNode:
		s.fault(path, n, "aliases are not followed: write out what is meant")
	case !coreTags[n.ShortTag()]:
		s.fault(path, n, "tags mean nothing here: take it away, or put the whole in quotes if it is a text that begins with !")
	case n.Tag == nullTag:
		s.fault(path, n, "has no value: give one, or take the key away; for an empty one "+empty[kind])
	case n.Kind != kind:
		s.fault(path, n, "must be "+want+", and is "+forms[n.Kind])
	default:
		return true
	}
	s.broken[parent(path)], s.broken[path], s.unfit[path] = true, true, true
	return false
}

// coreTags are the tags of values that YAML recognises by itself.
var coreTags = map[string]bool{
	"!!map": true, "!!seq": true, "!!str": true, "!!int": true, "!!float": true, "!!bool": true, nullTag: true, "!!timestamp": true,
	"": true, "!!merge": true,
}

var forms = map[yaml.Kind]string{yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list", yaml.ScalarNode: "a single value"}

// fault notes what is wrong at a node.
func (s *structure) fault(path string, n *yaml.Node, message string) {
	s.faults.note(Fault{Path: path, Message: message, Line: n.Line, Column: n.Column})
}

// demand says what a scalar of a field has to be.
func demand(fd protoreflect.FieldDescriptor) string {
	switch fd.Kind() {
	case protoreflect.MessageKind:
		return "a duration with its unit, such as 30s, 1m30s or 250ms"
	case protoreflect.BoolKind:
		return "true or false, without quotes"
	case protoreflect.EnumKind:
		return "one of " + enumNames(fd.Enum())
	case protoreflect.StringKind:
		return "a text"
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		return "a number"
	}
	return "a whole number"
}

// enumNames lists the values of an enum that say something.
func enumNames(ed protoreflect.EnumDescriptor) string {
	var names []string
	for i := 1; i < ed.Values().Len(); i++ {
		names = append(names, string(ed.Values().Get(i).Name()))
	}
	return listed(names, "or")
}

func allNames(md protoreflect.MessageDescriptor) string {
	var names []string
	for i := range md.Fields().Len() {
		names = append(names, string(md.Fields().Get(i).Name()))
	}
	return listed(names, "and")
}

// firstName is an example of a key of md, if there is any.
func firstName(md protoreflect.MessageDescriptor) string {
	if md.Fields().Len() == 0 {
		return ""
	}
	return ", such as " + string(md.Fields().Get(0).Name()) + ": …"
}

func listed(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

// join appends a name to a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// maxQuoted is the length of the longest key that is repeated though there is none of its name, in bytes.
const maxQuoted = 40

// wordy matches what reads like the name of a key: words, and what stands between and behind them.
var wordy = regexp.MustCompile(`^[a-z]+(?:[A-Z][a-z]+)*(?:[_.-][a-z]+)*[0-9]{0,2}$`)

// named repeats a key that reads like one. A file that is no configuration may be one of secrets, which stand before a colon, too.
func named(key string) string {
	if len(key) <= maxQuoted && wordy.MatchString(key) {
		return strconv.Quote(key)
	}
	return fmt.Sprintf("this key of %d characters", utf8.RuneCountInString(key))
}
