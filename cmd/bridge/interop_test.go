package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/library"
)

// interopVersions are the revisions that the official Go SDK is asked to speak: all that it knows.
var interopVersions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// TestInterop has the client of the official Go SDK, somebody else's reading of the specification, talk to the program in
// every revision, over HTTP and over stdio.
func TestInterop(t *testing.T) {
	backend := startBackend(t)
	url := startServe(t, "--backend", backend, "--plaintext")
	for _, version := range interopVersions {
		t.Run("serve/"+version, func(t *testing.T) { checkInterop(t, connectHTTP(t, url, version), version) })
		t.Run("stdio/"+version, func(t *testing.T) {
			checkInterop(t, connectStdio(t, version, "--backend", backend, "--plaintext"), version)
		})
	}
}

// checkInterop lists the tools, calls one well, once in a way that the backend refuses, once with arguments that do not
// fit, and one that does not exist.
func checkInterop(t *testing.T, s *mcp.ClientSession, version string) {
	t.Helper()
	if got := s.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}
	tools := map[string]*mcp.Tool{}
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools[tool.Name] = tool
	}
	for _, name := range []string{
		"library_get_book", "library_list_books", "library_create_book", "library_update_book", "library_delete_book", "echo_echo",
	} {
		if tools[name] == nil {
			t.Errorf("%s is not listed", name)
		}
	}
	if book := callJSON(t, s, "library_get_book", `{"name":"books/dune"}`); book["title"] != "Dune" {
		t.Errorf("got %v", book)
	}
	for arguments, want := range map[string]string{
		`{"name":"books/none"}`: "NOT_FOUND",
		`{"nam":"books/dune"}`:  `"name"`,
	} {
		if text := callError(t, s, "library_get_book", arguments); !strings.Contains(text, want) {
			t.Errorf("%s says %q, which lacks %q", arguments, text, want)
		}
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("a tool that does not exist was called")
	}
}

// startBackend serves the sample services on loopback until the test ends.
func startBackend(t *testing.T) string { return startServices(t, library.New(), echo.New()) }

func startServices(t *testing.T, services ...host.Service) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- host.Serve(ctx, lis, services...) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return lis.Addr().String()
}

// program is this test binary, which acts as the program when it is called by its name.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Args = append([]string{"bridge"}, args...)
	return cmd
}

// readyLine is what serve logs when it listens.
var readyLine = regexp.MustCompile(`msg=ready.* url=(\S+)`)

// startServe runs `bridge serve` on a free port until the test ends and returns its URL.
func startServe(t *testing.T, target ...string) string {
	t.Helper()
	cmd := program(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, target...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // before it ends the log must be drained, or it could block
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("bridge serve ended with %v", err)
		}
	})
	lines := bufio.NewScanner(stderr)
	var log strings.Builder
	for lines.Scan() {
		log.WriteString(lines.Text() + "\n")
		if found := readyLine.FindStringSubmatch(lines.Text()); found != nil {
			go func() {
				for lines.Scan() {
				}
			}()
			return found[1]
		}
	}
	t.Fatalf("bridge serve did not become ready:\n%s", log.String())
	return ""
}

func connectHTTP(t *testing.T, url, version string) *mcp.ClientSession {
	t.Helper()
	return connect(t, overHTTP(url), version, nil)
}

func connectStdio(t *testing.T, version string, target ...string) *mcp.ClientSession {
	t.Helper()
	return connect(t, overStdio(t, target...), version, nil)
}

func overHTTP(url string) mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url} }

func overStdio(t *testing.T, target ...string) mcp.Transport {
	t.Helper()
	return &mcp.CommandTransport{Command: program(t, append([]string{"stdio"}, target...)...)}
}

// connect shakes hands, or not, as the revision has it.
func connect(t *testing.T, transport mcp.Transport, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1"}, options)
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return session
}

// callJSON makes a call that must succeed and returns its result, from the text: the oldest revisions have no other.
func callJSON(t *testing.T, s *mcp.ClientSession, tool, arguments string) map[string]any {
	t.Helper()
	result := call(t, s, tool, arguments)
	text := result.Content[0].(*mcp.TextContent).Text
	if result.IsError {
		t.Fatalf("%s %s: %s", tool, arguments, text)
	}
	var value map[string]any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s answered %q: %v", tool, text, err)
	}
	return value
}

// callError makes a call that must fail as a tool error and returns what it says.
func callError(t *testing.T, s *mcp.ClientSession, tool, arguments string) string {
	t.Helper()
	result := call(t, s, tool, arguments)
	text := result.Content[0].(*mcp.TextContent).Text
	if !result.IsError {
		t.Fatalf("%s %s succeeded: %s", tool, arguments, text)
	}
	return text
}

func call(t *testing.T, s *mcp.ClientSession, tool, arguments string) *mcp.CallToolResult {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	if len(result.Content) == 0 {
		t.Fatalf("%s %s: a result without content", tool, arguments)
	}
	return result
}
