package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// welcome tells how to connect to a demo that serves at url, in front of a gRPC server at backend, with a program that
// clients start themselves. The commands can be pasted into a POSIX shell as they are.
func welcome(w io.Writer, url, backend, program string) error {
	return welcomeText.Execute(w, struct{ URL, Backend, Program string }{url, backend, program})
}

// installed returns where `go install ./cmd/bridge` puts the program: GOBIN, else bin below the first entry of GOPATH,
// which is ~/go unless it is set. Nothing is searched in PATH: desktop clients have another than shells, and the bridge
// found there may be iproute2's.
func installed(ctx context.Context) string {
	bin, path := goSettings(ctx)
	if bin == "" {
		list := filepath.SplitList(path)
		if len(list) == 0 {
			return "bridge"
		}
		bin = filepath.Join(list[0], "bin")
	}
	return filepath.Join(bin, "bridge")
}

// goTimeout bounds the question to the go command, which answers in some hundredths of a second: the demo must not wait.
const goTimeout = time.Second

// goSettings returns Go's GOBIN and GOPATH. The go command knows what `go env -w` has stored; without it, or when it has
// no answer, the environment and Go's default count.
func goSettings(ctx context.Context) (bin, path string) {
	ctx, cancel := context.WithTimeout(ctx, goTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "env", "GOBIN", "GOPATH")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local") // another toolchain is not fetched for the sake of a question
	cmd.WaitDelay = goTimeout / 10
	if output, err := cmd.Output(); err == nil {
		if lines := strings.Split(string(output), "\n"); len(lines) > 1 {
			return strings.TrimSpace(lines[0]), strings.TrimSpace(lines[1])
		}
	}
	path = os.Getenv("GOPATH")
	if home, err := os.UserHomeDir(); err == nil && path == "" {
		path = filepath.Join(home, "go")
	}
	return os.Getenv("GOBIN"), path
}

// quote writes a string as JSON does.
func quote(s string) (string, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // it is for people to read
	err := e.Encode(s)
	return strings.TrimSpace(text.String()), err
}

var welcomeText = template.Must(template.New("welcome").Funcs(template.FuncMap{"json": quote}).Parse(
	`The library and the shop are open; Ctrl-C closes them.

  MCP endpoint   {{.URL}}
  gRPC server    {{.Backend}}

Say hello as a client of the initialize era does (up to revision 2025-11-25):

curl -sS '{{.URL}}' \
  -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
  -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'

Call a tool as a client of revision 2026-07-28 does:

curl -sS '{{.URL}}' \
  -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
  -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: library_get_book' \
  -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"library_get_book","arguments":{"name":"books/dune"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'

Order two desks; the shop asks you first, in the terminal:

go run ./cmd/bridge call --url '{{.URL}}' order_place_order '{"customer":"Bo","items":[{"sku":"DESK","quantity":2}]}'

Configure a client that speaks HTTP:

{"mcpServers": {"demo": {"type": "http", "url": {{json .URL}}}}}

Configure a client that starts its servers (needs the program: go install ./cmd/bridge):

{"mcpServers": {"demo": {"command": {{json .Program}}, "args": ["stdio", "--backend", {{json .Backend}}, "--plaintext"]}}}
`))
