package server_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
)

// play plays a script in a bubble of its own, in which time passes at once.
func play(t *testing.T, archive *txtar.Archive, version string) string {
	var out string
	synctest.Test(t, func(t *testing.T) {
		service := cmp.Or(said(string(archive.Comment), "service: "), shelf)
		p := &player{
			fixture: newFixtureOf(t, service, section(archive, "backend"), nil),
			t:       t, version: version, eras: map[string]string{}, capabilities: "{}",
		}
		if said(string(archive.Comment), "mode: ") == "search" {
			p.search(t)
		}
		p.conn = p.gate.Stream()
		p.hear()
		for line := range strings.Lines(section(archive, "client")) {
			p.line(strings.TrimSpace(line))
			p.settle()
		}
		p.conn.Close()
		p.deaf()
		p.calls.Wait()
		p.settle()
		out = p.out.String()
	})
	return out
}

// player plays one script in one revision.
type player struct {
	*fixture
	t            *testing.T
	version      string
	conn         *lifecycle.Conn
	calls        sync.WaitGroup
	deaf         context.CancelFunc // ends the listener
	eras         map[string]string  // request id → "revision method", for checking the answer
	capabilities string             // of the client
	level        string             // of a modern client's log

	voices int // so far

	questions, states []string // that the client was sent, ids and requestStates

	mu      sync.Mutex
	replies []spoken
	out     strings.Builder
}

// line plays one line.
func (p *player) line(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "", "#":
	case "open":
		p.open()
	case "can":
		p.capabilities = rest
	case "log":
		p.log(rest)
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			p.t.Fatal(err)
		}
		time.Sleep(d)
	case "raw":
		p.send(rest)
	default:
		if !p.scene(word, rest) {
			p.send(p.withMeta(line))
		}
	}
}

// scene plays a line about what happens around the client, if it is one.
func (p *player) scene(word, rest string) bool {
	switch word {
	case "hide":
		p.swap(p.t, strings.Fields(rest)...)
	case "tell":
		method, status, _ := strings.Cut(rest, " ")
		p.backend.tell(method, status)
	case "script":
		p.backend.learn(rest)
	case "deaf":
		p.deaf()
	case "hear":
		p.hear()
	case "stop":
		p.server.Close()
	default:
		return false
	}
	return true
}

// hear has the client listen, as a stdio stream does from its beginning.
func (p *player) hear() {
	ctx, cancel := context.WithCancel(context.Background())
	p.deaf = cancel
	p.calls.Go(func() { _ = p.server.Listen(ctx, p.conn, voice{p, 0}) })
}

// voice is the part of the stream that is one request's, by the order of the
// requests: those that speak at once have no other.
type voice struct {
	player *player
	number int
}

// Send implements server.Sink.
func (v voice) Send(_ context.Context, message []byte) error {
	v.player.mu.Lock()
	defer v.player.mu.Unlock()
	v.player.replies = append(v.player.replies, spoken{v.number, string(message)})
	return nil
}

// spoken is a message and the number of its voice.
type spoken struct {
	voice int
	text  string
}

// open plays the handshake.
func (p *player) open() {
	if p.modern() {
		p.send(p.withMeta(`{"jsonrpc":"2.0","id":"open","method":"server/discover"}`))
		return
	}
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":%q,`+
		`"capabilities":%s,"clientInfo":{"name":"transcript","version":"1"}}}`, p.version, p.capabilities))
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// log asks for log messages.
func (p *player) log(level string) {
	if p.level = level; !p.modern() {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"log","method":"logging/setLevel","params":{"level":%q}}`, level))
	}
}

// modern reports whether the newest revision is played.
func (p *player) modern() bool { return p.features() == lifecycle.AllFeatures()[0] }

// features returns what the revision has that is played.
func (p *player) features() any {
	for i, v := range lifecycle.SupportedVersions() {
		if string(v) == p.version {
			return lifecycle.AllFeatures()[i]
		}
	}
	p.t.Fatalf("revision %q is not served", p.version)
	return nil
}

// withMeta adds the metadata of a modern request.
func (p *player) withMeta(text string) string {
	if !p.modern() {
		return text
	}
	var msg struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Method  string          `json:"method"`
		Params  map[string]any  `json:"params"`
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&msg); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	if msg.ID == nil || msg.Method == "" {
		return text
	}
	if msg.Params == nil {
		msg.Params = map[string]any{}
	}
	meta, _ := msg.Params["_meta"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
	}
	meta["io.modelcontextprotocol/protocolVersion"] = p.version
	meta["io.modelcontextprotocol/clientCapabilities"] = json.RawMessage(p.capabilities)
	if p.level != "" {
		meta["io.modelcontextprotocol/logLevel"] = p.level
	}
	msg.Params["_meta"] = meta
	out, err := json.Marshal(msg)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(out)
}

// nextCursor is what "$next" stands for.
var nextCursor = regexp.MustCompile(`"nextCursor":("[^"]*")`)

// send has a message admitted and runs it beside those that are running.
func (p *player) send(text string) {
	text = strings.ReplaceAll(text, "$version", p.version)
	if given := nextCursor.FindAllStringSubmatch(p.out.String(), -1); given != nil {
		text = strings.ReplaceAll(text, `"$next"`, given[len(given)-1][1])
	}
	text = p.filledIn(text)
	msg := decode(p.t, text)
	if msg.Kind == jsonrpc.KindRequest {
		revision := p.version
		if bytes.Contains(msg.Params, []byte("io.modelcontextprotocol/")) || msg.Method == "server/discover" {
			revision = string(lifecycle.SupportedVersions()[0])
		}
		p.eras[msg.ID.String()] = revision + " " + msg.Method
	}
	p.voices++
	out := voice{p, p.voices}
	call := p.server.Admit(context.Background(), p.conn, msg, out)
	p.calls.Go(func() {
		if reply := call.Run(); len(reply.Body) > 0 {
			_ = out.Send(context.Background(), reply.Body)
		}
	})
	p.settle()
}

// settle waits until nothing moves and notes what has happened.
func (p *player) settle() {
	synctest.Wait()
	for _, note := range p.backend.takeNotes() {
		p.out.WriteString("# " + note + "\n")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.SortStableFunc(p.replies, func(a, b spoken) int { return a.voice - b.voice })
	for _, reply := range p.replies {
		p.out.WriteString(p.told(reply.text) + "\n")
		p.check(reply.text)
	}
	p.replies = nil
}

// check validates a message: an answer by the revision of its request, and a
// notification by the revision that is played.
func (p *player) check(message string) {
	era, method := p.version, ""
	if id := read(p.t, []byte(message)).ID; id != nil {
		era, method, _ = strings.Cut(p.eras[string(id)], " ")
	}
	checkOfficial(p.t, cmp.Or(era, p.version), method, message)
}
