package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// form are the inputRequests of one form with these properties and these required.
func form(properties, required string) string {
	return `{"q":{"method":"elicitation/create","params":{"message":"Well?","requestedSchema":{"type":"object","properties":{` +
		properties + `},"required":[` + required + `]}}}}`
}

const page = `{"q":{"method":"elicitation/create","params":{"mode":"url","message":"Pay","url":"https://pay.example.com/1?a=b"}}}`

// TestTerminal types answers: each line is one, and those that do not fit are asked for again.
func TestTerminal(t *testing.T) {
	t.Parallel()
	const colours = `"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"2","title":"Two"},{"const":"b"}]`
	const tags = `"type":"array","items":{"enum":["x","y","z"]},"minItems":1,"maxItems":2`
	for name, c := range map[string]struct{ requests, typed, want, said string }{
		"text":              {form(`"a":{"type":"string"}`, `"a"`), "a\n so it is \n", `{"a":" so it is "}`, "a (a text; required): "},
		"without an end":    {form(`"a":{"type":"string"}`, ``), "a\nx", `{"a":"x"}`, ""},
		"line of Windows":   {form(`"a":{"type":"string"}`, ``), "a\r\nx\r\n", `{"a":"x"}`, ""},
		"left out":          {form(`"a":{"type":"string"},"b":{"type":"boolean"}`, ``), "ACCEPT\n\nno\n", `{"b":false}`, "may be left out"},
		"default":           {form(`"a":{"type":"integer","default":3},"b":{"type":"boolean","default":true}`, `"a"`), "a\n\n\n", `{"a":3,"b":true}`, "default yes"},
		"integer":           {form(`"a":{"type":"integer","minimum":1,"maximum":5}`, ``), "a\nx\n1.5\n0\n6\n1e0\n", `{"a":1e0}`, "must be at most 5"},
		"large integer":     {form(`"a":{"type":"integer"}`, ``), "a\n9007199254740993\n9007199254740991\n", `{"a":9007199254740991}`, "must be from -9007199254740991 to"},
		"number":            {form(`"a":{"type":"number"}`, ``), "a\nNaN\n0x1\n-1.50\n", `{"a":-1.50}`, "must be a number"},
		"length":            {form(`"a":{"type":"string","minLength":2,"maxLength":3}`, ``), "a\né\néééé\néé\n", `{"a":"éé"}`, "at least 2 characters"},
		"date":              {form(`"a":{"type":"string","format":"date"}`, ``), "a\ntomorrow\n2026-12-02\n", `{"a":"2026-12-02"}`, "of the format date"},
		"email":             {form(`"a":{"type":"string","format":"email"}`, ``), "a\nAda <a@b.example>\na@b.example\n", `{"a":"a@b.example"}`, ""},
		"choice by value":   {form(`"a":{`+colours+`}`, ``), "a\ngreen\n2\n", `{"a":"2"}`, "  1  r  Red"},
		"choice by title":   {form(`"a":{`+colours+`}`, ``), "a\nred\n", `{"a":"r"}`, "one of these"},
		"choice by number":  {form(`"a":{`+colours+`}`, ``), "a\n3\n", `{"a":"b"}`, ""},
		"names of choices":  {form(`"a":{"type":"string","enum":["r"],"enumNames":["Red"]}`, ``), "a\nRed\n", `{"a":"r"}`, "  1  r  Red"},
		"several":           {form(`"a":{`+tags+`}`, ``), "a\nx,y,z\nx, w\n3,x\n", `{"a":["z","x"]}`, "must have no other elements than x, y, z"},
		"none of several":   {form(`"a":{"type":"array","items":{"anyOf":[{"const":"x"}]}}`, `"a"`), "a\n\n", `{"a":[]}`, ""},
		"default list":      {form(`"a":{"type":"array","items":{"enum":["x","y"]},"default":["x","y"]}`, ``), "a\n\n", `{"a":["x","y"]}`, "default x, y"},
		"order":             {form(`"z":{"type":"string"},"a":{"type":"string"}`, ``), "a\nfirst\nsecond\n", `{"a":"second","z":"first"}`, ""},
		"about":             {form(`"a":{"type":"string","title":"Name","description":"of\nit"}`, ``), "a\n\n", `{}`, "Name: of\nit\na (a text"},
		"no fields":         {form(``, ``), "a\n", `{}`, "The tool asks: Well?\n"},
		"declined":          {form(`"a":{"type":"string"}`, ``), "maybe\n\nd\n", "decline", "type accept, decline or cancel"},
		"cancelled":         {form(`"a":{"type":"string"}`, ``), "c\n", "cancel", ""},
		"ends":              {form(`"a":{"type":"string"}`, ``), "", "cancel", ""},
		"ends in the form":  {form(`"a":{"type":"string"}`, ``), "a\n", "cancel", ""},
		"page":              {page, "a\n\n", "accept", "Page: https://pay.example.com/1?a=b\nHost: pay.example.com\naccept, decline or cancel? Open the page"},
		"page left":         {page, "a\n", "cancel", ""},
		"page declined":     {page, "decline\n", "decline", ""},
		"acts on terminals": {form(`"a\u001b[1m":{"type":"string","title":"\u001b]0;x\u0007","default":"\u001b[2J"}`, ``), "a\nx\n", `{"a\u001b[1m":"x"}`, "\uFFFD]0;x\uFFFD\na\uFFFD[1m (a text; default \uFFFD[2J): "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shown bytes.Buffer
			a := &asker{can: true, terminal: newTerminal(strings.NewReader(c.typed), &shown)}
			got, err := a.answer(t.Context(), []byte(c.requests))
			if err != nil {
				t.Fatal(err)
			}
			want := `{"q":{"action":"` + c.want + `"}}`
			if strings.HasPrefix(c.want, "{") {
				want = `{"q":{"action":"accept","content":` + c.want + `}}`
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(shown.String(), c.said) || strings.ContainsAny(shown.String(), "\x1b\a") {
				t.Errorf("shown %q, want %q", shown.String(), c.said)
			}
		})
	}
}

// TestTerminalInterrupted: the end of the call ends a question that nobody answers.
func TestTerminalInterrupted(t *testing.T) {
	t.Parallel()
	in, typing := io.Pipe()
	defer typing.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	a := &asker{can: true, terminal: newTerminal(in, writerFunc(func([]byte) { cancel(gone) }))}
	if _, err := a.answer(ctx, []byte(page)); !errors.Is(err, gone) || a.aftermath("") == "" {
		t.Errorf("got %v", err)
	}
}

type writerFunc func([]byte)

func (f writerFunc) Write(b []byte) (int, error) { f(b); return len(b), nil }

// TestGivenAnswers takes answers from the command line, which have to fit at once.
func TestGivenAnswers(t *testing.T) {
	t.Parallel()
	const two = `{"b":{"method":"elicitation/create","params":{"message":"One?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}},` +
		`"a":{"method":"elicitation/create","params":{"mode":"form","message":"Two?","requestedSchema":{"type":"object","properties":{}}}}}`
	number, tag := form(`"a":{"type":"number","maximum":1}`, `"a"`), form(`"a":{"type":"array","items":{"enum":["x"]}}`, ``)
	for name, c := range map[string]struct {
		requests string
		given    []string
		want     string
	}{
		"in order":      {two, []string{`{"n":1}`, "decline"}, `{"a":{"action":"decline"},"b":{"action":"accept","content":{"n":1}}}`},
		"none left":     {two, []string{`{"n":1}`}, "no --answer is left: give one more, or run the command at a terminal"},
		"null":          {two, []string{`{"n":null}`, ` cancel `}, `{"a":{"action":"cancel"},"b":{"action":"accept","content":{"n":null}}}`},
		"page":          {page, []string{`{}`}, `{"q":{"action":"accept"}}`},
		"page's form":   {page, []string{`{"a":1}`}, "it is a page"},
		"missing":       {number, []string{`{}`}, `"a" is required`},
		"null required": {number, []string{`{"a":null}`}, `"a" is required`},
		"text":          {number, []string{`{"a":"1"}`}, "must be a number"},
		"too much":      {number, []string{`{"a":2}`}, "must be at most 1"},
		"second":        {two, []string{`{}`, `{"n":1}`}, `number 2 does not fit what the tool asks: "n" is no field`},
		"no list":       {tag, []string{`{"a":"x"}`}, "must be an array"},
		"other element": {tag, []string{`{"a":["y"]}`}, "must have no other elements than x"},
		"no text":       {form(`"a":{"type":"string"}`, ``), []string{`{"a":1}`}, "must be a string"},
		"no truth":      {form(`"a":{"type":"boolean"}`, ``), []string{`{"a":"yes"}`}, "must be true or false"},
		"no integer":    {two, []string{`{"n":1.5}`, `{}`}, "must be an integer"},
		"sampling":      {`{"q":{"method":"sampling/createMessage","params":{}}}`, []string{`{}`}, `"sampling/createMessage", which bridge call does not answer`},
		"mode":          {`{"q":{"method":"elicitation/create","params":{"mode":"later"}}}`, []string{`{}`}, `the mode "later" is unknown`},
		"script":        {strings.Replace(page, "https:", "javascript:", 1), []string{`{}`}, "no address of a page"},
		"object field":  {form(`"a":{"type":"object"}`, ``), []string{`{}`}, `of type "object"`},
		"any list":      {form(`"a":{"type":"array","items":{}}`, ``), []string{`{}`}, `"a" is an array of something else`},
		"no properties": {`{"q":{"method":"elicitation/create","params":{"requestedSchema":{}}}}`, []string{`{}`}, `give a JSON Schema with "type": "object" and properties`},
		"no schema":     {`{"q":{"method":"elicitation/create","params":{}}}`, []string{`{}`}, "requestedSchema: no JSON: give"},
		"no object":     {`[]`, []string{`{}`}, "not of MCP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shown bytes.Buffer
			a := &asker{can: true, given: c.given, shown: &shown}
			answers, err := a.answer(t.Context(), []byte(c.requests))
			got := string(answers)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) || err == nil && got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if asks := strings.HasPrefix(shown.String(), "The tool asks: "); asks != strings.Contains(got, "--answer") {
				t.Errorf("%s, shown %q", got, shown.String())
			}
		})
	}
}

// TestRemoteAsks: each round brings the answers and the state of the one before alone, and declares the same.
func TestRemoteAsks(t *testing.T) {
	t.Parallel()
	asks := func(id int, members string) func(http.ResponseWriter) {
		return says(200, "application/json", fmt.Sprintf(`{"id":%d,"result":{"resultType":"input_required",%s}}`, id, members))
	}
	requests := form(`"n":{"type":"integer"}`, ``)
	address, asked := answering(t, asks(1, `"inputRequests":`+requests+`,"requestState":"s1"`), asks(2, `"requestState":"s2"`),
		asks(3, `"inputRequests":`+requests), says(200, "application/json", strings.Replace(done, `"id":1`, `"id":4`, 1)))
	client := newRemoteClient(address)
	client.asker, client.patience = &asker{can: true, given: []string{`{"n":1}`, "decline"}}, time.Minute
	if _, err := client.call(t.Context(), "x", []byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range *asked {
		var body struct{ Params map[string]json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Fatal(err)
		}
		if meta := string(body.Params["_meta"]); !strings.Contains(meta, `Capabilities":{"elicitation":{"form":{},"url":{}}}`) {
			t.Errorf("declares %s", meta)
		}
		got = append(got, fmt.Sprintf("%s %s %s", body.Params["arguments"], body.Params["inputResponses"], body.Params["requestState"]))
	}
	want := []string{
		`{"a":1}  `, `{"a":1} {"q":{"action":"accept","content":{"n":1}}} "s1"`, `{"a":1}  "s2"`, `{"a":1} {"q":{"action":"decline"}} `,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRemoteAsksForever: a server that only asks to be called again is not called for ever.
func TestRemoteAsksForever(t *testing.T) {
	t.Parallel()
	var again []func(http.ResponseWriter)
	for i := range maxRemoteRounds {
		again = append(again, says(200, "application/json", fmt.Sprintf(`{"id":%d,"result":{"resultType":"input_required","requestState":""}}`, i+1)))
	}
	address, asked := answering(t, again...)
	if _, err := newRemoteClient(address).call(t.Context(), "x", nil); err == nil || !strings.Contains(err.Error(), "asks again") || len(*asked) != maxRemoteRounds {
		t.Errorf("asked %d times, %v", len(*asked), err)
	}
}

// TestRemotePatience: it is each request that may take a time, and not the user.
func TestRemotePatience(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	defer close(held)
	address, _ := answering(t, func(http.ResponseWriter) { <-held })
	client := newRemoteClient(address)
	client.patience = time.Millisecond
	if _, err := client.call(t.Context(), "x", nil); err == nil || !strings.Contains(err.Error(), "no answer within 1ms, which --deadline sets") {
		t.Errorf("got %v", err)
	}
}
