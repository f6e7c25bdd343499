package interaction

import (
	"fmt"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// CheckAnswer holds an answer against a request as they stand in inputRequests and
// inputResponses (2026-07-28 basic/patterns/mrtr), both as raw JSON: for who
// answers. The error says what is wrong with which of the two, and the mend.
func CheckAnswer(request, answer []byte) error {
	r, err := readWire(request)
	if err != nil {
		return fmt.Errorf("the request: %w", err)
	}
	if err := jsonrpc.Check(answer, jsonrpc.DefaultLimits); err != nil {
		return fmt.Errorf("the answer is no JSON: %w", err)
	}
	_, err = r.Answer(answer)
	return err
}

// readWire reads a request as [Request.Wire] makes it, as far as answers depend on
// it.
func readWire(request []byte) (*Request, error) {
	if err := jsonrpc.Check(request, jsonrpc.DefaultLimits); err != nil || !isObject(request) {
		return nil, fmt.Errorf("no JSON object: give {\"method\": …, \"params\": …}")
	}
	r := &Request{Method: member(request, "method")}
	switch r.Method {
	case mcp.MethodSample, mcp.MethodListRoots:
		return r, nil
	case mcp.MethodElicit:
	default:
		return nil, fmt.Errorf("the method %q is none by which a server asks: %s, %s and %s are",
			jsonrpc.Echo(r.Method), mcp.MethodElicit, mcp.MethodSample, mcp.MethodListRoots)
	}
	params, _ := jsonrpc.Find(request, "params")
	switch mode := member(params, "mode"); mode {
	case "url":
		return r, nil
	case "", "form":
	default:
		return nil, fmt.Errorf("the mode %q is unknown: form and url are", jsonrpc.Echo(mode))
	}
	schema, _ := jsonrpc.Find(params, "requestedSchema")
	var err error
	if r.form, err = readForm(schema); err != nil {
		return nil, fmt.Errorf("requestedSchema: %w", err)
	}
	return r, nil
}
