package main

import (
	"io"
	"text/template"
)

// welcome tells how to connect to a demo that serves at url, in front of a gRPC server at backend. The commands can be
// pasted into a POSIX shell as they are.
func welcome(w io.Writer, url, backend string) error {
	return welcomeText.Execute(w, struct{ URL, Backend string }{url, backend})
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

{"mcpServers": {"library": {"command": "bridge", "args": ["stdio", "--backend", "{{.Backend}}", "--plaintext"]}}}
`))
