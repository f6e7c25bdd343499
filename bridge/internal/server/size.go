package server

import (
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// measure counts the bytes of JSON that content becomes before any of it is
// written: a text may take six times its bytes. Once there are more than limit
// it counts no further.
type measure struct {
	features mcp.Features
	limit    int
	size     int
	scratch  []byte
}

// over reports whether there is more than the limit.
func (m *measure) over() bool { return m.size > m.limit }

// err returns the error of a result over the limit; reply is what it was made of.
func (m *measure) err(reply []byte) error {
	if !m.over() {
		return nil
	}
	return fmt.Errorf("%w: more than %d bytes of JSON from a reply of %d bytes", transcode.ErrTooLarge, m.limit, len(reply))
}

// blocks counts blocks of content.
func (m *measure) blocks(blocks []mcp.Content) {
	for i := range blocks {
		m.block(&blocks[i])
	}
}

// block counts a block: what may be long by its length, and the rest as it is
// written, with the comma behind it.
func (m *measure) block(c *mcp.Content) {
	rest := *c
	rest.Text, rest.Data = "", nil
	rest.Resource.Text, rest.Resource.Blob = "", nil
	link := &c.Link
	if m.add(textSize(c.Text) + binarySize(c.Data) + textSize(c.Resource.Text) + binarySize(c.Resource.Blob)); m.over() {
		return
	}
	if m.size+len(link.URI)+len(link.Name)+len(link.Title)+len(link.Description) > m.limit {
		m.add(m.limit + 1)
		return
	}
	m.scratch = append(rest.AppendJSON(m.scratch[:0], m.features), ',')
	m.add(len(m.scratch))
}

// contents counts the contents of a resource.
func (m *measure) contents(contents []mcp.ResourceContents) {
	for i := range contents {
		rest := contents[i]
		m.add(textSize(rest.Text) + binarySize(rest.Blob))
		if m.over() {
			return
		}
		rest.Text, rest.Blob = "", nil
		m.scratch = append(rest.AppendJSON(m.scratch[:0], m.features), ',')
		m.add(len(m.scratch))
	}
}

// messages counts the messages of a prompt.
func (m *measure) messages(messages []mcp.PromptMessage) {
	for i := range messages {
		m.add(len(`{"role":"assistant","content":}`))
		m.block(&messages[i].Content)
	}
}

// add counts n bytes.
func (m *measure) add(n int) {
	if !m.over() {
		m.size += n
	}
}

// textSize returns how many bytes a text takes in a JSON string.
func textSize(s string) int {
	size := len(s)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			size += escapeSize(c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			size += len("\uFFFD") - 1
		}
		i += n
	}
	return size
}

// escapeSize returns how many bytes more than one the escape of c takes.
func escapeSize(c byte) int {
	switch {
	case c == '"', c == '\\', c == '\n', c == '\r', c == '\t':
		return 1
	case c < ' ':
		return len(`\u0000`) - 1
	}
	return 0
}

// binarySize returns how many bytes data takes in base64.
func binarySize(data []byte) int { return base64.StdEncoding.EncodedLen(len(data)) }
