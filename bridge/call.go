package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// ErrProtocol is what [Bridge.Call] wraps when the caller asked for what cannot be: an unknown tool, arguments that are
// not JSON. A fault of the bridge's own, and the end of the context, are not among these.
var ErrProtocol = errors.New("protocol error")

// Result is the result of one call.
type Result struct {
	// JSON is the response message in ProtoJSON, compact; nil when IsError is set, and when the response is content and no
	// data.
	JSON []byte
	// Text is what a model reads: the same JSON, or the reason of the failure. "" when the result does not begin with a text.
	Text string
	// Content is the whole content of the result when that is more than texts: a JSON array of the blocks of MCP, pictures and
	// sound in base64. Else nil.
	Content []byte
	// Warnings name the values of the response that JSON cannot hold and that were replaced; with Content, they stand there.
	Warnings []string
	// IsError says that the call failed: the arguments did not fit, or the backend answered with an error.
	IsError bool
}

// Call makes one call as a client of the newest protocol revision would. arguments is a JSON object; nil means none.
// What goes wrong with the arguments or at the backend is a Result with IsError. An unknown tool and malformed JSON are
// errors that wrap [ErrProtocol], the end of ctx is one that wraps its cause, and a fault of the bridge's own, which the
// log explains, is an error that wraps nothing, as is a nil ctx. With [ModeSearch] the tools are the three of that mode.
//
// A backend that asks something is answered as [Answering] says; without that, its call is an error that wraps ErrProtocol.
func (b *Bridge) Call(ctx context.Context, tool string, arguments []byte, opts ...CallOption) (*Result, error) {
	if ctx == nil {
		return nil, fmt.Errorf("call of %q: the context is nil: give context.Background() where there is none", tool)
	}
	c, err := newCalling(opts)
	if err != nil {
		return nil, fmt.Errorf("call of %q: %w", tool, err)
	}
	conn := b.gate.Stream()
	defer conn.Close()
	var retry []byte
	for n := range cmp.Or(b.settings.maxRounds, server.DefaultMaxRounds) + maxUnfit {
		msg, err := callMessage(tool, arguments, c, n+1, retry)
		if err != nil {
			return nil, err
		}
		reply := b.server.Handle(ctx, conn, msg)
		if len(reply.Body) == 0 {
			return nil, fmt.Errorf("call of %q: %w", tool, context.Cause(ctx))
		}
		if raw, failed := jsonrpc.Find(reply.Body, "error"); failed {
			return nil, callError(tool, raw)
		}
		result, _ := jsonrpc.Find(reply.Body, "result")
		if kind, _ := jsonrpc.Find(result, "resultType"); string(kind) != `"input_required"` {
			return parseResult(result)
		}
		if retry, err = c.retry(ctx, tool, result); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: call of %q: the answers do not fit the questions, however often these are asked", ErrProtocol, tool)
}

// callError reads a JSON-RPC error.
func callError(tool string, raw []byte) error {
	code, _ := jsonrpc.Find(raw, "code")
	message, _ := jsonrpc.Find(raw, "message")
	text, _ := jsonrpc.Unquote(message)
	if string(code) == strconv.Itoa(jsonrpc.CodeInternal) {
		return fmt.Errorf("call of %q: %s", tool, text)
	}
	return fmt.Errorf("%w: %s", ErrProtocol, text)
}

// callMessage builds the nth request of a call, and has it pass the same strict decoding as one from outside. retry are the
// members of its params that bring answers; nil for none.
func callMessage(tool string, arguments []byte, c *calling, n int, retry []byte) (jsonrpc.Message, error) {
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	if malformed := jsonrpc.Check(arguments, jsonrpc.DefaultLimits); malformed != nil {
		return jsonrpc.Message{}, fmt.Errorf("%w: arguments of %q: %s", ErrProtocol, tool, malformed.Message)
	}
	params := append([]byte(`{"name":`), jsonrpc.AppendString(nil, tool)...)
	params = append(append(params, `,"arguments":`...), arguments...)
	params = append(params, retry...)
	params = append(append(append(params, `,"_meta":`...), newestMeta(c.capabilities)...), '}')
	msg, malformed := jsonrpc.Decode(jsonrpc.AppendRequest(nil, jsonrpc.IntID(int64(n)), mcp.MethodToolsCall, params), jsonrpc.DefaultLimits)
	if malformed != nil {
		return msg, fmt.Errorf("%w: %s", ErrProtocol, malformed.Message)
	}
	return msg, nil
}

// newestMeta is the `_meta` of a client of the newest revision with capabilities, a JSON object.
func newestMeta(capabilities []byte) []byte {
	meta := append([]byte(`{"`+mcp.MetaProtocolVersion+`":`), jsonrpc.AppendString(nil, string(lifecycle.SupportedVersions()[0]))...)
	return append(append(append(meta, `,"`+mcp.MetaClientCapabilities+`":`...), capabilities...), '}')
}

// parseResult reads a CallToolResult of the newest revision.
func parseResult(raw []byte) (*Result, error) {
	var r struct {
		Content           json.RawMessage `json:"content"`
		StructuredContent json.RawMessage `json:"structuredContent"`
		IsError           bool            `json:"isError"`
	}
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := errors.Join(json.Unmarshal(raw, &r), json.Unmarshal(r.Content, &blocks)); err != nil {
		return nil, fmt.Errorf("the bridge's own result: %w", err)
	}
	result := &Result{JSON: r.StructuredContent, IsError: r.IsError}
	texts := result.JSON != nil || result.IsError
	for i, block := range blocks {
		texts = texts && block.Type == "text"
		if i == 0 {
			result.Text = block.Text
		} else {
			result.Warnings = append(result.Warnings, block.Text)
		}
	}
	if !texts {
		result.Content, result.Warnings = r.Content, nil
	}
	return result, nil
}
