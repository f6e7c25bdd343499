package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// Level is how severe a log message is, in the order of RFC 5424 §6.2.1. The
// zero value, LevelNone, is no level.
type Level uint8

// The levels, the least severe first.
const (
	// LevelNone says that no level was given, or that no messages are wanted.
	LevelNone Level = iota
	// LevelDebug and those after it are the protocol's.
	LevelDebug
	LevelInfo
	LevelNotice
	LevelWarning
	LevelError
	LevelCritical
	LevelAlert
	LevelEmergency
)

// levels are the names of the levels.
var levels = [...]string{"", "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// String returns the level's name in the protocol, such as "warning"; "" for
// LevelNone.
func (l Level) String() string { return levels[l] }

// Admits reports whether a peer that asked for l is sent messages of level m.
func (l Level) Admits(m Level) bool { return l != LevelNone && m >= l }

// ParseLevel returns the level of a name, and false for any other text.
func ParseLevel(name string) (Level, bool) {
	for l := LevelDebug; l <= LevelEmergency; l++ {
		if name == levels[l] {
			return l, true
		}
	}
	return LevelNone, false
}

// parseLevel reads a member that holds a level.
func parseLevel(member string, raw []byte) (Level, *jsonrpc.Error) {
	name, _ := jsonrpc.Unquote(raw)
	if level, ok := ParseLevel(name); ok {
		return level, nil
	}
	return LevelNone, invalidParams("%s must be one of debug, info, notice, warning, error, critical, alert and emergency", member)
}

// ParseSetLevel reads the params of logging/setLevel.
func ParseSetLevel(params []byte) (Level, *jsonrpc.Error) {
	raw, _ := jsonrpc.Find(params, "level")
	return parseLevel("level", raw)
}

// LogMessage is a log message for a client.
type LogMessage struct {
	// Level is how severe it is; not LevelNone.
	Level Level
	// Logger says which part of the server writes; "" for none.
	Logger string
	// Data is what is said, as compact JSON.
	Data []byte
}

// AppendNotification appends the message as notifications/message.
func (m *LogMessage) AppendNotification(dst []byte) []byte {
	o := newObject(nil)
	o.text("level", m.Level.String())
	o.optional("logger", m.Logger)
	o.raw("data", m.Data)
	return jsonrpc.AppendNotification(dst, MethodMessage, o.close())
}
