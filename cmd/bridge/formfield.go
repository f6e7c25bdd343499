package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// formField is one property of a form. A bound that is not set is nil.
type formField struct {
	name, title, description string
	kind                     string // string, number, integer, boolean, array
	format                   string // of a string
	choices                  []formChoice
	initial                  json.RawMessage // the default; nil for none
	required                 bool
	least, most              *float64 // of a number, of the length of a string, or of the number of elements
}

// formChoice is one of the texts that a string, or an element of an array, can be.
type formChoice struct {
	Value string `json:"const"`
	Title string `json:"title"`
}

// choiceSchema has an enumeration in any of its forms.
type choiceSchema struct {
	Enum      []string     `json:"enum"`
	EnumNames []string     `json:"enumNames"`
	OneOf     []formChoice `json:"oneOf"`
	AnyOf     []formChoice `json:"anyOf"`
}

func (s *choiceSchema) choices() []formChoice {
	all := slices.Concat(s.OneOf, s.AnyOf)
	for i, value := range s.Enum {
		c := formChoice{Value: value}
		if i < len(s.EnumNames) {
			c.Title = s.EnumNames[i]
		}
		all = append(all, c)
	}
	return all
}

// readFormField reads a property of a form. The error says what is not of MCP.
func readFormField(name string, raw []byte) (formField, error) {
	var s struct {
		choiceSchema

		Type        string          `json:"type"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Format      string          `json:"format"`
		Default     json.RawMessage `json:"default"`
		Items       choiceSchema    `json:"items"`
		Minimum     *float64        `json:"minimum"`
		Maximum     *float64        `json:"maximum"`
		MinLength   *float64        `json:"minLength"`
		MaxLength   *float64        `json:"maxLength"`
		MinItems    *float64        `json:"minItems"`
		MaxItems    *float64        `json:"maxItems"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return formField{}, fmt.Errorf("has the field %q, which is not of MCP: %w", name, err)
	}
	f := formField{name: name, title: s.Title, description: s.Description, kind: s.Type, least: s.Minimum, most: s.Maximum}
	switch s.Type {
	case "boolean", "number", "integer":
	case "string":
		f.format, f.choices, f.least, f.most = s.Format, s.choices(), s.MinLength, s.MaxLength
	case "array":
		f.choices, f.least, f.most = s.Items.choices(), s.MinItems, s.MaxItems
		if f.choices == nil {
			return f, fmt.Errorf("has the field %q, a list of anything, which forms do not have", name)
		}
	default:
		return f, fmt.Errorf("has the field %q of type %q, which forms do not have", name, s.Type)
	}
	if string(s.Default) != "null" {
		f.initial = s.Default
	}
	return f, nil
}

// check holds a value against the property.
func (f *formField) check(raw []byte) error {
	switch f.kind {
	case "boolean":
		if text := string(raw); text != "true" && text != "false" {
			return errors.New("must be true or false")
		}
		return nil
	case "string":
		var text *string
		if json.Unmarshal(raw, &text) != nil || text == nil {
			return errors.New("must be a text")
		}
		return f.checkText(*text)
	case "array":
		return f.checkArray(raw)
	}
	number, err := strconv.ParseFloat(string(raw), 64) // of JSON, so that it is no other spelling
	switch {
	case err != nil:
		return errors.New("must be a number")
	case f.kind == "integer" && number != math.Trunc(number):
		return errors.New("must be an integer")
	}
	return f.within(number, "")
}

func (f *formField) checkText(text string) error {
	if f.choices != nil {
		_, err := f.choose(text, false)
		return err
	}
	if check := textFormats[f.format]; check != nil && !check(text) {
		return fmt.Errorf("must be a text of the format %s", f.format)
	}
	return f.within(float64(utf8.RuneCountInString(text)), " characters")
}

func (f *formField) checkArray(raw []byte) error {
	var texts []string
	if json.Unmarshal(raw, &texts) != nil || texts == nil {
		return errors.New("must be a list of texts")
	}
	for _, text := range texts {
		if _, err := f.choose(text, false); err != nil {
			return err
		}
	}
	return f.within(float64(len(texts)), " elements")
}

func (f *formField) within(v float64, of string) error {
	if f.least != nil && v < *f.least {
		return fmt.Errorf("must be at least %v%s", *f.least, of)
	}
	if f.most != nil && v > *f.most {
		return fmt.Errorf("must be at most %v%s", *f.most, of)
	}
	return nil
}

// textFormats are those that texts of MCP can have.
var textFormats = map[string]func(string) bool{
	"email":     func(s string) bool { a, err := mail.ParseAddress(s); return err == nil && a.Address == s },
	"uri":       func(s string) bool { u, err := url.Parse(s); return err == nil && u.IsAbs() },
	"date":      func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil },
	"date-time": func(s string) bool { _, err := time.Parse(time.RFC3339, s); return err == nil },
}

// choose finds a choice by its value and, of what was typed, by its title or its number in the list.
func (f *formField) choose(text string, typed bool) (string, error) {
	values := make([]string, len(f.choices))
	for i, c := range f.choices {
		values[i] = c.Value
	}
	if slices.Contains(values, text) {
		return text, nil
	}
	if typed {
		if i := slices.IndexFunc(f.choices, func(c formChoice) bool { return c.Title != "" && strings.EqualFold(c.Title, text) }); i >= 0 {
			return values[i], nil
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(values) {
			return values[n-1], nil
		}
	}
	return "", fmt.Errorf("must be of %s", strings.Join(values, ", "))
}
