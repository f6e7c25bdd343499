package schema

import (
	"encoding/base64"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// stringRules are the keywords of a string, and what is left to say.
func stringRules(c *annotation.Constraint) (keywords, words []string) {
	switch {
	case c.Const != nil:
		return []string{quotedKeyword("const", *c.Const)}, nil
	case len(c.In) > 0 && len(c.In) <= maxEnum:
		return []string{`"enum":` + string(appendStrings(nil, c.In))}, nil
	case len(c.In) > 0:
		words = append(words, "One of "+list(c.In))
	case len(c.NotIn) > 0:
		keywords = append(keywords, `"not":{"enum":`+string(appendStrings(nil, c.NotIn))+`}`)
	}
	longest := c.MaxLength
	if longest == nil || c.MaxBytes != nil && *c.MaxBytes < *longest {
		longest = c.MaxBytes
	}
	keywords = append(keywords, countKeywords("minLength", "maxLength", c.MinLength, longest)...)
	words = append(words, byteWords(c)...)
	patterns, unsaid := patternRules(c)
	keywords = append(keywords, patterns...)
	words = append(words, unsaid...)
	if c.NotContains != "" {
		words = append(words, fmt.Sprintf("Does not contain %q", c.NotContains))
	}
	keywords = append(keywords, formatKeywords(c.Format)...)
	return keywords, append(words, formatWords(c.Format)...)
}

// patternRules are the patterns of a string: one as a keyword, several in an allOf.
func patternRules(c *annotation.Constraint) (keywords, words []string) {
	var patterns []string
	if c.Pattern != "" {
		if p, ok := ecmaPattern(c.Pattern); ok {
			patterns = append(patterns, p)
		} else {
			words = append(words, patternWords(c.Pattern))
		}
	}
	if c.Prefix != "" {
		patterns = append(patterns, "^"+regexp.QuoteMeta(c.Prefix))
	}
	if c.Suffix != "" {
		patterns = append(patterns, regexp.QuoteMeta(c.Suffix)+"$")
	}
	if c.Contains != "" {
		patterns = append(patterns, regexp.QuoteMeta(c.Contains))
	}
	if p := formatPatterns[c.Format]; p != "" {
		patterns = append(patterns, p)
	}
	for i, p := range patterns {
		patterns[i] = quotedKeyword("pattern", p)
	}
	switch len(patterns) {
	case 0:
		return nil, words
	case 1:
		return patterns, words
	}
	return []string{`"allOf":[{` + strings.Join(patterns, "},{") + `}]`}, words
}

// patternWords tell a pattern that is no keyword, unless it reads like something else than text.
func patternWords(pattern string) string {
	const opening = "Matches the regular expression "
	if said := opening + pattern; annotation.Clean(said) == said {
		return said
	}
	return "Matches a regular expression of the service's own"
}

// formatNames are the formats of JSON Schema (2020-12 validation section 7.3) that rules have names for.
var formatNames = map[string]string{
	"email": "email", "hostname": "hostname", "ipv4": "ipv4", "ipv6": "ipv6", "uri": "uri", "uri_ref": "uri-reference", "uuid": "uuid",
}

// formatPatterns are the forms that are told by a pattern.
var formatPatterns = map[string]string{
	"tuuid": "^[0-9A-Fa-f]{32}$",
	"ulid":  "^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$",
}

// formatKeywords are those of a form that JSON Schema knows. The form uuid is no part of draft-07, where unknown ones are
// allowed and mean nothing.
func formatKeywords(format string) []string {
	if name := formatNames[format]; name != "" {
		return []string{quotedKeyword("format", name)}
	}
	if format == "ip" {
		return []string{`"anyOf":[{"format":"ipv4"},{"format":"ipv6"}]`}
	}
	return nil
}

// formatWords tell any other form by its name.
func formatWords(format string) []string {
	switch {
	case format == "" || format == "ip" || formatNames[format] != "" || formatPatterns[format] != "":
		return nil
	case format == "address":
		return []string{"A host name or an IP address"}
	case format == "host_and_port":
		return []string{"A host and a port, as example.com:443"}
	}
	return []string{"A valid " + strings.ReplaceAll(format, "_", " ")}
}

// instant reads a timestamp as seconds since 1970.
func instant(text string) (float64, bool) {
	if !strings.Contains(text, "T") {
		return 0, false
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	return float64(t.Unix()) + float64(t.Nanosecond())/1e9, err == nil
}

// defaultOf is the JSON of a default that is declared, is not zero and may be told, "" for none.
func (g *Generator) defaultOf(fd protoreflect.FieldDescriptor) string {
	if !fd.HasDefault() {
		return ""
	}
	v := fd.Default()
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return map[bool]string{true: "true"}[v.Bool()]
	case protoreflect.StringKind:
		if unsafe(v.String()) {
			return ""
		}
		return quotedUnless(v.String(), "")
	case protoreflect.BytesKind:
		return quotedUnless(base64.StdEncoding.EncodeToString(v.Bytes()), "")
	case protoreflect.EnumKind:
		return quotedUnless(g.reader.defaultName(fd), "")
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return floatDefault(fd.Kind(), v.Float())
	}
	if is64(fd.Kind()) {
		return quotedUnless(v.String(), "0")
	}
	if text := v.String(); text != "0" {
		return text
	}
	return ""
}

// floatDefault is a number, "" for zero and for what JSON has no number for.
func floatDefault(kind protoreflect.Kind, n float64) string {
	if n == 0 || math.IsNaN(n) || math.IsInf(n, 0) {
		return ""
	}
	bits := 64
	if kind == protoreflect.FloatKind {
		bits = 32
	}
	return strconv.FormatFloat(n, 'g', -1, bits)
}

// quotedUnless is a string of JSON, "" for the text that says nothing.
func quotedUnless(text, nothing string) string {
	if text == nothing {
		return ""
	}
	return string(appendString(nil, text))
}
