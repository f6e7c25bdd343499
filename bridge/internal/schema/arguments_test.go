package schema_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// sender writes arguments as a model would that reads nothing but the input schema.
type sender struct {
	t *rapid.T
}

func (s sender) value(node map[string]any, depth int) any {
	if options, ok := node["anyOf"].([]any); ok {
		return s.value(rapid.SampledFrom(options).Draw(s.t, "anyOf").(map[string]any), depth)
	}
	if names, ok := node["enum"].([]any); ok {
		return rapid.SampledFrom(names).Draw(s.t, "enum")
	}
	switch node["type"] {
	case "object":
		return s.object(node, depth)
	case "array":
		list := []any{}
		for range rapid.IntRange(0, 2).Draw(s.t, "items") {
			list = append(list, s.value(node["items"].(map[string]any), depth))
		}
		return list
	case "boolean":
		return rapid.Bool().Draw(s.t, "boolean")
	case "integer":
		return rapid.IntRange(0, 1<<30).Draw(s.t, "integer")
	case "number":
		return rapid.Float32Range(-1e30, 1e30).Draw(s.t, "number")
	}
	return s.string(node)
}

// string keeps to what the description says about the form of a value.
func (s sender) string(node map[string]any) string {
	description, _ := node["description"].(string)
	switch {
	case node["format"] == "date-time":
		return rapid.SampledFrom([]string{"2026-01-31T09:00:00Z", "1999-12-31T23:59:59.123+02:00"}).Draw(s.t, "time")
	case strings.Contains(description, "Decimal 64-bit integer."):
		return strconv.FormatInt(rapid.Int64Min(0).Draw(s.t, "integer"), 10)
	case strings.Contains(description, "Base64."):
		return rapid.SampledFrom([]string{"", "aGVsbG8=", "_-8="}).Draw(s.t, "base64")
	case strings.Contains(description, "Seconds, e.g. 3.5s."):
		return rapid.SampledFrom([]string{"3.5s", "0s", "-1s"}).Draw(s.t, "duration")
	case strings.Contains(description, "Comma-separated field paths"):
		return rapid.SampledFrom([]string{"", "displayName", "displayName,labels"}).Draw(s.t, "mask")
	case strings.Contains(description, "One of the names of "):
		_, names, _ := strings.Cut(description[strings.LastIndex(description, "One of the names of "):], ": ")
		first, _, _ := strings.Cut(names, ",")
		return first
	}
	return rapid.SampledFrom([]string{"", "a", "größe"}).Draw(s.t, "string")
}

// object sets what is required, some of the rest, and of the properties that exclude each other no more than one.
func (s sender) object(node map[string]any, depth int) map[string]any {
	object := map[string]any{}
	properties, _ := node["properties"].(map[string]any)
	required, _ := node["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		child := properties[name].(map[string]any)
		must := slices.Contains(required, any(name))
		if !must && (depth == 0 || rapid.IntRange(0, 2).Draw(s.t, "leave out") > 0) || s.excluded(name, properties, object) {
			continue
		}
		if name == "type_url" && !must {
			continue // an Any of a type that the test could not know
		}
		object[name] = s.value(child, max(depth-1, 0))
	}
	return object
}

// excluded says whether a property of the same choice is set already: those of a choice name its first member, which names
// them all.
func (s sender) excluded(name string, properties, object map[string]any) bool {
	group := leader(name, properties[name].(map[string]any))
	for other := range object {
		if group != "" && leader(other, properties[other].(map[string]any)) == group {
			return true
		}
	}
	return false
}

// leader returns the first member of the choice that a property is in, "" for none.
func leader(name string, node map[string]any) string {
	description, _ := node["description"].(string)
	for _, opening := range []string{"Set at most one of: ", "Set exactly one of: ", "Alternative to "} {
		if at := strings.Index(description, opening); at >= 0 {
			rest := description[at+len(opening):]
			return rest[:strings.IndexAny(rest, ", .")]
		}
	}
	return ""
}
