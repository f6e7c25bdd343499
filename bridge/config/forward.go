package config

import (
	"fmt"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// forwarded refuses headers of clients that must not be passed on, and what would be sent twice under one name.
func (f *faults) forwarded(path string, b *configv1.Backend) {
	fold := strings.NewReplacer("_", "-").Replace // many servers hold both for the same
	static := map[string]bool{}
	for _, h := range b.GetHeaders() {
		static[fold(h.GetName())] = true
	}
	taken := map[string]int{}
	for i, h := range b.GetForwardHeaders() {
		at := fmt.Sprintf("%s[%d]", path, i)
		key := metadataKey(h)
		if err := backend.CheckForward(h.GetHeader(), key); err != nil {
			f.add(at, err.Error())
		}
		if static[fold(key)] {
			f.add(at, fmt.Sprintf("the headers of this backend have %s already: keep one of them, or choose another metadata", key))
		}
		if first, ok := taken[fold(key)]; ok {
			f.add(at, fmt.Sprintf("forward_headers[%d] is sent as %s already: choose another metadata", first, key))
			continue
		}
		taken[fold(key)] = i
	}
}

// metadataKey is the key that a forwarded header is sent under.
func metadataKey(h *configv1.ForwardedHeader) string {
	if h.GetMetadata() != "" {
		return h.GetMetadata()
	}
	return strings.ToLower(h.GetHeader())
}
