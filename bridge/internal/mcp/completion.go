package mcp

import (
	"strconv"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// CompleteParams are the params of completion/complete.
type CompleteParams struct {
	// Prompt is the name of the prompt, or Template the URI template of the
	// resource template, whose argument is completed; the other one is "".
	Prompt, Template string
	// Argument is the argument's name and Value what there is of it so far.
	Argument, Value string
	// Context has the values of other arguments; nil when absent.
	Context map[string]string
}

// ParseComplete reads the params of completion/complete. What is missing or of
// the wrong kind, and an unknown type of reference, is -32602.
func ParseComplete(params []byte) (CompleteParams, *jsonrpc.Error) {
	var p CompleteParams
	ref, _ := jsonrpc.Find(params, "ref")
	raw, _ := jsonrpc.Find(ref, "type")
	kind, _ := jsonrpc.Unquote(raw)
	var err *jsonrpc.Error
	switch kind {
	case "ref/prompt":
		p.Prompt, err = member(ref, "ref.", "name")
	case "ref/resource":
		p.Template, err = member(ref, "ref.", "uri")
	default:
		err = invalidParams("ref.type must be ref/prompt or ref/resource")
	}
	if err != nil {
		return p, err
	}
	argument, _ := jsonrpc.Find(params, "argument")
	if p.Argument, err = member(argument, "argument.", "name"); err != nil {
		return p, err
	}
	raw, _ = jsonrpc.Find(argument, "value")
	value, ok := jsonrpc.Unquote(raw)
	if !ok {
		return p, invalidParams("argument.value must be a string")
	}
	p.Value = value
	raw, ok = jsonrpc.Find(params, "context")
	if ok && !isObject(raw) {
		return p, invalidParams("context must be an object")
	}
	raw, _ = jsonrpc.Find(raw, "arguments")
	p.Context, err = parseStrings("context.arguments", raw)
	return p, err
}

// member reads a string member that must not be empty.
func member(raw []byte, prefix, name string) (string, *jsonrpc.Error) {
	value, _ := jsonrpc.Find(raw, name)
	text, _ := jsonrpc.Unquote(value)
	if text == "" {
		return "", invalidParams("%s%s must be a string and not empty", prefix, name)
	}
	return text, nil
}

// MaxCompletions is how many values a [CompleteResult] may have.
const MaxCompletions = 100

// CompleteResult is the result of completion/complete.
type CompleteResult struct {
	// Values are the completions; those beyond MaxCompletions are not sent.
	Values []string
	// Meta is the _meta object; nil for none.
	Meta []byte
}

// AppendJSON appends the result as a JSON object.
func (r *CompleteResult) AppendJSON(dst []byte, f Features) []byte {
	sent := r.Values[:min(len(r.Values), MaxCompletions)]
	o := newObject(dst)
	o.name("completion")
	c := newObject(o.dst)
	c.name("values")
	c.dst = appendStrings(c.dst, sent)
	c.name("total")
	c.dst = strconv.AppendInt(c.dst, int64(len(r.Values)), 10)
	more := len(sent) < len(r.Values)
	c.flag("hasMore", &more)
	o.dst = c.close()
	return closeResult(o, f, r.Meta)
}
