package server

import (
	"strconv"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// logger is the name under which the bridge writes to its clients' logs.
const logger = "bridge"

// setLevel answers logging/setLevel (2025-11-25 server/utilities/logging), the
// legacy way to ask for log messages; until then a session is sent none.
func (s *Server) setLevel(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	level, err := mcp.ParseSetLevel(r.params.Raw())
	if err != nil {
		return nil, err
	}
	if refusal := r.conn.SetLogLevel(r.ctx, level); refusal != nil {
		return nil, r.refuse(refusal)
	}
	return mcp.AppendEmptyResult(dst, r.scope.Features, nil), nil
}

// succeeded writes to the client's log that a call came to its end, and how many
// values of its result were replaced. Never what was asked or answered: a log
// goes further than a result.
func (c *call) succeeded(warnings int) {
	c.log(mcp.LevelDebug, "called "+c.path(), "OK")
	if warnings > 0 {
		c.log(mcp.LevelWarning, "values in the reply of "+c.path()+" that have no JSON form were replaced: "+strconv.Itoa(warnings), "OK")
	}
}

// failed writes to the client's log that a call came to nothing.
func (c *call) failed(f *fault) {
	switch {
	case f.kind == faultQuestion:
		c.log(mcp.LevelDebug, "called "+c.path()+", which has to know more first", f.code)
	case f.kind == faultBridge:
		c.log(mcp.LevelError, "the bridge failed in calling "+c.path(), f.code)
	case f.executed():
		c.log(mcp.LevelWarning, "called "+c.path(), f.code)
	default:
		c.log(mcp.LevelWarning, "did not call "+c.path(), f.code)
	}
}

// log writes one message, before the response and on the stream of its request,
// to a client that asked for messages of the level.
func (c *call) log(level mcp.Level, message, code string) {
	r := c.request
	if !r.hears(level) {
		return
	}
	data := jsonrpc.AppendString([]byte(`{"message":`), message)
	data = jsonrpc.AppendString(append(data, `,"code":`...), code)
	data = strconv.AppendInt(append(data, `,"duration_ms":`...), time.Since(c.started).Milliseconds(), 10)
	r.say(&mcp.LogMessage{Level: level, Logger: logger, Data: append(data, '}')})
}
