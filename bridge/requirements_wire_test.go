package bridge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// wire is a client over HTTP that sees everything.
type wire struct {
	url, version, session string
	nextID                int
}

// answer is what came of one HTTP request.
type answer struct {
	status int
	header http.Header
	text   string
	events []event
	// messages are those of the body or of the events, in order.
	messages []message
}

// event is one of a stream of server-sent events.
type event struct{ id, retry, data string }

// response returns the last message, which has to be the response.
func (a answer) response(t *testing.T) message {
	t.Helper()
	if len(a.messages) == 0 {
		t.Fatalf("status %d without a message: %q", a.status, a.text)
	}
	return a.messages[len(a.messages)-1]
}

// wantStatus holds an answer against a status.
func (a answer) wantStatus(t *testing.T, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.text)
	}
	return a
}

// open sends an HTTP request. Each edit is a header: "Name: value", or "Name:" to leave out what is usual.
func (w *wire) open(ctx context.Context, t *testing.T, method, text string, edits ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, w.url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = w.headers(text)
	for _, edit := range edits {
		name, value, _ := strings.Cut(edit, ":")
		value = strings.TrimSpace(value)
		switch {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// headers are those that a client of the revision sends with a body.
func (w *wire) headers(text string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	var sent struct {
		Method string
		Params struct{ Name, URI string }
	}
	_ = json.Unmarshal([]byte(text), &sent) // what is none has no headers of its own
	if w.session != "" {
		h.Set("Mcp-Session-Id", w.session)
	}
	if w.version == modern || w.version >= "2025-06-18" && sent.Method != "initialize" {
		h.Set("Mcp-Protocol-Version", w.version)
	}
	if w.version == modern {
		h.Set("Mcp-Method", sent.Method)
		if name := sent.Params.Name + sent.Params.URI; name != "" {
			h.Set("Mcp-Name", name)
		}
	}
	return h
}

// do sends an HTTP request and reads the whole answer.
func (w *wire) do(t *testing.T, method, text string, edits ...string) answer {
	t.Helper()
	resp := w.open(t.Context(), t, method, text, edits...)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: resp.StatusCode, header: resp.Header, text: string(raw)}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		a.events = events(bufio.NewReader(strings.NewReader(a.text)), -1)
		for _, e := range a.events {
			a.messages = append(a.messages, parse(t, e.data)...)
		}
		return a
	}
	a.messages = parse(t, a.text)
	return a
}

// parse returns the messages of a text: one, those of a batch, or none.
func parse(t *testing.T, text string) []message {
	t.Helper()
	if strings.HasPrefix(text, "{") {
		text = "[" + text + "]"
	}
	if !strings.HasPrefix(text, "[") {
		return nil
	}
	var all []message
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("message %q: %v", text, err)
	}
	return all
}

// events reads n events of a stream, or all of them with -1. Comments are left out.
func events(r *bufio.Reader, n int) []event {
	var all []event
	var e event
	for n < 0 || len(all) < n {
		line, err := r.ReadString('\n')
		if err != nil {
			return all
		}
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			e.id = value
		case "retry":
			e.retry = value
		case "data":
			e.data += value
		case "":
			if value == "" && e != (event{}) {
				all, e = append(all, e), event{}
			}
		}
	}
	return all
}

// post sends one message in the body of a POST.
func (w *wire) post(t *testing.T, text string, edits ...string) answer {
	t.Helper()
	return w.do(t, http.MethodPost, text, edits...)
}

// request sends a request and returns the whole answer.
func (w *wire) request(t *testing.T, method, params string, edits ...string) answer {
	t.Helper()
	w.nextID++
	return w.post(t, body(w.version, fmt.Sprint(w.nextID), method, params, ""), edits...)
}

// ask sends a request and returns the response.
func (w *wire) ask(t *testing.T, method, params string) message {
	t.Helper()
	m := w.request(t, method, params).response(t)
	if string(m.ID) != fmt.Sprint(w.nextID) {
		t.Fatalf("%s: the response has the id %s, want %d", method, m.ID, w.nextID)
	}
	return m
}
