package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// InputRequest is something that a server asks a client for: in the modern era a
// part of a result, in the legacy one a request of its own.
type InputRequest struct {
	// Key names it within one result.
	Key string
	// Method is MethodElicit, MethodSample or MethodListRoots.
	Method string
	// Params is an object as raw JSON; nil for none.
	Params []byte
}

// appendInputRequests appends requests as the object that a result has under
// inputRequests, in their order.
func appendInputRequests(dst []byte, requests []InputRequest) []byte {
	dst = append(dst, '{')
	for i := range requests {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonrpc.AppendString(dst, requests[i].Key), ':')
		o := newObject(dst)
		o.text("method", requests[i].Method)
		o.raw("params", requests[i].Params)
		dst = o.close()
	}
	return append(dst, '}')
}

// InputRequiredResult is what a modern client gets in place of the result of
// tools/call, prompts/get or resources/read that cannot be had yet: it asks the
// user or its model and sends the request again, with the answers (2026-07-28
// basic/patterns/mrtr). At least one of Requests and State is there.
type InputRequiredResult struct {
	// Requests are what to ask, with distinct keys.
	Requests []InputRequest
	// State comes back with the answers as it is; "" for none.
	State string
	// Meta is the _meta object; nil for none.
	Meta []byte
}

// AppendJSON appends the result as a JSON object.
func (r *InputRequiredResult) AppendJSON(dst []byte) []byte {
	o := newObject(dst)
	o.text("resultType", "input_required")
	if len(r.Requests) > 0 {
		o.name("inputRequests")
		o.dst = appendInputRequests(o.dst, r.Requests)
	}
	o.optional("requestState", r.State)
	o.raw("_meta", r.Meta)
	return o.close()
}

// Retry is what a request brings that is sent again with answers.
type Retry struct {
	// Responses is an object as raw JSON, with the answers by their keys; nil for
	// none. It aliases the params.
	Responses []byte
	// State is that of the result before; "" for none.
	State string
}

// ParseRetry reads inputResponses and requestState of a modern request. A value
// of the wrong kind is -32602; null is none.
func ParseRetry(params jsonrpc.Object) (Retry, *jsonrpc.Error) {
	var r Retry
	if raw, ok := params.Find("inputResponses"); ok && string(raw) != "null" {
		if !isObject(raw) {
			return r, invalidParams("inputResponses must be an object with an answer for each key of inputRequests")
		}
		r.Responses = raw
	}
	if raw, ok := params.Find("requestState"); ok && string(raw) != "null" {
		if r.State, ok = jsonrpc.Unquote(raw); !ok {
			return r, invalidParams("requestState must be the string that the result before had under that name")
		}
	}
	return r, nil
}
