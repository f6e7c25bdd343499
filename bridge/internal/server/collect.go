package server

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/redact"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// The bounds at which the collection of a stream ends, as results name them.
const (
	boundMessages = "messages"
	boundBytes    = "bytes"
	boundDeadline = "deadline"
)

// collection makes one result of the responses of a stream. Each is written into
// it when it comes and is held no longer, so that memory is bounded by the result.
type collection struct {
	call   *call
	stream *catalog.Stream
	tool   *catalog.Tool
	most   int // messages
	buffer *[]byte
	noted  []byte // for telemetry

	out      []byte // of the items, up to the last
	size     measure
	result   mcp.CallToolResult
	count    int    // of data, taken
	last     []byte // the latest message, where it is the result
	reason   string // the bound at which the collection ended; "" for none
	left     string // what was left there
	err      error  // why a message could not be taken
	warnings int    // beyond those of the result
}

// collect returns a collection, empty. The result may use buffer.
func (s *Server) collect(c *call, tool *catalog.Tool, buffer *[]byte) *collection {
	k := &collection{call: c, stream: tool.Stream, tool: tool, buffer: buffer, most: s.streamMessages}
	if n := tool.Stream.MaxMessages; n > 0 {
		k.most = n
	}
	k.size = c.measure()
	bound := s.streamBytes
	if n := tool.Stream.MaxBytes; n > 0 {
		bound = n
	}
	k.size.limit = min(k.size.limit, bound)
	k.clear()
	return k
}

// clear begins once more.
func (k *collection) clear() {
	k.out = (*k.buffer)[:0]
	k.out = append(k.out, `{"`+schema.ItemsKey+`":[`...)
	k.size.size, k.count, k.warnings = 0, 0, 0
	k.result, k.last, k.noted = mcp.CallToolResult{}, nil, nil
	k.reason, k.left, k.err = "", "", nil
}

// receive takes one message of the stream.
func (k *collection) receive(reply []byte) error {
	event, told, err := k.stream.Events.Read(reply)
	switch {
	case err != nil:
		k.err = fmt.Errorf("%w: %w", transcode.ErrReply, err)
		return k.err
	case told:
		k.call.hears(event)
		return nil
	case k.stream.LastOnly:
		k.last = append(k.last[:0], reply...)
		k.taken()
		return nil
	case k.count == k.most:
		k.cut(boundMessages, fmt.Sprintf("the stream went on after %s, which is the most, and was ended", messages(k.most)))
		return backend.ErrStop
	}
	if err := k.take(reply); err != nil {
		return k.refuse(err)
	}
	k.note(reply)
	k.taken()
	return nil
}

// taken counts a message.
func (k *collection) taken() {
	k.count++
	k.call.progress.counts()
}

// take writes a message into the result, or leaves that as it was.
func (k *collection) take(reply []byte) (err error) {
	output, size, blocks, out := k.call.target.output, k.size.size, len(k.result.Blocks), len(k.out)
	defer func() {
		if err != nil {
			k.size.size, k.result.Blocks, k.out = size, k.result.Blocks[:blocks], k.out[:out]
		}
	}()
	if !output.Plain() {
		reply = bytes.Clone(reply) // the blocks may have it in them
		more, err := output.Blocks(reply)
		if err != nil {
			return err
		}
		k.size.blocks(more)
		k.result.Blocks = append(k.result.Blocks, more...)
	}
	if !output.Only() && !k.size.over() {
		if err := k.write(reply); err != nil {
			return err
		}
	}
	return k.size.err(reply)
}

// write appends a message to the items.
func (k *collection) write(reply []byte) error {
	mark := len(k.out)
	if k.count > 0 {
		k.out = append(k.out, ',')
	}
	out, warnings, err := k.call.target.codec.AppendJSON(k.out, reply)
	if err != nil {
		return err
	}
	k.out = out
	k.size.add(len(out) - mark)
	room := max(0, transcode.MaxWarnings-len(k.result.Warnings))
	k.result.Warnings = append(k.result.Warnings, warnings[:min(room, len(warnings))]...)
	k.warnings += max(0, len(warnings)-room)
	return nil
}

// refuse ends the stream at a message that could not be taken. Once there are
// others, one that has no room is the end of what is collected, and no failure.
func (k *collection) refuse(err error) error {
	if k.count > 0 && (errors.Is(err, transcode.ErrTooLarge) || errors.Is(err, content.ErrTooLarge)) {
		k.cut(boundBytes, fmt.Sprintf("the message after %s would have made more than %d bytes of JSON, and the stream was ended",
			messages(k.count), k.size.limit))
		return backend.ErrStop
	}
	k.err = err
	return err
}

// cut notes that the collection ended at a bound.
func (k *collection) cut(reason, left string) {
	if len(k.tool.Narrowing) > 0 && reason != boundDeadline {
		left += "; to have less, set " + strings.Join(k.tool.Narrowing, " or ")
	}
	k.reason, k.left = reason, left
	k.call.request.operation.Truncated(reason, k.count)
}

// note keeps a message for telemetry.
func (k *collection) note(reply []byte) {
	r, t := k.call.request, &k.call.target
	if !r.content || len(k.noted) > maxNoted {
		return
	}
	if text, err := redact.JSON(t.method.Output(), reply, t.codec.Types()); err == nil {
		k.noted = append(append(k.noted, "[,"[min(len(k.noted), 1)]), text...)
	}
}

// conclude returns what was collected. Where the stream failed after data, it
// returns both the data and the error; our own deadline is a bound like others.
func (k *collection) conclude(err error) (*mcp.CallToolResult, error) {
	if k.err != nil {
		err = k.err
	}
	var failure *backend.Failure
	if k.count > 0 && errors.As(err, &failure) && failure.Expired {
		k.cut(boundDeadline, fmt.Sprintf("the deadline of %v passed after %s, and the stream was ended",
			k.call.target.backend.Deadline(), messages(k.count)))
		err = nil
	}
	if err != nil && k.count == 0 {
		return nil, err
	}
	if k.noted != nil {
		k.call.request.operation.Result(append(k.noted, ']'))
	}
	result, failed := k.written()
	switch {
	case failed == nil:
		return result, err
	case err != nil: // what the backend says of its stream counts for more
		return nil, err
	}
	return nil, &atEnd{failed}
}

// atEnd is why a result could not be made of a stream that had ended by itself.
type atEnd struct{ error }

// Unwrap returns why.
func (e *atEnd) Unwrap() error { return e.error }

// written is the result.
func (k *collection) written() (*mcp.CallToolResult, error) {
	if k.stream.LastOnly {
		return k.writtenLast()
	}
	if k.warnings > 0 {
		k.result.Warnings = append(k.result.Warnings, fmt.Sprintf("and %d warnings more", k.warnings))
	}
	if k.call.target.output.Only() {
		k.warn()
		return &k.result, nil
	}
	k.out = append(k.out, ']')
	if k.reason != "" {
		k.out = append(k.out, `,"`+schema.TruncatedKey+`":true,"`+schema.ReasonKey+`":"`+k.reason+`","`+schema.LeftKey+`":`...)
		k.out = jsonrpc.AppendString(k.out, k.left)
	}
	k.out = append(k.out, '}')
	*k.buffer, k.result.Structured = k.out, k.out
	return &k.result, nil
}

// writtenLast is the result where it is the last message alone.
func (k *collection) writtenLast() (*mcp.CallToolResult, error) {
	result, err := k.call.present(slices.Clip(k.last), k.buffer)
	if err != nil {
		return nil, err
	}
	k.result = *result
	if k.count == 0 {
		k.result.Warnings = append(k.result.Warnings, "the stream ended without a message: what stands here is an empty one")
	}
	k.warn()
	return &k.result, nil
}

// warn says in a text that the collection ended at a bound, where the result has
// no place for that.
func (k *collection) warn() {
	if k.reason != "" {
		k.result.Warnings = append(k.result.Warnings, "truncated: "+k.left)
	}
}

// messages says how many messages.
func messages(n int) string {
	if n == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", n)
}
