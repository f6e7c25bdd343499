package bridge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

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
		meta := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}%s}`, version,
			more)
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
