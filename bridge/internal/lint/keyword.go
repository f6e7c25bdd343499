package lint

import (
	"bytes"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// dialect is a set of keywords, one bit of [keyword].dialects.
type dialect uint8

const (
	portableInput dialect = 1 << iota
	portableOutput
	rich
	raw

	portable = portableInput | portableOutput
	always   = portable | rich | raw
	full     = rich | raw
)

func inputDialect(s *Subject) dialect {
	switch {
	case s.RawInput:
		return raw
	case s.Portable:
		return portableInput
	}
	return rich
}

func outputDialect(s *Subject) dialect {
	if s.Portable {
		return portableOutput
	}
	return rich
}

// form is what the value of a keyword has to be.
type form uint8

const (
	anything form = iota
	aString
	aBoolean
	aNumber
	aCount // an integer of 0 or more
	aType
	aSchema
	aList      // of anything
	aNameList  // of strings, each once
	aSchemaMap // an object of schemas
	aSchemaList
	aReference
	aPattern
	aPatternMap // an object of schemas under patterns
)

// keyword is what is known of a keyword.
type keyword struct {
	form     form
	dialects dialect
}

// keywords are those of JSON Schema draft-07 and 2020-12 that are not refused everywhere, and x-mcp-header (2026-07-28
// server/tools).
var keywords = map[string]keyword{
	"type":        {aType, always},
	"description": {aString, always},
	"properties":  {aSchemaMap, always},
	"items":       {aSchema, always},

	"required":     {aNameList, portableInput | full},
	"enum":         {aList, portableInput | full},
	"format":       {aString, portableInput | full},
	"anyOf":        {aSchemaList, portableInput | full},
	"x-mcp-header": {aString, portableInput | full},

	"$ref":                 {aReference, full},
	"$defs":                {aSchemaMap, full},
	"additionalProperties": {aSchema, full},
	"allOf":                {aSchemaList, full},
	"const":                {anything, full},
	"contentEncoding":      {aString, full},
	"default":              {anything, full},
	"exclusiveMaximum":     {aNumber, full},
	"exclusiveMinimum":     {aNumber, full},
	"maxItems":             {aCount, full},
	"maxLength":            {aCount, full},
	"maxProperties":        {aCount, full},
	"maximum":              {aNumber, full},
	"minItems":             {aCount, full},
	"minLength":            {aCount, full},
	"minProperties":        {aCount, full},
	"minimum":              {aNumber, full},
	"multipleOf":           {aNumber, full},
	"not":                  {aSchema, full},
	"pattern":              {aPattern, full},
	"propertyNames":        {aSchema, full},
	"uniqueItems":          {aBoolean, full},

	"$anchor":               {aString, raw},
	"$comment":              {aString, raw},
	"$id":                   {aString, raw},
	"$schema":               {aString, raw},
	"contains":              {aSchema, raw},
	"contentMediaType":      {aString, raw},
	"definitions":           {aSchemaMap, raw},
	"dependentSchemas":      {aSchemaMap, raw},
	"deprecated":            {aBoolean, raw},
	"else":                  {aSchema, raw},
	"examples":              {aList, raw},
	"if":                    {aSchema, raw},
	"oneOf":                 {aSchemaList, raw},
	"patternProperties":     {aPatternMap, raw},
	"prefixItems":           {aSchemaList, raw},
	"readOnly":              {aBoolean, raw},
	"then":                  {aSchema, raw},
	"title":                 {aString, raw},
	"unevaluatedItems":      {aSchema, raw},
	"unevaluatedProperties": {aSchema, raw},
	"writeOnly":             {aBoolean, raw},
}

// identities are the keywords that name a dialect or an address: draft-07 is refused by some clients, 2020-12 by others, and
// both agree on a schema that has none of them.
var identities = map[string]bool{"$schema": true, "$id": true, "id": true, "$anchor": true, "$dynamicAnchor": true}

// wants says in words what a form is.
var wants = [...]string{
	anything:    "a value",
	aString:     "a string",
	aBoolean:    "true or false",
	aNumber:     "a number",
	aCount:      "an integer of 0 or more",
	aType:       "one of the seven types, or a list of several",
	aSchema:     "a schema",
	aList:       "a list",
	aNameList:   "a list of strings, each once",
	aSchemaMap:  "an object of schemas",
	aSchemaList: "a list of schemas, at least one",
	aReference:  "a string",
	aPattern:    "a regular expression",
	aPatternMap: "an object of schemas",
}

// fits says whether a value is of a form, but for the schemas in it, which are looked at by themselves.
func (k form) fits(value []byte) bool {
	switch k {
	case aString, aReference, aPattern:
		return value[0] == '"'
	case aBoolean:
		return value[0] == 't' || value[0] == 'f'
	case aNumber:
		return value[0] == '-' || isDigit(value[0])
	case aCount:
		return isDigit(value[0]) && !bytes.ContainsAny(value, ".eE")
	case aType:
		return isTypes(value)
	case aList:
		return value[0] == '['
	case aNameList:
		return value[0] == '[' && distinctStrings(value)
	case aSchemaMap, aPatternMap:
		return value[0] == '{'
	case aSchemaList:
		return value[0] == '[' && hasElement(value)
	}
	return true
}

// isType says whether a value is one of the seven types of JSON Schema, in quotes.
func isType(value []byte) bool {
	switch string(value) {
	case `"object"`, `"array"`, `"string"`, `"integer"`, `"number"`, `"boolean"`, `"null"`:
		return true
	}
	return false
}

// isTypes is [isType] for one type or a list of different ones.
func isTypes(value []byte) bool {
	if value[0] != '[' {
		return isType(value)
	}
	for element := range jsonrpc.Elements(value) {
		if !isType(element) {
			return false
		}
	}
	return hasElement(value) && distinctStrings(value)
}

func hasElement(list []byte) bool {
	for range jsonrpc.Elements(list) {
		return true
	}
	return false
}

// distinctStrings says whether all elements of a list are strings, and none twice.
func distinctStrings(list []byte) bool {
	for element := range jsonrpc.Elements(list) {
		if element[0] != '"' {
			return false
		}
	}
	return repeated(list) == nil
}

// fewElements is the number up to which comparing all with all is faster than a table.
const fewElements = 16

// repeated returns an element that a list has twice, by its bytes; nil for none.
func repeated(list []byte) []byte {
	var before [][]byte
	var table map[string]bool
	for element := range jsonrpc.Elements(list) {
		if table[string(element)] {
			return element
		}
		if table != nil {
			table[string(element)] = true
			continue
		}
		for _, b := range before {
			if bytes.Equal(b, element) {
				return element
			}
		}
		if before = append(before, element); len(before) == fewElements {
			table = map[string]bool{}
			for _, b := range before {
				table[string(b)] = true
			}
		}
	}
	return nil
}
