package interaction

import (
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// The capabilities of clients that a backend can make use of, as paths for
// mcp.HasCapability.
const (
	NeedsForm          = "elicitation.form"
	NeedsURL           = "elicitation.url"
	NeedsSampling      = "sampling"
	NeedsSamplingTools = "sampling.tools"
	NeedsRoots         = "roots"
)

// paths are these capabilities in the order of the bits of a set.
var paths = [...]string{NeedsForm, NeedsURL, NeedsSampling, NeedsSamplingTools, NeedsRoots}

// encoded holds each set of capabilities as it is sent.
var encoded = sync.OnceValue(func() [1 << len(paths)][]byte {
	var all [1 << len(paths)][]byte
	for set := range all {
		if set == 0 {
			continue
		}
		has := func(i int) bool { return set&(1<<i) != 0 }
		c := &bridgev1.ClientCapabilities{Form: has(0), Url: has(1), Sampling: has(2), SamplingTools: has(3), Roots: has(4)}
		all[set], _ = proto.MarshalOptions{Deterministic: true}.Marshal(c) // which has no strings that could be malformed
	}
	return all
})

// Capabilities returns what a client can be asked for, of its capabilities as raw
// JSON, as a bridge.v1.ClientCapabilities in wire format; nil for nothing. The
// bytes are shared: do not change them.
func Capabilities(raw []byte, f mcp.Features) []byte {
	if len(raw) <= len("{}") {
		return nil
	}
	set := 0
	for i, path := range paths {
		if Can(raw, f, path) {
			set |= 1 << i
		}
	}
	return encoded()[set]
}

// Can reports whether a client of a revision, with these capabilities as raw
// JSON, can be asked for what needs the one at path. What its revision does not
// have it cannot, whatever it says.
func Can(raw []byte, f mcp.Features, path string) bool {
	switch path {
	case NeedsForm:
		if !f.Elicitation {
			return false
		}
	case NeedsURL:
		if !f.URLElicitation {
			return false
		}
	case NeedsSamplingTools:
		if !f.SamplingTools {
			return false
		}
	}
	return mcp.HasCapability(raw, path)
}
