package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// terminal is where somebody reads questions and types answers, line by line.
type terminal struct {
	in  *bufio.Reader
	out io.Writer
}

func newTerminal(in io.Reader, out io.Writer) *terminal {
	return &terminal{in: bufio.NewReader(in), out: out}
}

// ask asks a question. The end of the input, Ctrl-D, cancels it; the end of ctx is an error.
func (t *terminal) ask(ctx context.Context, q *question) (elicitResult, error) {
	fmt.Fprintln(t.out, strings.Join(q.lines(), "\n"))
	result, err := t.decide(ctx, q)
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(t.out)
		return elicitResult{Action: actionCancel}, nil
	}
	return result, err
}

// decide asks whether the user wants to answer at all, and then for the answer.
func (t *terminal) decide(ctx context.Context, q *question) (elicitResult, error) {
	for {
		text, err := t.prompt(ctx, "accept, decline or cancel? ")
		if err != nil {
			return elicitResult{}, err
		}
		switch strings.ToLower(strings.TrimSpace(text)) {
		case actionAccept, "a":
			return t.accepted(ctx, q)
		case actionDecline, "d":
			return elicitResult{Action: actionDecline}, nil
		case actionCancel, "c":
			return elicitResult{Action: actionCancel}, nil
		}
		fmt.Fprintln(t.out, "  type accept, decline or cancel, or its first letter")
	}
}

func (t *terminal) accepted(ctx context.Context, q *question) (elicitResult, error) {
	result := elicitResult{Action: actionAccept}
	if q.page != nil {
		_, err := t.prompt(ctx, "Open the page in a browser, and press Enter when you are done there: ")
		return result, err
	}
	result.Content = map[string]json.RawMessage{}
	for i := range q.fields {
		raw, err := t.fill(ctx, &q.fields[i])
		if err != nil {
			return result, err
		}
		if raw != nil {
			result.Content[q.fields[i].name] = raw
		}
	}
	return result, nil
}

// fill asks for a field until the answer fits; nil for one that is left out.
func (t *terminal) fill(ctx context.Context, f *formField) (json.RawMessage, error) {
	lines := f.lines()
	for _, l := range lines[:len(lines)-1] {
		fmt.Fprintln(t.out, l)
	}
	for {
		text, err := t.prompt(ctx, lines[len(lines)-1]+": ")
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) == "" {
			if raw, fits := f.empty(); fits {
				return raw, nil
			}
			fmt.Fprintln(t.out, "  "+printable(fmt.Sprintf("%q is required", f.name)))
			continue
		}
		raw, wrong := f.parse(text)
		if wrong == nil {
			return raw, nil
		}
		fmt.Fprintln(t.out, "  "+printable(wrong.Error()))
	}
}

// prompt shows a prompt and reads a line. A read that is under way when ctx ends goes on, as long as the process does: nothing wakes
// it, and nothing may be read after it.
func (t *terminal) prompt(ctx context.Context, text string) (string, error) {
	fmt.Fprint(t.out, text)
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		line, err := t.in.ReadString('\n')
		done <- read{line, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(t.out)
		return "", context.Cause(ctx)
	case r := <-done:
		if r.line != "" && errors.Is(r.err, io.EOF) {
			r.err = nil // the last line, without an end
		}
		return strings.TrimRight(r.line, "\r\n"), r.err
	}
}
