package jsonrpc

import "strconv"

// Version is the value of every message's jsonrpc member.
const Version = "2.0"

// opening is how every message that this package writes begins.
const opening = `{"jsonrpc":"` + Version + `"`

// AppendRequest appends a request to dst. params is raw JSON, an object; nil
// leaves the member out.
func AppendRequest(dst []byte, id ID, method string, params []byte) []byte {
	dst = append(dst, opening+`,"id":`...)
	dst = id.AppendJSON(dst)
	return appendCall(dst, method, params)
}

// AppendNotification appends a notification to dst. params is raw JSON, an
// object; nil leaves the member out.
func AppendNotification(dst []byte, method string, params []byte) []byte {
	return appendCall(append(dst, opening...), method, params)
}

// AppendResult appends a response with a result to dst. result is raw JSON; nil
// stands for the empty result, {}.
func AppendResult(dst []byte, id ID, result []byte) []byte {
	if result == nil {
		result = []byte("{}")
	}
	dst = append(dst, opening+`,"id":`...)
	dst = id.AppendJSON(dst)
	dst = append(dst, `,"result":`...)
	return append(append(dst, result...), '}')
}

// AppendError appends a response with an error to dst. For the zero ID the
// message has no id member: MCP forbids null ids in every revision, and its
// schemas make the member optional here since 2025-11-25.
func AppendError(dst []byte, id ID, e *Error) []byte {
	dst = append(dst, opening...)
	if !id.IsZero() {
		dst = id.AppendJSON(append(dst, `,"id":`...))
	}
	return append(e.AppendJSON(append(dst, `,"error":`...)), '}')
}

// AppendJSON appends the error as a JSON object.
func (e *Error) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = AppendString(append(dst, `,"message":`...), e.Message)
	if e.Data != nil {
		dst = append(append(dst, `,"data":`...), e.Data...)
	}
	return append(dst, '}')
}

// appendCall appends method and params and ends the message.
func appendCall(dst []byte, method string, params []byte) []byte {
	dst = AppendString(append(dst, `,"method":`...), method)
	if params != nil {
		dst = append(append(dst, `,"params":`...), params...)
	}
	return append(dst, '}')
}
