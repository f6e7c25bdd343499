package schema_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// richSender writes arguments as a model would that reads nothing but an input schema. Of constraints it obeys those
// without which no message could be read.
type richSender struct {
	t    *rapid.T
	root map[string]any
}

func (s richSender) value(node map[string]any, depth int) any {
	if ref, ok := node["$ref"].(string); ok {
		def := s.root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")]
		return s.value(def.(map[string]any), depth)
	}
	if options, ok := node["anyOf"].([]any); ok {
		merged := maps.Clone(node)
		delete(merged, "anyOf")
		maps.Copy(merged, rapid.SampledFrom(options).Draw(s.t, "anyOf").(map[string]any))
		return s.value(merged, depth)
	}
	if value, ok := node["const"]; ok {
		return value
	}
	if names, ok := node["enum"].([]any); ok {
		return rapid.SampledFrom(names).Draw(s.t, "enum")
	}
	kind, _ := node["type"].(string)
	if kinds, ok := node["type"].([]any); ok {
		kind = rapid.SampledFrom(kinds).Draw(s.t, "type").(string)
	}
	return s.typed(kind, node, depth)
}

func (s richSender) typed(kind string, node map[string]any, depth int) any {
	switch kind {
	case "object":
		return s.object(node, depth)
	case "array":
		list := []any{}
		for range s.count(node["minItems"], node["maxItems"]) {
			list = append(list, s.value(node["items"].(map[string]any), max(depth-1, 0)))
		}
		return list
	case "boolean":
		return rapid.Bool().Draw(s.t, "boolean")
	case "integer":
		low, _ := node["minimum"].(float64)
		return int(low) + rapid.IntRange(0, 1<<30).Draw(s.t, "integer")
	case "number":
		return rapid.Float32Range(-1e30, 1e30).Draw(s.t, "number")
	case "null":
		return nil
	case "":
		return rapid.SampledFrom([]any{nil, true, "text", 1.5, []any{nil, "x"}, map[string]any{"a": nil}}).Draw(s.t, "anything")
	}
	return s.string(node)
}

// count draws a small number from a range.
func (s richSender) count(least, most any) int {
	low, _ := least.(float64)
	high, bounded := most.(float64)
	if !bounded {
		high = low + 2
	}
	return rapid.IntRange(int(low), int(min(high, low+3))).Draw(s.t, "count")
}

func (s richSender) string(node map[string]any) string {
	description, _ := node["description"].(string)
	pattern, _ := node["pattern"].(string)
	switch {
	case node["format"] == "date-time":
		return rapid.SampledFrom([]string{"2026-01-31T09:00:00Z", "1999-12-31T23:59:59.123+02:00"}).Draw(s.t, "time")
	case node["contentEncoding"] == "base64":
		return rapid.SampledFrom([]string{"", "aGVsbG8=", "_-8="}).Draw(s.t, "base64")
	case strings.Contains(description, "One of the names of "):
		_, names, _ := strings.Cut(description[strings.LastIndex(description, "One of the names of "):], ": ")
		first, _, _ := strings.Cut(names, ",")
		return first
	case strings.Contains(description, "Comma-separated field paths"):
		return rapid.SampledFrom([]string{"", "displayName", "displayName,labels"}).Draw(s.t, "mask")
	case strings.HasSuffix(pattern, `[0-9]+$`) && node["type"] == "string":
		return rapid.SampledFrom([]string{"0", "7"}).Draw(s.t, "key")
	case strings.HasSuffix(pattern, `[0-9]+$`):
		return rapid.SampledFrom([]string{"0", "7", "9223372036854775807"}).Draw(s.t, "digits")
	case strings.HasSuffix(pattern, `s$`) && strings.Contains(pattern, "{1,12}"):
		return rapid.SampledFrom([]string{"3.5s", "0s", "-1s", "-0.000000001s"}).Draw(s.t, "duration")
	case pattern != "":
		return rapid.StringMatching(pattern).Draw(s.t, "matching")
	}
	low, _ := node["minLength"].(float64)
	return strings.Repeat("é", int(low)) + rapid.SampledFrom([]string{"", "a", "größe"}).Draw(s.t, "string")
}

// object sets what is required, some of the rest, and of the properties that exclude each other no more than one.
func (s richSender) object(node map[string]any, depth int) map[string]any {
	object := map[string]any{}
	properties, _ := node["properties"].(map[string]any)
	required, _ := node["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		must := slices.Contains(required, any(name))
		if !must && (depth == 0 || rapid.IntRange(0, 2).Draw(s.t, "leave out") > 0) || chosen(node, name, object) {
			continue
		}
		object[name] = s.value(properties[name].(map[string]any), max(depth-1, 0))
		if name == "type_url" {
			object[name] = "type.googleapis.com/google.protobuf.MessageOptions"
		}
	}
	if values, ok := node["additionalProperties"].(map[string]any); ok {
		names, _ := node["propertyNames"].(map[string]any)
		for range s.count(node["minProperties"], node["maxProperties"]) {
			object[s.value(with(names, "type", "string"), 0).(string)] = s.value(values, max(depth-1, 0))
		}
	}
	return object
}

func with(node map[string]any, name string, value any) map[string]any {
	changed := map[string]any{name: value}
	maps.Copy(changed, node)
	return changed
}

var richChoices = regexp.MustCompile(`Set (?:at most|exactly) one of: ([^.]*)\.`)

// chosen says whether another property of the same choice is set already, or may be where the list is not complete.
func chosen(node map[string]any, name string, object map[string]any) bool {
	description, _ := node["description"].(string)
	for _, choice := range richChoices.FindAllStringSubmatch(description, -1) {
		names := strings.Split(choice[1], ", ")
		if strings.Contains(choice[1], " and ") {
			return true
		}
		if !slices.Contains(names, name) {
			continue
		}
		for _, other := range names {
			if _, ok := object[other]; ok && other != name {
				return true
			}
		}
	}
	return false
}
