package server

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// maxErrorText bounds, in bytes, what a model reads of a failure; clients cut
// longer texts, and then at a worse place.
const maxErrorText = 4000

// maxEcho bounds, in bytes, how much of a peer's own text an error repeats.
const maxEcho = 128

// outcome sorts the error of a call, here and nowhere else. What the model can
// mend or must know is a result with isError, with code, reason, outcome and
// advice in the same four lines whatever failed. Anything else is a fault of
// ours: it is logged, and the result is nil.
func (s *Server) outcome(ctx context.Context, tool *catalog.Tool, err error) *mcp.CallToolResult {
	var argument *transcode.ArgumentError
	var failure *backend.Failure
	var text string
	switch {
	case errors.As(err, &failure):
		text = string(failure.AppendText(nil))
	case errors.As(err, &argument):
		text = argumentText(argument)
	case errors.Is(err, transcode.ErrTooLarge):
		text = tooLargeText(tool, err)
	case errors.Is(err, transcode.ErrReply):
		s.log.WarnContext(ctx, "a reply does not fit the descriptors; read them again (--reload) or renew them",
			"tool", tool.Definition.Name, "error", err)
		text = replyText(err)
	default:
		s.log.ErrorContext(ctx, "call failed in the bridge", "tool", tool.Definition.Name, "error", err)
		return nil
	}
	return &mcp.CallToolResult{IsError: true, Text: []byte(clip(text, maxErrorText))}
}

// argumentText tells the model which argument to correct and how.
func argumentText(e *transcode.ArgumentError) string {
	const tail = "\noutcome: not_executed (the backend was not called)\nretry: no, correct the arguments first"
	return clip("INVALID_ARGUMENT: "+e.Error(), maxErrorText-len(tail)) + tail
}

// tooLargeText tells the model how to ask for less. The code is that of a reply
// which is already too large for gRPC.
func tooLargeText(tool *catalog.Tool, err error) string {
	how := "ask for less"
	if len(tool.Narrowing) > 0 {
		how += ": set " + strings.Join(tool.Narrowing, " or ")
	}
	return "RESOURCE_EXHAUSTED: " + err.Error() +
		"\noutcome: executed (the backend carried out the call; only its result is withheld)" +
		"\nretry: not as it is; " + how
}

// replyText tells the model that the call was carried out all the same. The code
// is that of gRPC clients for a reply that they cannot parse.
func replyText(err error) string {
	return "INTERNAL: " + err.Error() +
		"\noutcome: executed (the backend carried out the call; only its result cannot be read)" +
		"\nretry: no, the same call is likely to fail again"
}

// clip cuts text to at most n bytes, at the edge of a character.
func clip(text string, n int) string {
	const mark = "…"
	if len(text) <= n {
		return text
	}
	cut := n - len(mark)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + mark
}
