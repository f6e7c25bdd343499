package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
	"github.com/mcpgrpc/bridge/services/library"
)

// modernCall calls library_get_book as a client of 2026-07-28 does.
const modernCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"library_get_book","arguments":{"name":"books/dune"},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// TestRenewUnderCalls: however often the configuration is renewed, and whatever changes in it, no call fails of it.
func TestRenewUnderCalls(t *testing.T) {
	t.Parallel()
	set, err := filepath.Abs("../../services/library/library.binpb")
	if err != nil {
		t.Fatal(err)
	}
	file, backend := filepath.Join(t.TempDir(), "bridge.yaml"), startLibraryTest(t)
	write := func(extra string) {
		text := fmt.Sprintf("backends:\n  - name: library\n    target: %s\n    plaintext: {}\n    descriptors: {files: {descriptor_set: %s}}\n%s",
			backend, set, extra)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	n := &renewal{load: func() (*configv1.Config, error) { return config.Read(file) }, file: file, cancel: func() {}}
	r := begin(t, n)
	server := httptest.NewServer(r.bridge)
	defer server.Close()
	var callers sync.WaitGroup
	var done atomic.Bool
	headers := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "library_get_book"}
	for range 4 {
		callers.Go(func() {
			for !done.Load() {
				if body, _ := send(t, server.URL, headers, modernCall); !strings.Contains(body, `"structuredContent":{"name":"books/dune"`) {
					t.Errorf("a call got %s", body)
				}
			}
		})
	}
	for i := range 30 {
		write([]string{
			"", "    deadline: 7s\n", "    hide: [\"*.CreateBook\"]\n", "    headers: [{name: x-stage, literal: test}]\n",
			fmt.Sprintf("  - name: twin%d\n    target: %s\n    plaintext: {}\n    expose: [\"*.ListBooks\"]\n    descriptors: {files: "+
				"{descriptor_set: %s}}\n", i, backend, set),
		}[i%5])
		if !n.renew(t.Context(), "test") {
			t.Errorf("renewal %d failed", i)
		}
	}
	done.Store(true)
	callers.Wait()
}

// TestRenewWithABackendDown: the log says that the configuration is served, and which backend is not read yet; that is no failure.
func TestRenewWithABackendDown(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bridge.yaml")
	text := "backends:\n  - {name: library, target: \"" + startLibraryTest(t) +
		"\", plaintext: {}, descriptors: {files: {descriptor_set: %q}}}\n"
	set, err := filepath.Abs("../../services/library/library.binpb")
	if err != nil {
		t.Fatal(err)
	}
	text = fmt.Sprintf(text, set)
	down := "  - {name: down, target: \"127.0.0.1:1\", plaintext: {}, descriptors: {reflection: {}}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n := &renewal{load: func() (*configv1.Config, error) { return config.Read(file) }, file: file, cancel: func() {}}
	r := begin(t, n)
	var log strings.Builder
	r.logger = slog.New(slog.NewTextHandler(&log, nil))
	if err := os.WriteFile(file, []byte(text+down), 0o600); err != nil {
		t.Fatal(err)
	}
	if !n.renew(t.Context(), "test") {
		t.Fatalf("not renewed: %s", log.String())
	}
	n.describe(t.Context())
	got := log.String()
	if !strings.Contains(got, "unread=down") ||
		strings.Contains(got, "ERROR") {
		t.Errorf("logged %s", got)
	}
}

// startLibraryTest serves the library until the test ends.
func startLibraryTest(t *testing.T) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	library.New().Register(server)
	served := make(chan error, 1)
	go func() { served <- server.Serve(lis) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return lis.Addr().String()
}

// begin starts what a renewal renews, and ends it with the test.
func begin(t *testing.T, n *renewal) *running {
	t.Helper()
	c, err := n.read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	cmd.SetErr(io.Discard)
	r := &running{flush: time.Second}
	n.r = r
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := r.open(cmd, c, slog.LevelError); err != nil {
		t.Fatal(err)
	}
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}
