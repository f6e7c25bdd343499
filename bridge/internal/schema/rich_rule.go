package schema

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// maxDemands is how much is said of what is demanded of one value, in characters.
const maxDemands = 210

// constraintWords makes sentences of clauses; "" of none.
func constraintWords(clauses []string) string { return shortened(sentences(clauses), maxDemands) }

// quotedKeyword is a keyword that holds a string.
func quotedKeyword(name, value string) string {
	return `"` + name + `":` + string(appendString(nil, value))
}

// countKeywords are a lower and an upper bound, each left out where it is nil; a lower one of zero says nothing.
func countKeywords(least, most string, low, high *uint64) []string {
	var keywords []string
	if low != nil && *low > 0 {
		keywords = append(keywords, fmt.Sprintf(`"%s":%d`, least, *low))
	}
	if high != nil && *high <= 1<<53 {
		keywords = append(keywords, fmt.Sprintf(`"%s":%d`, most, *high))
	}
	return keywords
}

// itemRules are the keywords of a list.
func itemRules(c *annotation.Constraint) []string {
	keywords := countKeywords("minItems", "maxItems", c.MinItems, c.MaxItems)
	if c.Unique {
		keywords = append(keywords, `"uniqueItems":true`)
	}
	return keywords
}

// entryRules are the keywords of a map whose keys are of the kind of key, and what is left to say.
func entryRules(key protoreflect.FieldDescriptor, c *annotation.Constraint) (keywords, words []string) {
	keywords = countKeywords("minProperties", "maxProperties", c.MinItems, c.MaxItems)
	names, unsaid := keyRules(key.Kind(), orNone(c.Keys))
	if len(names) > 0 {
		keywords = append(keywords, `"propertyNames":{`+strings.Join(names, ",")+`}`)
	}
	if c.Keys != nil {
		unsaid = append(unsaid, c.Keys.Words...)
	}
	if len(unsaid) > 0 {
		words = []string{"Keys: " + sentences(unsaid)}
	}
	return keywords, append(words, c.Words...)
}

// keyRules are the keywords of the keys of a map, which JSON writes as strings, whatever they are, and what is left to say.
func keyRules(kind protoreflect.Kind, c *annotation.Constraint) (keywords, words []string) {
	switch {
	case kind == protoreflect.StringKind:
		return stringRules(c)
	case len(c.In) > 0:
		return []string{`"enum":` + string(appendStrings(nil, c.In))}, nil
	case kind == protoreflect.BoolKind:
		return []string{`"enum":["true","false"]`}, otherRules(c)
	}
	return []string{digits(kind)}, otherRules(c)
}

// digits is the pattern of an integer that is written as a string.
func digits(kind protoreflect.Kind) string {
	if unsigned(kind) {
		return `"pattern":"^[0-9]+$"`
	}
	return `"pattern":"^-?[0-9]+$"`
}

func unsigned(kind protoreflect.Kind) bool {
	switch kind {
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return true
	}
	return false
}

// rawConst is the one value that is allowed of a bool.
func rawConst(c *annotation.Constraint) []string {
	if c.Const == nil || *c.Const != "true" && *c.Const != "false" {
		return nil
	}
	return []string{`"const":` + *c.Const}
}

// bytesRules are the keywords of bytes, whose lengths are those of base64, and what is left to say.
func bytesRules(c *annotation.Constraint) (keywords, words []string) {
	keywords = []string{encoded}
	if c.MaxBytes != nil && *c.MaxBytes < 1<<50 {
		keywords = append(keywords, fmt.Sprintf(`"maxLength":%d`, (*c.MaxBytes+2)/3*4))
	}
	words = append(otherRules(c), byteWords(c)...)
	if c.Pattern != "" {
		words = append(words, patternWords(c.Pattern))
	}
	return keywords, append(words, formatWords(c.Format)...)
}

// byteWords say how many bytes are allowed.
func byteWords(c *annotation.Constraint) []string {
	var words []string
	if c.MinBytes != nil && *c.MinBytes > 0 {
		words = append(words, "At least "+number(*c.MinBytes, "byte"))
	}
	if c.MaxBytes != nil {
		words = append(words, "At most "+number(*c.MaxBytes, "byte"))
	}
	return words
}

// number writes how many of something there are.
func number(n uint64, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return strconv.FormatUint(n, 10) + " " + unit
}

// otherRules say in words what values are allowed where there is no keyword for it: values that can be spelt in several ways.
func otherRules(c *annotation.Constraint) []string {
	var words []string
	if c.Const != nil {
		words = append(words, "Must be "+*c.Const)
	}
	if len(c.In) > 0 {
		words = append(words, "One of "+list(c.In))
	}
	if len(c.NotIn) > 0 {
		words = append(words, "None of "+list(c.NotIn))
	}
	return append(words, rangeWords(c)...)
}

// rangeWords say what range is allowed.
func rangeWords(c *annotation.Constraint) []string {
	switch {
	case c.Min == nil && c.Max == nil:
		return nil
	case c.Min == nil:
		return []string{below(c.Max)}
	case c.Max == nil:
		return []string{above(c.Min)}
	case outside(c):
		return []string{below(c.Max) + " or " + lower(above(c.Min))}
	}
	return []string{above(c.Min) + " and " + lower(below(c.Max))}
}

// filled leaves out what is empty.
func filled(keywords ...string) []string {
	var kept []string
	for _, k := range keywords {
		if k != "" {
			kept = append(kept, k)
		}
	}
	return kept
}
