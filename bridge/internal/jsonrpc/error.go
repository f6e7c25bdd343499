package jsonrpc

import "fmt"

// Codes that JSON-RPC 2.0 §5.1 reserves. This package itself makes CodeParse
// and CodeInvalidRequest only.
const (
	// CodeParse says that the text is not JSON, or JSON that a strict reader refuses.
	CodeParse = -32700
	// CodeInvalidRequest says that the JSON is not a JSON-RPC message, or is over a limit.
	CodeInvalidRequest = -32600
	// CodeMethodNotFound says that the method does not exist or is not offered.
	CodeMethodNotFound = -32601
	// CodeInvalidParams says that the method exists and its params are wrong.
	CodeInvalidParams = -32602
	// CodeInternal says that the fault is the answering side's own.
	CodeInternal = -32603
)

// Error is the error member of a response (JSON-RPC 2.0 §5.1), and what
// [Decode] and [Check] return. Those return *Error and not error: compare with
// nil before widening to error, or a nil *Error becomes a non-nil error.
type Error struct {
	// Code is the number that the peer acts upon.
	Code int
	// Message is one sentence; it is sent to the peer as it stands.
	Message string
	// Data is further detail as raw JSON, nil for none.
	Data []byte
}

// Error returns the message and, in parentheses, the code.
func (e *Error) Error() string {
	return fmt.Sprintf("%s (code %d)", e.Message, e.Code)
}

// Errorf returns an Error with a message formatted as by [fmt.Sprintf] and no
// data. It does not wrap: what is sent to a peer keeps no link to inner errors.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Internal returns the error that a peer is told of a fault of ours, a panic for
// one: nothing of it, but where more is to be found.
func Internal() *Error { return Errorf(CodeInternal, "internal error: the bridge's log says more") }

// invalid returns the error for JSON that is not a message of the protocol.
func invalid(format string, args ...any) *Error {
	return Errorf(CodeInvalidRequest, "invalid request: "+format, args...)
}
