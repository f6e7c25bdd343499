package bridge_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// model writes arguments as one does that reads the input schema and nothing else.
type model struct {
	*rapid.T
}

// value follows one schema; objects that need not be are given down to a depth.
func (m model) value(node map[string]any, depth int) any {
	if options, ok := node["anyOf"].([]any); ok {
		return m.value(options[pick(m.T, len(options), "anyOf")].(map[string]any), depth)
	}
	if names, ok := node["enum"].([]any); ok {
		return names[pick(m.T, len(names), "enum")]
	}
	switch node["type"] {
	case "object":
		return m.object(node, depth)
	case "array":
		list := []any{}
		for range rapid.IntRange(0, 2).Draw(m.T, "items") {
			list = append(list, m.value(node["items"].(map[string]any), depth))
		}
		return list
	case "boolean":
		return rapid.Bool().Draw(m.T, "boolean")
	case "integer":
		return rapid.IntRange(0, 1<<31-1).Draw(m.T, "integer")
	case "number":
		return rapid.Float32Range(-1e30, 1e30).Draw(m.T, "number")
	}
	return m.text(node)
}

// hints are what descriptions say of the form of a string, and strings of that form.
var hints = []struct {
	said  *regexp.Regexp
	forms []string
}{
	{regexp.MustCompile(`(?i)64-bit`), []string{"0", "42", "9007199254740993", "9223372036854775807"}},
	{regexp.MustCompile(`(?i)base64`), []string{"", "aGVsbG8=", "aGVsbG8", "_-8="}},
	{regexp.MustCompile(`(?i)seconds?,? e\.g\.|\b3\.5s\b`), []string{"3.5s", "0s", "-1s", "0.000000001s"}},
	{regexp.MustCompile(`(?i)field (paths|mask)`), []string{"", "displayName", "displayName,labels.env"}},
}

var times = []string{"2026-01-31T09:00:00Z", "1999-12-31T23:59:59.123456789+02:00", "0001-01-01T00:00:00Z"}

// text keeps to the format and to what the description says about the form. The form stands at the end of a description, so of
// two hints the later counts: a comment may speak of base64, too.
func (m model) text(node map[string]any) string {
	description, _ := node["description"].(string)
	if node["format"] == "date-time" {
		return times[pick(m.T, len(times), "time")]
	}
	if _, names, ok := strings.Cut(description, "One of the names of "); ok {
		_, names, _ = strings.Cut(names, ": ")
		return regexp.MustCompile(`^\w+`).FindString(names)
	}
	forms, last := []string{"", "a", "größe", "projects/p"}, -1
	for _, h := range hints {
		if at := h.said.FindAllStringIndex(description, -1); at != nil && at[len(at)-1][0] > last {
			forms, last = h.forms, at[len(at)-1][0]
		}
	}
	return forms[pick(m.T, len(forms), "string")]
}

// object sets what is required, some of the rest, and of the properties that exclude each other no more than one.
func (m model) object(node map[string]any, depth int) map[string]any {
	object, chosen := map[string]any{}, map[string]bool{}
	properties, _ := node["properties"].(map[string]any)
	required, _ := node["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		child := properties[name].(map[string]any)
		must, choice := slices.Contains(required, any(name)), choiceOf(child)
		if !must && (depth == 0 || pick(m.T, 2, "leave out") > 0 || chosen[choice]) {
			continue
		}
		if name == "type_url" && !must {
			continue // an Any, of a type that nobody has named
		}
		chosen[choice] = choice != ""
		object[name] = m.value(child, max(depth-1, 0))
	}
	return object
}

// choices are the two ways in which properties say that only one of some may be set: by all of them, the first of which stands
// for the choice, or by that first one.
var choices = regexp.MustCompile(`(?:Set (?:at most|exactly) one of: |Alternative to )(\w+)`)

// choiceOf returns the first of the properties that a property excludes, "" for none.
func choiceOf(node map[string]any) string {
	description, _ := node["description"].(string)
	if found := choices.FindStringSubmatch(description); found != nil {
		return found[1]
	}
	return ""
}
