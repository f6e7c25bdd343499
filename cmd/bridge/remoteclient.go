package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"github.com/mcpgrpc/bridge/bridge"
)

const (
	// remoteRevision is the revision of MCP in which servers are called.
	remoteRevision = "2026-07-28"
	// maxRemoteBytes bounds an answer.
	maxRemoteBytes = 64 << 20
	// maxRemoteRounds bounds how often a server may ask before one call is answered.
	maxRemoteRounds = 100
	// maxRemotePages bounds how many pages of a list are read.
	maxRemotePages = 1000

	headerMismatch = -32020 // JSON-RPC error: the headers do not say what the body does
)

// remoteClient calls an MCP server over Streamable HTTP.
type remoteClient struct {
	endpoint string
	http     *http.Client
	lastID   int
	asker    *asker        // answers what a tool asks; nil for nobody
	patience time.Duration // how long each request may take; 0 for any time
}

// rpcError is a JSON-RPC error that the server answered with.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error says what the server said; main makes it fit for a terminal.
func (e rpcError) Error() string {
	return fmt.Sprintf("%s (error %d)", cmp.Or(e.Message, "the server refused the request and does not say why"), e.Code)
}

// rpcMessage is what a server sends.
type rpcMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// call calls a tool, and calls it again with the answers to what it asks.
func (c *remoteClient) call(ctx context.Context, tool string, arguments []byte) (*remoteResult, error) {
	params := map[string]any{"name": tool}
	if text := bytes.TrimSpace(arguments); len(text) > 0 && !bytes.Equal(text, []byte("null")) {
		params["arguments"] = json.RawMessage(text)
	}
	named := http.Header{"Mcp-Name": {headerText(tool)}}
	for range maxRemoteRounds {
		raw, err := c.round(ctx, params, named, arguments)
		if err != nil {
			return nil, err
		}
		again, err := c.answered(ctx, raw)
		if err != nil {
			return nil, err
		}
		if again == nil {
			return readResult(raw)
		}
		delete(params, "inputResponses")
		delete(params, "requestState")
		maps.Copy(params, again)
	}
	return nil, fmt.Errorf("the server has asked %d times and asks again", maxRemoteRounds)
}

// answered has what a result asks answered, and returns what is added to the params of the next round; nil for a result that asks
// nothing, or that has nobody who could answer.
func (c *remoteClient) answered(ctx context.Context, result []byte) (map[string]any, error) {
	var asks struct {
		Type     string          `json:"resultType"`
		Requests json.RawMessage `json:"inputRequests"`
		State    json.RawMessage `json:"requestState"`
	}
	_ = json.Unmarshal(result, &asks) // what cannot be read asks nothing, and is refused as a result
	if asks.Type != "input_required" || asks.Requests == nil && asks.State == nil {
		return nil, nil
	}
	again := map[string]any{}
	if asks.Requests != nil {
		if c.asker == nil || !c.asker.can {
			return nil, nil
		}
		responses, err := c.asker.answer(ctx, asks.Requests)
		if err != nil {
			return nil, err
		}
		again["inputResponses"] = json.RawMessage(responses)
	}
	if asks.State != nil {
		again["requestState"] = asks.State
	}
	return again, nil
}

// round makes one request for the call. The headers that a tool's schema asks for are only known from the list of tools, so the
// call goes without them first; a server that wants them refuses before it has done anything, and is then asked for the list
// (2026-07-28 basic/transports/streamable-http, "Custom Headers from Tool Parameters"). They are added to named.
func (c *remoteClient) round(ctx context.Context, params map[string]any, named http.Header, arguments []byte) (json.RawMessage, error) {
	if c.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.patience, fmt.Errorf("no answer within %s, which --deadline sets", c.patience))
		defer cancel()
	}
	raw, err := c.ask(ctx, "tools/call", params, named)
	if refusal := (rpcError{}); errors.As(err, &refusal) && refusal.Code == headerMismatch {
		schema, listErr := c.schema(ctx, fmt.Sprint(params["name"]))
		if listErr != nil {
			return nil, errors.Join(err, listErr)
		}
		mirrored, headerErr := paramHeaders(schema, arguments)
		if headerErr != nil {
			return nil, errors.Join(err, headerErr)
		}
		maps.Copy(named, mirrored)
		raw, err = c.ask(ctx, "tools/call", params, named)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = context.Cause(ctx)
	}
	return raw, err
}

// schema finds the input schema of a tool in the server's list.
func (c *remoteClient) schema(ctx context.Context, tool string) (json.RawMessage, error) {
	params := map[string]any{}
	for range maxRemotePages {
		raw, err := c.ask(ctx, "tools/list", params, nil)
		if err != nil {
			return nil, err
		}
		var page struct {
			Tools []struct {
				Name        string          `json:"name"`
				InputSchema json.RawMessage `json:"inputSchema"`
			} `json:"tools"`
			NextCursor *string `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, fmt.Errorf("the list of tools is not one of MCP: %w", err)
		}
		for _, t := range page.Tools {
			if t.Name == tool {
				return t.InputSchema, nil
			}
		}
		if page.NextCursor == nil {
			return nil, fmt.Errorf("%q is not in the server's list of tools", tool)
		}
		params["cursor"] = *page.NextCursor
	}
	return nil, fmt.Errorf("the server's list of tools has more than %d pages", maxRemotePages)
}

// ask sends one request and returns its result.
func (c *remoteClient) ask(ctx context.Context, method string, params map[string]any, header http.Header) (json.RawMessage, error) {
	c.lastID++
	params["_meta"] = requestMeta(ctx, c.asker.capabilities())
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.lastID, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = http.Header{
		"Content-Type":         {"application/json"},
		"Accept":               {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {remoteRevision},
		"Mcp-Method":           {method},
	}
	maps.Copy(req.Header, header)
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(req.Header))
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() //nolint:errcheck // all that is wanted of it has been read
	answer, err := c.answer(res)
	switch {
	case err != nil:
		return nil, err
	case answer.Error != nil:
		return nil, *answer.Error
	}
	return answer.Result, nil
}

// requestMeta says which revision and which client this is and what it can be asked for, which each request of 2026-07-28 does, and
// which span it is of.
func requestMeta(ctx context.Context, capabilities json.RawMessage) map[string]any {
	span := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, span)
	meta := map[string]any{
		"io.modelcontextprotocol/protocolVersion":    remoteRevision,
		"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "bridge", "version": bridge.Version()},
		"io.modelcontextprotocol/clientCapabilities": capabilities,
	}
	for _, key := range slices.Sorted(maps.Keys(span)) {
		meta[key] = span[key]
	}
	return meta
}

// answer finds the answer to the last request in a response, which is that message alone or a stream of events.
func (c *remoteClient) answer(res *http.Response) (*rpcMessage, error) {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // one that cannot be read is of no known kind
	body := &io.LimitedReader{R: res.Body, N: maxRemoteBytes + 1}
	switch kind {
	case "text/event-stream":
		return c.streamed(body)
	case "application/json":
		text, err := io.ReadAll(body)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the answer broke off: %w", err)
		case body.N <= 0:
			return nil, errTooLarge
		}
		if m := c.own(text); m != nil {
			return m, nil
		}
	}
	return nil, fmt.Errorf("HTTP status %s and no answer of MCP %s: is this the address of an MCP server of that revision?", res.Status,
		remoteRevision)
}

var errTooLarge = fmt.Errorf("the answer is larger than the %d MiB that are read of one", maxRemoteBytes>>20)

// own reads a message; nil when it is not the answer to the last request. An error about a request that the server could not
// read has no id.
func (c *remoteClient) own(text []byte) *rpcMessage {
	var m rpcMessage
	if json.Unmarshal(text, &m) != nil || m.Method != "" || (m.Result == nil) == (m.Error == nil) {
		return nil
	}
	id := string(m.ID)
	if id == strconv.Itoa(c.lastID) || m.Error != nil && (id == "" || id == "null") {
		return &m
	}
	return nil
}

// streamed reads events until the answer is there: what comes before it tells of progress.
func (c *remoteClient) streamed(body *io.LimitedReader) (*rpcMessage, error) {
	events := newEvents(body)
	for {
		data, err := events.next()
		switch {
		case body.N <= 0:
			return nil, errTooLarge
		case errors.Is(err, io.EOF):
			return nil, errors.New("the stream ended without an answer")
		case err != nil:
			return nil, fmt.Errorf("the stream broke off: %w", err)
		}
		if m := c.own(data); m != nil {
			return m, nil
		}
	}
}
