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
	"time"

	"github.com/mcpgrpc/bridge/bridge"
)

// patience is how long a test waits for what has to come.
const patience = 20 * time.Second

// message is a JSON-RPC message of any kind.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// wantError holds a message against an error with a code, whose text and data hold all of says.
func (m message) wantError(t *testing.T, code int, says ...string) {
	t.Helper()
	if m.Error == nil || m.Error.Code != code {
		t.Fatalf("id %s result %s error %+v, want error %d", m.ID, m.Result, m.Error, code)
	}
	for _, s := range says {
		if !strings.Contains(m.Error.Message+string(m.Error.Data), s) {
			t.Errorf("error %q %s lacks %q", m.Error.Message, m.Error.Data, s)
		}
	}
}

// wantResult holds a message against a result that holds all of says.
func (m message) wantResult(t *testing.T, says ...string) {
	t.Helper()
	if m.Error != nil || m.Result == nil {
		t.Fatalf("%s: error %+v, want a result", m.Method, m.Error)
	}
	for _, s := range says {
		if !strings.Contains(string(m.Result), s) {
			t.Errorf("result %s lacks %q", m.Result, s)
		}
	}
}

// talker is a client over either transport.
type talker interface {
	// ask sends a request with an id of its own and returns the response to it.
	ask(t *testing.T, method, params string) message
}

// body writes a request, or with id "" a notification. In the modern revision its params get their metadata, and more, which
// begins with a comma, in it.
func body(version, id, method, params, more string) string {
	if version == modern {
		meta := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}%s}`, version, more)
		if rest := strings.TrimSuffix(strings.TrimPrefix(params, "{"), "}"); rest != "" {
			meta += "," + rest
		}
		params = "{" + meta + "}"
	}
	text := `{"jsonrpc":"2.0"`
	if id != "" {
		text += `,"id":` + id
	}
	text += fmt.Sprintf(`,"method":%q`, method)
	if params != "" {
		text += `,"params":` + params
	}
	return text + "}"
}

// opening is the handshake of a legacy revision.
func opening(version string) string {
	return fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}`, version)
}

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

// pipe is a client over stdio.
type pipe struct {
	version string
	in      io.WriteCloser
	lines   chan string // closed at the end of the output
	done    chan error  // what ServeStdio returned
	stop    context.CancelFunc
	nextID  int
	// seen are the messages that came before the response that ask waited for.
	seen []message
}

// openPipe serves b over a pair of pipes, without any handshake.
func openPipe(t *testing.T, b *bridge.Bridge, version string) *pipe {
	t.Helper()
	inReader, in := io.Pipe()
	out, outWriter := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	p := &pipe{version: version, in: in, lines: make(chan string, 1024), done: make(chan error, 1), stop: stop}
	go func() {
		p.done <- b.ServeStdio(ctx, inReader, outWriter)
		outWriter.Close()
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(p.lines)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	t.Cleanup(func() {
		stop()
		in.Close()
		<-read
	})
	return p
}

// send writes one line.
func (p *pipe) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(p.in, text+"\n"); err != nil {
		t.Fatal(err)
	}
}

// next reads one line.
func (p *pipe) next(t *testing.T) message {
	t.Helper()
	select {
	case line, ok := <-p.lines:
		var m message
		if err := json.Unmarshal([]byte(line), &m); !ok || err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		return m
	case <-time.After(patience):
		t.Fatal("nothing comes")
	}
	return message{}
}

// quiet wants no line to have come.
func (p *pipe) quiet(t *testing.T) {
	t.Helper()
	select {
	case line := <-p.lines:
		t.Errorf("received %s", line)
	default:
	}
}

// ask sends a request and returns the response; what comes before is in seen.
func (p *pipe) ask(t *testing.T, method, params string) message {
	t.Helper()
	p.nextID++
	id := fmt.Sprint(p.nextID)
	p.send(t, body(p.version, id, method, params, ""))
	for {
		m := p.next(t)
		if m.Method == "" && string(m.ID) == id {
			return m
		}
		p.seen = append(p.seen, m)
	}
}
