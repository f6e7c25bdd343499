package server

import "context"

// Sink takes what is sent to a client beside replies: finished JSON-RPC
// messages, in order. A transport implements it. Safe for concurrent use.
type Sink interface {
	// Send hands over one message, which becomes the sink's. It returns an error
	// when the client can be sent nothing any more; a message that is kept for a
	// client which may come back is no error.
	Send(ctx context.Context, message []byte) error
}
