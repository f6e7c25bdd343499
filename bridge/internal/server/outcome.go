package server

import (
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// maxErrorText bounds, in bytes, what a model reads of a failure; clients cut
// longer texts, and then at a worse place.
const maxErrorText = 4000

// outcome makes a fault the result of a tool. What the model can mend or must
// know is a result with isError, with code, reason, outcome and advice in the
// same four lines whatever failed. A fault of ours has no result: it is nil.
func outcome(tool *catalog.Tool, arguments []byte, f *fault) *mcp.CallToolResult {
	var text string
	switch f.kind {
	case faultBackend:
		text = failureText(tool, arguments, f.failure)
	case faultArgument:
		text = argumentText(f.text)
	case faultTooLarge:
		text = tooLargeText(tool, f)
	case faultReply:
		text = replyText(f)
	default:
		return nil
	}
	result := failedTool(text)
	result.Meta = f.meta()
	return result
}

// failedTool returns the result of a tool that failed.
func failedTool(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Text: []byte(jsonrpc.Clip(text, maxErrorText))}
}

// failedBy makes a fault the error of the request. Its text may be the backend's
// and is for the client: those who run the bridge are told the code.
func (r *request) failedBy(f *fault) *jsonrpc.Error {
	r.fault = f.code
	return f.refusal()
}

// refusal makes a fault the error of a method whose results cannot say that they
// are failures: resources/read and prompts/get. What the client's arguments are
// the reason of is -32602; all else is -32603. The fault is in it as data.
func (f *fault) refusal() *jsonrpc.Error {
	switch f.kind {
	case faultBridge:
		return internal()
	case faultRefused:
		return f.refused
	}
	e := jsonrpc.Errorf(jsonrpc.CodeInternal, "%s", f.message())
	if f.ofArguments() {
		e.Code = jsonrpc.CodeInvalidParams
	}
	e.Data = f.data()
	return e
}

// message is what a client's program is told of a fault.
func (f *fault) message() string {
	if f.kind == faultBackend {
		return jsonrpc.Clip(string(f.failure.AppendText(nil)), maxErrorText)
	}
	return jsonrpc.Clip(f.code+": "+f.text, maxErrorText)
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

// notExecuted ends the text of a call that was not made.
const notExecuted = "\noutcome: not_executed (the backend was not called)\nretry: no, "

// argumentText tells the model which argument to correct and how.
func argumentText(what string) string {
	const tail = notExecuted + "correct the arguments first"
	return jsonrpc.Clip("INVALID_ARGUMENT: "+what, maxErrorText-len(tail)) + tail
}

// lackingText tells the model that its client cannot do what the tool needs.
func lackingText(path string) string {
	return "FAILED_PRECONDITION: the tool " + lackText(path) + notExecuted + "use another client or tool"
}

// tooLargeText tells the model how to ask for less, one way for the limits of
// both: the reply's message in gRPC, whose code it is, and the result's JSON.
func tooLargeText(tool *catalog.Tool, f *fault) string {
	how, came := "ask for less", "executed (the backend carried out the call; only its result is withheld)"
	if len(tool.Narrowing) > 0 {
		how += ": set " + strings.Join(tool.Narrowing, " or ")
	}
	if f.streams {
		came = "unknown (the stream was ended at the message that is too large)"
	}
	return "RESOURCE_EXHAUSTED: " + f.text + "\noutcome: " + came + "\nretry: not as it is; " + how
}

// replyText tells the model that the call was carried out all the same. The code
// is that of gRPC clients for a reply that they cannot parse.
func replyText(f *fault) string {
	came := "executed (the backend carried out the call; only its result cannot be read)"
	if f.streams {
		came = "unknown (the stream was ended at the message that cannot be read)"
	}
	return "INTERNAL: " + f.text + "\noutcome: " + came + "\nretry: no, the same call is likely to fail again"
}
