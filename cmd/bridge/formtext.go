package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// empty is the value where nothing was typed: the default, or nil for one that is left out; false where something has to be typed.
func (f *formField) empty() (raw json.RawMessage, fits bool) {
	if f.initial == nil && f.required && f.kind == "array" && (f.least == nil || *f.least <= 0) {
		return json.RawMessage("[]"), true
	}
	return f.initial, f.initial != nil || !f.required
}

// parse makes a value of what was typed, which is not empty. The error names the field.
func (f *formField) parse(text string) (json.RawMessage, error) {
	raw, err := f.value(text)
	if err != nil {
		return nil, err
	}
	return raw, f.check(raw)
}

func (f *formField) value(text string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case f.kind == "boolean":
		switch strings.ToLower(trimmed) {
		case "y", "yes", "true":
			return json.RawMessage("true"), nil
		case "n", "no", "false":
			return json.RawMessage("false"), nil
		}
		return nil, fmt.Errorf("%q must be yes or no", f.name)
	case f.kind == "array":
		chosen := []string{}
		for part := range strings.SplitSeq(trimmed, ",") {
			chosen = append(chosen, f.choose(strings.TrimSpace(part)))
		}
		return json.Marshal(chosen)
	case f.choices != nil:
		return json.Marshal(f.choose(trimmed))
	case f.kind == "string":
		return json.Marshal(text)
	case !json.Valid([]byte(trimmed)):
		return nil, fmt.Errorf("%q must be %s", f.name, f.noun())
	}
	return json.RawMessage(trimmed), nil
}

// noun says what kind of value is wanted.
func (f *formField) noun() string {
	switch {
	case f.kind == "boolean":
		return "yes or no"
	case f.kind == "integer":
		return "an integer"
	case f.kind == "number":
		return "a number"
	case f.kind == "array":
		return "any of these, with commas between them"
	case f.choices != nil:
		return "one of these"
	case f.format != "":
		return "a text of the format " + f.format
	}
	return "a text"
}

// lines are the field as it is shown: what it is for, its choices, and last its name with what can be typed, all without what
// could act on a terminal.
func (f *formField) lines() []string {
	about := f.title
	if f.description != "" {
		about = strings.TrimPrefix(about+": "+f.description, ": ")
	}
	var shown []string
	if about != "" {
		shown = printableLines(about)
	}
	for i, c := range f.choices {
		line := fmt.Sprintf("  %d  %s", i+1, c.Value)
		if c.Title != "" && c.Title != c.Value {
			line += "  " + c.Title
		}
		shown = append(shown, printable(line))
	}
	return append(shown, printable(f.name+" ("+strings.Join(f.hints(), "; ")+")"))
}

func (f *formField) hints() []string {
	hints := []string{f.noun()}
	if f.least != nil {
		hints = append(hints, "at least "+f.amount(*f.least))
	}
	if f.most != nil {
		hints = append(hints, "at most "+f.amount(*f.most))
	}
	switch {
	case f.initial != nil:
		hints = append(hints, "default "+f.initialText())
	case f.required:
		hints = append(hints, "required")
	default:
		hints = append(hints, "may be left out")
	}
	return hints
}

// amount is a bound with what it counts.
func (f *formField) amount(bound float64) string {
	unit := map[string]string{"string": " character", "array": " element"}[f.kind]
	if unit != "" && bound != 1 {
		unit += "s"
	}
	return strconv.FormatFloat(bound, 'f', -1, 64) + unit
}

// initialText is the default as it would be typed.
func (f *formField) initialText() string {
	var text string
	var texts []string
	switch {
	case f.kind == "boolean" && string(f.initial) == "true":
		return "yes"
	case f.kind == "boolean" && string(f.initial) == "false":
		return "no"
	case json.Unmarshal(f.initial, &text) == nil:
		return text
	case json.Unmarshal(f.initial, &texts) == nil:
		return strings.Join(texts, ", ")
	}
	return string(bytes.TrimSpace(f.initial))
}
