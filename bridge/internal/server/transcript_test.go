package server_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

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
//	can {…}        what the client says that it can do, in open and in metadata
//	log debug      logging/setLevel; modern, the level in the metadata from now on
//	wait 1s        time passes
//	raw {…}        a message to which no metadata is added
//	hide A.* …     the catalog is swapped for one without these methods
//	tell M [S]     the open streams of a method have a message or, with a status, end
//	script M: …    the backend does something else
//	deaf, hear     the client stops to listen, and listens again
//	stop           the server is closed
//
// in which "$version" stands for the revision and "$next" for the nextCursor
// that the server gave last, "$ask-1" for the id of the first question of the
// server and "$state-1" for the first requestState, as they do in its part.
//
// The backend is shelf.proto, or what the line "service: …" of the prose names.
// With a line "mode: search", three tools stand for all methods.
// Requests and notifications are sent one after the other on one stream, each
// when the server has nothing left to do about those before; in a modern
// revision requests get the metadata that is required there. The server's part
// has all that is sent to the client, in order. What the backend
// notes stands in the server's part as a comment, in the place where it happened.
func TestTranscripts(t *testing.T) {
	loadAll(t)
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
	if list := said(prose, "played in: "); list != "" {
		return strings.Fields(list)
	}
	var all []string
	for _, v := range lifecycle.SupportedVersions() {
		all = append(all, string(v))
	}
	slices.Reverse(all)
	return all
}

// said returns the rest of the line of the prose that begins with prefix.
func said(prose, prefix string) string {
	for line := range strings.Lines(prose) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
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
