package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgrpc/bridge/bridge"
)

// formField is one property of a form. A bound that is not set is nil.
type formField struct {
	name, title, description string
	kind                     string // string, number, integer, boolean, array
	format                   string // of a string
	choices                  []formChoice
	initial                  json.RawMessage // the default; nil for none
	required                 bool
	schema                   json.RawMessage
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
	f := formField{name: name, title: s.Title, description: s.Description, kind: s.Type, schema: raw, least: s.Minimum, most: s.Maximum}
	switch s.Type {
	case "string":
		f.format, f.choices, f.least, f.most = s.Format, s.choices(), s.MinLength, s.MaxLength
	case "array":
		f.choices, f.least, f.most = s.Items.choices(), s.MinItems, s.MaxItems
	}
	if string(s.Default) != "null" {
		f.initial = s.Default
	}
	return f, nil
}

// check holds a value against the property. The error names the field.
func (f *formField) check(raw json.RawMessage) error {
	request, err := json.Marshal(map[string]any{"method": elicitation, "params": map[string]any{
		"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{f.name: f.schema}},
	}})
	if err != nil {
		return err
	}
	answer, err := json.Marshal(elicitResult{Action: actionAccept, Content: map[string]json.RawMessage{f.name: raw}})
	if err != nil {
		return err
	}
	return bridge.CheckInputResponse(request, answer)
}

// choose finds the choice that was typed, by its value, its title or its number in the list, and returns its value; what was typed
// where there is none.
func (f *formField) choose(text string) string {
	if slices.ContainsFunc(f.choices, func(c formChoice) bool { return c.Value == text }) {
		return text
	}
	if i := slices.IndexFunc(f.choices, func(c formChoice) bool { return c.Title != "" && strings.EqualFold(c.Title, text) }); i >= 0 {
		return f.choices[i].Value
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.choices) {
		return f.choices[n-1].Value
	}
	return text
}
