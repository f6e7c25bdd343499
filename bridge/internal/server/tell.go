package server

import (
	"bytes"
	"cmp"
	"encoding/json"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// tells returns what tells how far the call has come; nil where nobody wants to
// know, which then costs nothing.
func (c *call) tells() *progress {
	r := c.request
	switch {
	case r.progress != nil:
		return newProgress(c, true, func(p *mcp.Progress, said bool) {
			if said { // else it is a heartbeat, for which nobody waits
				r.operation.Progress(p.Progress, p.Total)
				r.progress(p)
			}
		})
	case r.out == nil || r.scope.Meta.ProgressToken == nil:
		return nil
	}
	return newProgress(c, false, r.sendProgress)
}

// sendProgress tells the client of the request.
func (r *request) sendProgress(p *mcp.Progress, said bool) {
	if r.ctx.Err() != nil {
		return
	}
	if said {
		r.operation.Progress(p.Progress, p.Total)
	}
	p.Token = r.scope.Meta.ProgressToken
	_ = r.out.Send(r.ctx, p.AppendNotification(nil, r.scope.Features)) // whether its client is still there, the reply will find out
}

// hears takes what a backend says beside its data.
func (c *call) hears(e interaction.Event) {
	if e.Progress != nil {
		c.progress.says(e.Progress)
	}
	if e.Log != nil {
		c.passOn(e.Log)
	}
}

// passOn writes a line of the backend's log to the client's, if it asked for the
// level.
func (c *call) passOn(l *bridgev1.Log) {
	level := levelOf(l.GetLevel())
	if !c.request.hears(level) {
		return
	}
	c.request.say(&mcp.LogMessage{
		Level:  level,
		Logger: cmp.Or(jsonrpc.Clip(l.GetLogger(), maxSaid), string(c.target.method.FullName())),
		Data:   dataOf(l),
	})
}

// levelOf is a level of bridge.v1 in the protocol: they have the same numbers.
func levelOf(l bridgev1.LogLevel) mcp.Level {
	if l < bridgev1.LogLevel_LOG_LEVEL_DEBUG || l > bridgev1.LogLevel_LOG_LEVEL_EMERGENCY {
		return mcp.LevelInfo
	}
	return mcp.Level(l)
}

// maxLogged bounds, in bytes of JSON, the data of a line: it is beside the result,
// and can be said often.
const maxLogged = 64 << 10

// dataOf is what a line says, as compact JSON. A value without JSON, which NaN
// is, leaves the text, and so does one that is too large, cut, where there is none.
func dataOf(l *bridgev1.Log) []byte {
	if l.GetData().GetKind() != nil {
		if text, err := protojson.Marshal(l.GetData()); err == nil {
			var data bytes.Buffer // without the blanks that protojson puts in at random
			switch err := json.Compact(&data, text); {
			case err == nil && data.Len() <= maxLogged:
				return data.Bytes()
			case err == nil && l.GetMessage() == "":
				return jsonrpc.AppendString(nil, jsonrpc.Clip(data.String(), maxSaid))
			}
		}
	}
	return jsonrpc.AppendString(nil, jsonrpc.Clip(l.GetMessage(), maxLogged))
}

// hears reports whether the client asked for log messages of a level, and can be
// sent them.
func (r *request) hears(level mcp.Level) bool {
	return r.out != nil && r.scope.LogLevel.Admits(level) && r.ctx.Err() == nil
}

// say writes one message to the client's log, before the response and on the
// stream of its request.
func (r *request) say(m *mcp.LogMessage) {
	_ = r.out.Send(r.ctx, m.AppendNotification(nil)) // whether its client is still there, the reply will find out
}
