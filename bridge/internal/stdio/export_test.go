package stdio

import (
	"context"
	"io"
)

// Call is what an admission returns, and Peer what admits, for doubles.
type (
	Call = call
	Peer = peer
)

// ServeCalls is Serve with a peer of the test's own.
func ServeCalls(ctx context.Context, cfg Config, p Peer, r io.Reader, w io.Writer) error {
	return serve(ctx, cfg.withDefaults(), p, r, w)
}
