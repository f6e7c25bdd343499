package schema

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// outside reports whether the bounds of numbers exclude what is between them.
func outside(c *annotation.Constraint) bool {
	if c.Min == nil || c.Max == nil {
		return false
	}
	low, high := amount(c.Min.Value), amount(c.Max.Value)
	return low > high || low == high && (c.Min.Exclusive || c.Max.Exclusive)
}

// amount reads a number, a duration or a timestamp so far as to compare it: NaN for what is none.
func amount(text string) float64 {
	if at, ok := instant(text); ok {
		return at
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "s"), 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// numberRules are the keywords of a number, and what is left to say. Of 64 bits only the integers among the spellings are
// bounded by keywords, and only as far as every reader of JSON is exact.
func numberRules(kind protoreflect.Kind, c *annotation.Constraint) (keywords, words []string) {
	if c.Const != nil || len(c.In) > 0 {
		if keywords = numberValues(kind, c); keywords != nil {
			return keywords, nil
		}
		return numberBase(kind), otherRules(c)
	}
	keywords, complete := boundKeywords(kind, c)
	if len(c.NotIn) > 0 {
		if values, ok := jsonNumbers(kind, c.NotIn); ok {
			keywords = append(keywords, `"not":{"enum":[`+strings.Join(values, ",")+`]}`)
		} else {
			words = append(words, "None of "+list(c.NotIn))
		}
	}
	if is64(kind) {
		keywords = append(keywords, digits(kind))
	}
	if is64(kind) || !complete {
		words = append(words, rangeWords(c)...)
	}
	return keywords, words
}

// numberBase are the keywords of a number on which there are no rules.
func numberBase(kind protoreflect.Kind) []string {
	keywords, _ := numberRules(kind, &annotation.Constraint{})
	return keywords
}

// numberValues are the values that are allowed, nil where they cannot be written.
func numberValues(kind protoreflect.Kind, c *annotation.Constraint) []string {
	list := c.In
	if c.Const != nil {
		list = []string{*c.Const}
	}
	values, ok := jsonNumbers(kind, list)
	switch {
	case !ok:
		return nil
	case len(values) == 1:
		return []string{`"const":` + values[0]}
	}
	return []string{`"enum":[` + strings.Join(values, ",") + `]`}
}

// jsonNumbers writes numbers as JSON, those of 64 bits also as strings; not ok where one is no number of JSON.
func jsonNumbers(kind protoreflect.Kind, list []string) (values []string, ok bool) {
	met := map[float64]bool{}
	for _, text := range list {
		if !isJSONNumber(text) {
			return nil, false
		}
		n := amount(text)
		if exact(text) && met[n] {
			continue
		}
		met[n] = true
		if !is64(kind) || exact(text) {
			values = append(values, text)
		}
		if is64(kind) {
			values = append(values, `"`+text+`"`)
		}
	}
	return values, true
}

func isJSONNumber(text string) bool {
	v := jsontext.Value(text)
	return v.Kind() == '0' && v.IsValid()
}

// exact reports whether every reader of JSON keeps an integer.
func exact(text string) bool { return math.Abs(amount(text)) <= 1<<53 }

// boundKeywords are the bounds of a number, that of unsigned ones among them; complete is false where one of c is not said.
func boundKeywords(kind protoreflect.Kind, c *annotation.Constraint) (keywords []string, complete bool) {
	low, lowSaid := boundKeyword(kind, c.Min, "inimum")
	high, highSaid := boundKeyword(kind, c.Max, "aximum")
	natural := ""
	if unsigned(kind) {
		natural = `"minimum":0`
	}
	complete = lowSaid && highSaid
	switch {
	case !outside(c):
		if low != "" {
			natural = ""
		}
		return filled(natural, low, high), complete
	case low != "" && high != "":
		return filled(natural, `"anyOf":[{`+high+`},{`+low+`}]`), complete
	}
	return filled(natural), false
}

// boundKeyword is one bound, "" where there is none, or none beyond what the type says.
func boundKeyword(kind protoreflect.Kind, b *annotation.Bound, name string) (keyword string, said bool) {
	switch {
	case b == nil:
		return "", true
	case !isJSONNumber(b.Value) || is64(kind) && !exact(b.Value):
		return "", false
	case natural(kind, b, name == "inimum"):
		return "", true
	case b.Exclusive:
		return `"exclusiveM` + name + `":` + b.Value, true
	}
	return `"m` + name + `":` + b.Value, true
}

// natural reports whether a bound says no more than the type of 32 bits, or that an unsigned number is not negative.
func natural(kind protoreflect.Kind, b *annotation.Bound, lower bool) bool {
	n := amount(b.Value)
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return !b.Exclusive && (lower && n <= math.MinInt32 || !lower && n >= math.MaxInt32)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return !b.Exclusive && (lower && n <= 0 || !lower && n >= math.MaxUint32)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return !b.Exclusive && lower && n <= 0
	}
	return false
}
