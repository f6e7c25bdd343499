package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge"
)

// question is one thing that a tool asks its user: a form to fill in, or a page to visit (2026-07-28 client/elicitation).
type question struct {
	key     string
	message string
	page    *url.URL    // nil for a form
	fields  []formField // of a form, in the order of its schema
	request json.RawMessage
}

// elicitation is the method by which a user is asked.
const elicitation = "elicitation/create"

// readQuestions reads the inputRequests of a result in their order. What is no question for a user is an error.
func readQuestions(requests []byte) ([]question, error) {
	pairs, err := members(requests)
	if err != nil {
		return nil, fmt.Errorf("what the tool asks is not of MCP: %w", err)
	}
	questions := make([]question, len(pairs))
	for i, p := range pairs {
		if err := questions[i].read(p.value); err != nil {
			return nil, fmt.Errorf("what the tool asks as %q %w", p.name, err)
		}
		questions[i].key = p.name
	}
	return questions, nil
}

func (q *question) read(raw []byte) error {
	var r struct {
		Method string `json:"method"`
		Params struct {
			Mode    string          `json:"mode"`
			Message string          `json:"message"`
			URL     string          `json:"url"`
			Schema  json.RawMessage `json:"requestedSchema"`
		} `json:"params"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("is not of MCP: %w", err)
	}
	q.message, q.request = r.Params.Message, raw
	switch {
	case r.Method != elicitation:
		return fmt.Errorf("is %q, which bridge call does not answer: it has a user, and neither a model nor roots", r.Method)
	case r.Params.Mode != "url":
		return q.readForm(r.Params.Schema)
	}
	page, err := url.Parse(r.Params.URL)
	if err != nil || page.Host == "" || page.Scheme != "https" && page.Scheme != "http" {
		return fmt.Errorf("is to visit %q, which is no address of a page", r.Params.URL)
	}
	q.page = page
	return nil
}

// readForm reads the fields of a form, which has to be one that answers can be held against.
func (q *question) readForm(schema []byte) error {
	if err := bridge.CheckInputResponse(q.request, []byte(`{"action":"`+actionDecline+`"}`)); err != nil {
		return fmt.Errorf("is no question of MCP: %w", err)
	}
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return fmt.Errorf("has no form of MCP: %w", err)
	}
	pairs, err := members(s.Properties)
	if err != nil {
		return fmt.Errorf("has a form without properties: %w", err)
	}
	for _, p := range pairs {
		f, err := readFormField(p.name, p.value)
		if err != nil {
			return err
		}
		f.required = slices.Contains(s.Required, p.name)
		q.fields = append(q.fields, f)
	}
	return nil
}

// check holds a form as filled in, or what was given for a page, against the question.
func (q *question) check(content map[string]json.RawMessage) error {
	if q.page != nil && len(content) > 0 {
		return errors.New("it is a page, which has no fields: give {} once it has been visited")
	}
	known := func(name string) bool {
		return slices.ContainsFunc(q.fields, func(f formField) bool { return f.name == name })
	}
	for _, name := range sortedKeys(content) {
		if !known(name) {
			return fmt.Errorf("%q is no field of the form", name)
		}
	}
	answer, err := json.Marshal(elicitResult{Action: actionAccept, Content: content})
	if err != nil {
		return err
	}
	return bridge.CheckInputResponse(q.request, answer)
}

// lines are the question as it is shown, without what could act on a terminal.
func (q *question) lines() []string {
	shown := printableLines(q.message)
	shown[0] = "The tool asks: " + shown[0]
	if q.page != nil {
		shown = append(shown, "Page: "+printable(q.page.String()), "Host: "+printable(q.page.Host))
	}
	return shown
}

// pair is a member of a JSON object.
type pair struct {
	name  string
	value json.RawMessage
}

// members are those of a JSON object, in their order.
func members(object []byte) ([]pair, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	open, err := d.Token()
	if err != nil {
		return nil, err
	}
	if open != json.Delim('{') {
		return nil, errors.New("it is no JSON object")
	}
	var all []pair
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		p := pair{name: fmt.Sprint(name)} // a string, as the decoder demands
		if err := d.Decode(&p.value); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	_, err = d.Token()
	return all, err
}

// printableLines are the lines of a text, without what could act on a terminal.
func printableLines(text string) []string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = printable(l)
	}
	return lines
}
