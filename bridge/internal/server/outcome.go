package server

import (
	"context"
	"errors"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// maxErrorText bounds, in bytes, what a model reads of a failure; clients cut
// longer texts, and then at a worse place.
const maxErrorText = 4000

// outcome sorts the error of a call, here and nowhere else. What the model can
// mend or must know is a result with isError, with code, reason, outcome and
// advice in the same four lines whatever failed. Anything else is a fault of
// ours: it is logged, and the result is nil.
func (s *Server) outcome(ctx context.Context, tool *catalog.Tool, arguments []byte, err error) *mcp.CallToolResult {
	var argument *transcode.ArgumentError
	var failure *backend.Failure
	var text string
	switch {
	case errors.As(err, &failure) && failure.ReplyTooLarge:
		text = tooLargeText(tool, failure.Message)
	case errors.As(err, &failure):
		text = failureText(tool, arguments, failure)
	case errors.As(err, &argument):
		text = argumentText(argument)
	case errors.Is(err, transcode.ErrTooLarge):
		text = tooLargeText(tool, err.Error())
	case errors.Is(err, transcode.ErrReply):
		s.log.WarnContext(ctx, "a reply does not fit the descriptors; read them again (--reload) or renew them",
			"tool", tool.Definition.Name, "error", err)
		text = replyText(err)
	default:
		s.log.ErrorContext(ctx, "call failed in the bridge", "tool", tool.Definition.Name, "error", err)
		return nil
	}
	return &mcp.CallToolResult{IsError: true, Text: []byte(jsonrpc.Clip(text, maxErrorText))}
}

// failureText tells the model what the backend answered. Where it found fault
// with the arguments, those that the input schema requires and that the call
// lacked are named: backends often answer without a name.
func failureText(tool *catalog.Tool, arguments []byte, failure *backend.Failure) string {
	text := string(failure.AppendText(nil))
	if failure.Code != codes.InvalidArgument {
		return text
	}
	missing := missingText(absent(tool.Required, arguments))
	end := strings.LastIndex(text, "\noutcome: ")
	if missing == "" || end < 0 || len(text)+len(missing) > maxErrorText {
		return text
	}
	return text[:end] + missing + text[end:]
}

// missingText writes a line, with the break before it.
func missingText(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "\nmissing: " + names[0] + " is required and was not given"
	}
	return "\nmissing: " + strings.Join(names, ", ") + " are required and were not given"
}

// absent returns the names without a value in a JSON object; null is none. Both
// spellings of a field count as its name.
func absent(names []string, object []byte) []string {
	given := map[string]bool{}
	if len(object) > 0 {
		_ = jsonrpc.Members(object, func(name string, value []byte) error { // the codec has read the object already
			given[folded(name)] = string(value) != "null"
			return nil
		})
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return given[folded(name)] })
}

// folded is the same for a field's name in JSON and in the .proto file.
func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// argumentText tells the model which argument to correct and how.
func argumentText(e *transcode.ArgumentError) string {
	const tail = "\noutcome: not_executed (the backend was not called)\nretry: no, correct the arguments first"
	return jsonrpc.Clip("INVALID_ARGUMENT: "+e.Error(), maxErrorText-len(tail)) + tail
}

// tooLargeText tells the model how to ask for less, one way for the limits of
// both: the reply's message in gRPC, whose code it is, and the result's JSON.
func tooLargeText(tool *catalog.Tool, what string) string {
	how := "ask for less"
	if len(tool.Narrowing) > 0 {
		how += ": set " + strings.Join(tool.Narrowing, " or ")
	}
	return "RESOURCE_EXHAUSTED: " + what +
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
