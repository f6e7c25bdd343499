package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"text/template"
)

// welcome tells how to connect to a demo that serves at url, in front of a gRPC server at backend. The commands can be
// pasted into a POSIX shell as they are.
func welcome(w io.Writer, url, backend string) error {
	return welcomeText.Execute(w, struct{ URL, Backend, Program string }{url, backend, installed()})
}

// installed returns the path of the installed program, or else the one that `go install` will give it. Desktop clients
// have another PATH than shells, so the bare name would not do.
func installed() string {
	if path, err := exec.LookPath("bridge"); err == nil {
		if path, err = filepath.Abs(path); err == nil {
			return path
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "bridge"
	}
	path := filepath.Join(home, "go", "bin")
	if list := filepath.SplitList(os.Getenv("GOPATH")); len(list) > 0 {
		path = filepath.Join(list[0], "bin")
	}
	if dir := os.Getenv("GOBIN"); dir != "" {
		path = dir
	}
	return filepath.Join(path, "bridge")
}

var welcomeText = template.Must(template.New("welcome").Parse(`The library is open; Ctrl-C closes it.

  MCP endpoint   {{.URL}}
  gRPC server    {{.Backend}}

Say hello as a client of the initialize era does (up to revision 2025-11-25):

curl -sS {{.URL}} \
  -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
  -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'

Call a tool as a client of revision 2026-07-28 does:

curl -sS {{.URL}} \
  -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
  -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: library_get_book' \
  -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"library_get_book","arguments":{"name":"books/dune"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'

Configure a client that speaks HTTP:

{"mcpServers": {"library": {"type": "http", "url": "{{.URL}}"}}}

Configure a client that starts its servers (needs the program: go install ./cmd/bridge):

{"mcpServers": {"library": {"command": {{printf "%q" .Program}}, "args": ["stdio", "--backend", "{{.Backend}}", "--plaintext"]}}}
`))
