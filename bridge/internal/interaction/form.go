package interaction

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// form is what a user is asked to fill in: the fields of the schema that the
// backend gave, which goes to the client as it is (2025-11-25 client/elicitation,
// "Requested Schema").
type form struct {
	fields   map[string]field
	required []string
}

// field is one property of a form. A bound that is not set is nil.
type field struct {
	kind             string   // string, number, integer, boolean, array
	format           string   // of a string
	choices          []string // of a string or of the elements of an array, and the same as a set; nil for any
	chosen           map[string]bool
	minimum, maximum *float64 // of a number, of the length of a string, or of the number of elements
	initial          []byte   // the default, as raw JSON; nil for none
}

// maxInteger is the largest integer of which a google.protobuf.Struct, in which
// forms go to backends, has all digits, and those below.
const maxInteger = 1<<53 - 1

// maxListed bounds, in bytes, how many choices a fault lists.
const maxListed = 400

// readForm reads a schema: an object of properties that are strings, numbers,
// integers, booleans, and arrays of strings out of some. The error says what else
// there is.
func readForm(schema []byte) (*form, error) {
	if err := jsonrpc.Check(schema, jsonrpc.DefaultLimits); err != nil || len(schema) == 0 {
		return nil, errors.New("no JSON: give a JSON Schema of an object")
	}
	properties, _ := jsonrpc.Find(schema, "properties")
	if member(schema, "type") != "object" || !isObject(properties) {
		return nil, errors.New(`give a JSON Schema with "type": "object" and properties`)
	}
	f := &form{fields: map[string]field{}}
	for name, value := range members(properties) {
		one, err := readField(value)
		if err != nil {
			return nil, fmt.Errorf("property %q %w", jsonrpc.Echo(name), err)
		}
		f.fields[name] = one
	}
	list, _ := jsonrpc.Find(schema, "required")
	for name := range texts(list) {
		if _, ok := f.fields[name]; !ok {
			return nil, fmt.Errorf("required names %q, which is no property", jsonrpc.Echo(name))
		}
		f.required = append(f.required, name)
	}
	return f, nil
}

// readField reads one property.
func readField(schema []byte) (field, error) {
	f := field{kind: member(schema, "type"), format: member(schema, "format")}
	least, most := "minimum", "maximum"
	switch f.kind {
	case "boolean", "number", "integer":
	case "string":
		least, most = "minLength", "maxLength"
		if err := f.setChoices(schema); err != nil {
			return f, err
		}
	case "array":
		least, most = "minItems", "maxItems"
		items, _ := jsonrpc.Find(schema, "items")
		if err := f.setChoices(items); err != nil {
			return f, err
		}
		if f.choices == nil {
			return f, errors.New("is an array of something else than some texts: its items need enum or anyOf")
		}
	default:
		return f, fmt.Errorf("is of type %q: forms have string, number, integer, boolean, and array of an enumeration", jsonrpc.Echo(f.kind))
	}
	f.minimum, f.maximum = bound(schema, least), bound(schema, most)
	f.initial, _ = jsonrpc.Find(schema, "default")
	return f, nil
}

// sound refuses what some clients refuse of a form, with all else that is asked: of
// several faults always the same.
func (f *form) sound() error {
	for _, name := range slices.Sorted(maps.Keys(f.fields)) {
		one := f.fields[name]
		if one.format != "" && formats[one.format] == nil {
			return fmt.Errorf("property %q is of the format %q: forms have %s", jsonrpc.Echo(name), jsonrpc.Echo(one.format),
				strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
		}
		if one.initial == nil {
			continue
		}
		if err := one.check(one.initial); err != nil {
			return fmt.Errorf("the default of property %q %w", jsonrpc.Echo(name), err)
		}
	}
	return nil
}

// setChoices sets the texts that an enumeration has, in either of its forms; nil
// where it is none.
func (f *field) setChoices(schema []byte) error {
	for _, form := range []string{"enum", "oneOf", "anyOf"} {
		list, given := jsonrpc.Find(schema, form)
		if !given {
			continue
		}
		if list[0] != '[' {
			list = []byte("[]")
		}
		f.chosen = map[string]bool{}
		for one := range jsonrpc.Elements(list) {
			if form != "enum" {
				one, _ = jsonrpc.Find(one, "const")
			}
			text, ok := jsonrpc.Unquote(one)
			if !ok {
				return fmt.Errorf("has %s with a choice that is no text", form)
			}
			f.choices, f.chosen[text] = append(f.choices, text), true
		}
		if len(f.choices) == 0 {
			return fmt.Errorf("has %s without choices", form)
		}
	}
	return nil
}

// bound reads a number of a schema; nil where there is none.
func bound(schema []byte, name string) *float64 {
	raw, _ := jsonrpc.Find(schema, name)
	if v, err := strconv.ParseFloat(string(raw), 64); err == nil {
		return &v
	}
	return nil
}

// take holds a form as filled in, an object as raw JSON, against the schema, and
// returns what was asked for of it: a backend gets that and nothing else. What is no
// property is passed over, as some clients send more, and so is null, with which
// some leave a field open.
func (f *form) take(content []byte) (*structpb.Struct, error) {
	taken := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for name, raw := range members(content) {
		one, asked := f.fields[name]
		if !asked || string(raw) == "null" {
			continue
		}
		if err := one.check(raw); err != nil {
			return nil, fmt.Errorf("%q %w", jsonrpc.Echo(name), err)
		}
		value := &structpb.Value{}
		if err := protojson.Unmarshal(raw, value); err != nil {
			return nil, fmt.Errorf("%q cannot be read", jsonrpc.Echo(name))
		}
		taken.Fields[name] = value
	}
	for _, name := range f.required {
		if taken.GetFields()[name] == nil {
			return nil, fmt.Errorf("%q is required", jsonrpc.Echo(name))
		}
	}
	return taken, nil
}

// check holds one value against its property.
func (f *field) check(raw []byte) error {
	switch f.kind {
	case "boolean":
		if text := string(raw); text != "true" && text != "false" {
			return errors.New("must be true or false")
		}
		return nil
	case "string":
		text, ok := jsonrpc.Unquote(raw)
		if !ok {
			return errors.New("must be a string")
		}
		return f.checkText(text)
	case "array":
		return f.checkArray(raw)
	}
	return f.checkNumber(raw)
}

func (f *field) checkNumber(raw []byte) error {
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || raw[0] == '"' {
		return errors.New("must be a number")
	}
	if f.kind == "integer" && v != math.Trunc(v) {
		return errors.New("must be an integer")
	}
	if f.kind == "integer" && math.Abs(v) > maxInteger {
		return fmt.Errorf("must be from %s to %s: of others the backend would not get all digits", Number(-maxInteger), Number(maxInteger))
	}
	return f.within(v, "")
}

func (f *field) checkText(text string) error {
	if f.choices != nil && !f.chosen[text] {
		return fmt.Errorf("must be one of %s", f.listed())
	}
	if err := f.within(float64(utf8.RuneCountInString(text)), "character"); err != nil {
		return err
	}
	if check := formats[f.format]; check != nil && !check(text) {
		return fmt.Errorf("must be a text of the format %s", f.format)
	}
	return nil
}

// listed are the choices, as many as fit into a sentence.
func (f *field) listed() string { return jsonrpc.Clip(strings.Join(f.choices, ", "), maxListed) }

func (f *field) checkArray(raw []byte) error {
	if raw[0] != '[' {
		return errors.New("must be an array")
	}
	n := 0
	for element := range jsonrpc.Elements(raw) {
		if n++; f.maximum != nil && float64(n) > *f.maximum {
			break // it is too long already
		}
		if text, ok := jsonrpc.Unquote(element); !ok || !f.chosen[text] {
			return fmt.Errorf("must have no other elements than %s", f.listed())
		}
	}
	return f.within(float64(n), "element")
}

// within holds a number against the bounds: the value, or, where of names them, how
// many there are of its parts.
func (f *field) within(v float64, of string) error {
	switch {
	case f.minimum != nil && v < *f.minimum:
		return fmt.Errorf("must %s", bounded("at least", *f.minimum, of))
	case f.maximum != nil && v > *f.maximum:
		return fmt.Errorf("must %s", bounded("at most", *f.maximum, of))
	}
	return nil
}

// bounded says what a bound asks for: "be at least 3", "have at most 1 character".
func bounded(how string, bound float64, of string) string {
	switch {
	case of == "":
		return fmt.Sprintf("be %s %s", how, Number(bound))
	case bound == 1:
		return fmt.Sprintf("have %s 1 %s", how, of)
	}
	return fmt.Sprintf("have %s %s %ss", how, Number(bound), of)
}

// Number writes a number for people: 1000000 and not 1e+06.
func Number(v float64) string {
	if math.Abs(v) < 1e21 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// formats are those of texts that the protocol has.
var formats = map[string]func(string) bool{
	"email":     func(s string) bool { a, err := mail.ParseAddress(s); return err == nil && a.Address == s },
	"uri":       func(s string) bool { u, err := url.Parse(s); return err == nil && u.IsAbs() },
	"date":      func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil },
	"date-time": func(s string) bool { _, err := time.Parse(time.RFC3339, s); return err == nil },
}

// isObject reports whether raw JSON without surrounding space is an object.
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
