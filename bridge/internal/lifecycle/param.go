package lifecycle

import (
	"math"
	"strconv"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// checkParams holds the headers Mcp-Param-* of a tools/call against its
// arguments (2026-07-28 basic/transports/streamable-http, "Server Behavior for
// Custom Headers"). Headers that no argument of the tool claims are ignored.
func (g *Gate) checkParams(h Headers, msg *jsonrpc.Message) *Refusal {
	if msg.Method != mcp.MethodToolsCall {
		return nil
	}
	raw, _ := msg.Object().Find("name")
	tool, _ := jsonrpc.Unquote(raw)
	params := g.headerParams(tool)
	if len(params) == 0 {
		return nil
	}
	arguments, _ := msg.Object().Find("arguments")
	for i := range params {
		if refusal := checkParam(h, &params[i], argument(arguments, &params[i])); refusal != nil {
			return refusal
		}
	}
	return nil
}

// argument returns the raw value of the argument that p names; nil where there
// is none. Objects may be written as strings, as they may in any arguments.
func argument(value []byte, p *mcp.HeaderParam) []byte {
	for i, name := range p.Path {
		if text, ok := jsonrpc.Unquote(value); ok {
			value = []byte(text)
		}
		next, ok := jsonrpc.Find(value, name)
		if !ok && i < len(p.Aliases) {
			for _, alias := range p.Aliases[i] {
				if next, ok = jsonrpc.Find(value, alias); ok {
					break
				}
			}
		}
		if !ok {
			return nil
		}
		value = next
	}
	return value
}

// checkParam holds one header against the value of its argument, nil and null
// being none. A header without a value in the body contradicts it: whoever
// routes by headers would act on something that the backend never sees.
func checkParam(h Headers, p *mcp.HeaderParam, value []byte) *Refusal {
	raw, has := h.Params[strings.ToLower(p.Name)]
	absent := len(value) == 0 || string(value) == "null"
	if !has {
		return checkUnrepeated(p, value, absent)
	}
	header, plain := decodeHeader(raw)
	switch {
	case !plain:
		return undecodable("Mcp-Param-" + p.Name)
	case absent:
		return mismatch("the Mcp-Param-%s header repeats params.arguments.%s, which the body does not have", p.Name, strings.Join(p.Path, "."))
	case p.Integer && !isNumber(header):
		return noNumber("Mcp-Param-"+p.Name, header)
	}
	body, quoted := jsonrpc.Unquote(value)
	if !quoted {
		body = string(value)
	}
	if header == body || p.Integer && sameInteger(header, body) {
		return nil
	}
	return contradiction("Mcp-Param-"+p.Name, header, body)
}

// noNumber is the refusal of a header whose argument is an integer.
func noNumber(header, value string) *Refusal {
	const wrong, mend = "is no number as JSON writes it", "send it as the body does, such as 42"
	r := mismatch("the %s header value %q %s: %s", header, jsonrpc.Echo(value), wrong, mend)
	r.Reason = "header mismatch: the " + header + " header value " + wrong
	return r
}

// checkUnrepeated refuses a value without its header. None is wanted for no value, and none can repeat an object or an
// array, of which the tool will say what is wrong.
func checkUnrepeated(p *mcp.HeaderParam, value []byte, absent bool) *Refusal {
	if absent || value[0] == '{' || value[0] == '[' {
		return nil
	}
	return mismatch("the Mcp-Param-%s header is missing: it must repeat params.arguments.%s", p.Name, strings.Join(p.Path, "."))
}

// sameInteger reports whether two spellings are of one integer, as 42, 42.0 and
// 4.2e1 are.
func sameInteger(a, b string) bool {
	left, ok := integer(a)
	right, sure := integer(b)
	return ok && sure && left == right
}

// isNumber reports whether a text is a number as JSON writes it (RFC 8259
// section 6), of at most 64 characters. Other spellings (042, +42, 1., 0x2a) mean
// one thing to one reader and another, or nothing, to the next.
func isNumber(text string) bool {
	return strings.Trim(text, "0123456789+-.eE") == "" && jsonrpc.Check([]byte(text), jsonrpc.DefaultLimits) == nil
}

// integer reads an integer in any of JSON's spellings. One with an exponent, or
// a fraction that is not zero, must be within ±(2^53-1), where doubles are exact.
func integer(text string) (int64, bool) {
	if !isNumber(text) {
		return 0, false
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if strings.Trim(fraction, "0") == "" && !strings.ContainsAny(text, "eE") {
		n, err := strconv.ParseInt(whole, 10, 64)
		return n, err == nil
	}
	const exact = 1<<53 - 1
	f, err := strconv.ParseFloat(text, 64)
	return int64(f), err == nil && f == math.Trunc(f) && math.Abs(f) <= exact
}
