package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
)

var update = flag.Bool("update", false, "rewrite the server's part of the transcripts")

// TestTranscripts plays testdata/*.txtar. Each archive has prose on top, what
// the client sends, what the backend does, and what the server answers in each
// revision in which the script is played: in those that a line "played in: …"
// of the prose names, else in all.
//
// Lines of the client's part are JSON-RPC messages or one of
//
//	# …            a comment
//	open           the handshake of the revision; modern, server/discover
//	wait 1s        time passes
//	raw {…}        a message to which no metadata is added
//
// in which "$version" stands for the revision and "$next" for the nextCursor
// that the server gave last.
//
// Requests and notifications are sent one after the other on one stream, each
// when the server has nothing left to do about those before; in a modern
// revision requests get the metadata that is required there. What the backend
// notes stands in the server's part as a comment, in the place where it happened.
func TestTranscripts(t *testing.T) {
	loadShelf(t)
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, version := range revisions(string(archive.Comment)) {
				t.Run(version, func(t *testing.T) {
					got := play(t, archive, version)
					golden(t, archive, "server "+version, got)
				})
			}
			if *update && !t.Failed() {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// revisions reads in which revisions a transcript is played, oldest first.
func revisions(prose string) []string {
	for line := range strings.Lines(prose) {
		if list, ok := strings.CutPrefix(line, "played in: "); ok {
			return strings.Fields(list)
		}
	}
	var all []string
	for _, v := range lifecycle.SupportedVersions() {
		all = append(all, string(v))
	}
	slices.Reverse(all)
	return all
}

// golden compares got with a section of the archive, or puts it there.
func golden(t *testing.T, archive *txtar.Archive, section, got string) {
	t.Helper()
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == section })
	switch {
	case *update && i < 0:
		archive.Files = append(archive.Files, txtar.File{Name: section, Data: []byte(got)})
	case *update:
		archive.Files[i].Data = []byte(got)
	case i < 0:
		t.Errorf("section %q is missing: run with -update", section)
	default:
		if diff := cmp.Diff(string(archive.Files[i].Data), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", section, diff)
		}
	}
}

// section returns the text of one section.
func section(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// play plays a script in a bubble of its own, in which time passes at once.
func play(t *testing.T, archive *txtar.Archive, version string) string {
	var out string
	synctest.Test(t, func(t *testing.T) {
		p := &player{fixture: newFixture(t, section(archive, "backend"), nil), t: t, version: version, eras: map[string]string{}}
		p.conn = p.gate.Stream()
		for line := range strings.Lines(section(archive, "client")) {
			p.line(strings.TrimSpace(line))
			p.settle()
		}
		p.conn.Close()
		p.calls.Wait()
		p.settle()
		out = p.out.String()
	})
	return out
}

// player plays one script in one revision.
type player struct {
	*fixture
	t       *testing.T
	version string
	conn    *lifecycle.Conn
	calls   sync.WaitGroup
	eras    map[string]string // request id → "revision method", for checking the answer

	mu      sync.Mutex
	replies []string
	out     strings.Builder
}

// line plays one line.
func (p *player) line(line string) {
	switch {
	case line == "" || strings.HasPrefix(line, "#"):
	case line == "open":
		p.open()
	case strings.HasPrefix(line, "wait "):
		d, err := time.ParseDuration(line[len("wait "):])
		if err != nil {
			p.t.Fatal(err)
		}
		time.Sleep(d)
	case strings.HasPrefix(line, "raw "):
		p.send(line[len("raw "):])
	default:
		p.send(p.withMeta(line))
	}
}

// open plays the handshake.
func (p *player) open() {
	if lifecycle.AllFeatures()[0] == p.features() {
		p.send(p.withMeta(`{"jsonrpc":"2.0","id":"open","method":"server/discover"}`))
		return
	}
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":%q,`+
		`"capabilities":{},"clientInfo":{"name":"transcript","version":"1"}}}`, p.version))
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

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
	if p.features() != lifecycle.AllFeatures()[0] {
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
	meta["io.modelcontextprotocol/clientCapabilities"] = map[string]any{}
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
	msg := decode(p.t, text)
	if msg.Kind == jsonrpc.KindRequest {
		revision := p.version
		if bytes.Contains(msg.Params, []byte("io.modelcontextprotocol/")) || msg.Method == "server/discover" {
			revision = string(lifecycle.SupportedVersions()[0])
		}
		p.eras[msg.ID.String()] = revision + " " + msg.Method
	}
	call := p.server.Admit(context.Background(), p.conn, msg)
	p.calls.Go(func() {
		if reply := call.Run(); len(reply.Body) > 0 {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.replies = append(p.replies, string(reply.Body))
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
	for _, reply := range p.replies {
		p.out.WriteString(reply + "\n")
		era, method, _ := strings.Cut(p.eras[string(read(p.t, []byte(reply)).ID)], " ")
		checkOfficial(p.t, era, method, reply)
	}
	p.replies = nil
}
