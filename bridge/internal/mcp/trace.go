package mcp

import (
	"strconv"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// Keys of _meta that carry the trace of a request (2026-07-28 basic/index,
// "_meta": the unprefixed keys).
const (
	metaTraceParent = "traceparent"
	metaTraceState  = "tracestate"
	metaBaggage     = "baggage"
)

// MetaTraceID is the key of a result's _meta that names the trace of its request, so that a failure can be found again. It
// is our own, with our prefix.
const MetaTraceID = "io.github.mcpgrpc/traceId"

// Trace is the place of a request in a distributed trace, as W3C Trace Context
// writes it. The zero value is none.
type Trace struct {
	// Parent is a traceparent, "00-<trace id>-<parent id>-<flags>"; "" for none.
	Parent string
	// State is a tracestate; "" for none, and without a Parent.
	State string
}

// TraceIDMeta returns the _meta object that names a trace by its id; nil for "".
func TraceIDMeta(id string) []byte {
	if id == "" {
		return nil
	}
	o := newObject(nil)
	o.text(MetaTraceID, id)
	return o.close()
}

// Limits of baggage (W3C Baggage, 4.3: what has to be passed on at least).
const (
	maxBaggage        = 8192
	maxBaggageMembers = 64
)

// ParseBaggage returns the baggage of a request, a list of key=value, from its params; "" for none and for one that is not
// printable ASCII within 8192 bytes and 64 members. Whether the members are well formed, it does not look.
func ParseBaggage(params jsonrpc.Object) string {
	meta, _ := params.Find("_meta")
	value, _ := jsonrpc.Find(meta, metaBaggage)
	text, _ := jsonrpc.Unquote(value)
	if len(text) > maxBaggage || !isVisible(text) || strings.Count(text, ",") >= maxBaggageMembers {
		return ""
	}
	return text
}

// set reads one of the two values. What is not valid is as if absent: the
// specification of the trace has it so, and no request fails for its trace.
func (t *Trace) set(name string, value []byte) {
	text, _ := jsonrpc.Unquote(value)
	switch {
	case name == metaTraceParent && isTraceParent(text):
		t.Parent = knownFlags(text)
	case name == metaTraceState && isTraceState(text):
		t.State = text
	}
}

// settle drops a state without a parent, which says nothing.
func (t *Trace) settle() {
	if t.Parent == "" {
		t.State = ""
	}
}

// isTraceParent reports whether text is a traceparent (W3C Trace Context, 3.2):
// of version 00 exactly, or of a later one with the same beginning.
func isTraceParent(text string) bool {
	const length = len("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	if len(text) < length || len(text) > maxTraceState {
		return false
	}
	version, trace, parent, flags := text[:2], text[3:35], text[36:52], text[53:55]
	switch {
	case text[2] != '-' || text[35] != '-' || text[52] != '-':
		return false
	case version == "ff" || version == "00" && len(text) != length || len(text) > length && text[length] != '-':
		return false
	case strings.Trim(trace, "0") == "" || strings.Trim(parent, "0") == "":
		return false
	}
	return strings.Trim(version+trace+parent+flags, "0123456789abcdef") == "" && isVisible(text)
}

// knownFlags returns a traceparent without the flags that nobody knows yet, which
// are neither to be read nor to be passed on (W3C Trace Context, 3.2.2.5.3).
func knownFlags(parent string) string {
	const begin = len("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-")
	const end = begin + len("01")
	flags, err := strconv.ParseUint(parent[begin:end], 16, 8)
	if known := flags & 0b11; err == nil && known != flags {
		return parent[:begin] + "0" + strconv.FormatUint(known, 16) + parent[end:]
	}
	return parent
}

// Limits of a tracestate (W3C Trace Context, 3.3.1).
const (
	maxTraceState   = 512
	maxTraceMembers = 32
)

// isTraceState reports whether text can be passed on as a tracestate: a list of
// key=value within the limits.
func isTraceState(text string) bool {
	if text == "" || len(text) > maxTraceState || !isVisible(text) || strings.Count(text, ",") >= maxTraceMembers {
		return false
	}
	for member := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(strings.Trim(member, " \t"), "=")
		if member = strings.Trim(member, " \t"); member != "" && (!ok || key == "" || value == "" || strings.Contains(value, "=")) {
			return false
		}
	}
	return true
}

// isVisible reports whether text is printable ASCII.
func isVisible(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
