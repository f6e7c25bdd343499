package stdio

import (
	"context"
	"io"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// Call is what an admission returns, for doubles.
type Call = call

// ServeCalls is Serve with an admission of the test's own.
func ServeCalls(ctx context.Context, cfg Config, admit func(context.Context, jsonrpc.Message) Call, r io.Reader, w io.Writer) error {
	return serve(ctx, cfg.withDefaults(), admit, r, w)
}
