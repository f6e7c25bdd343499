package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// ErrStopped says that the server ends a stream by itself. It is also the cause
// with which a transport that closes ends the context of a listen call, which
// then ends with its result and not, as for a client that left, with nothing.
var ErrStopped = errors.New("the server is closed")

// CutShort is what a transport answers a request with that has ended for
// [ErrStopped] before it was done, and so has no reply.
func CutShort() *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInternal,
		"the server stopped before the request was done: whether a call was carried out is not known, so look before you send it again")
}

// lookAgain is how often a listener asks its session what it subscribes to: a
// subscription made at another replica wakes nobody here.
const lookAgain = 15 * time.Second

// Changed says that the catalog is another one now: all listeners compare it
// with what their clients know. It returns at once.
func (s *Server) Changed() { s.hub.changed() }

// Close ends the listen streams with their results and all that is kept open
// for listeners: the streams by which resources are watched. It waits for the
// latter. Other calls are their transports' to end. It is safe to call twice.
func (s *Server) Close() {
	s.hub.close()
	s.tasks.Close()
}

// Listen sends a legacy client what belongs to none of its requests, from the
// end of the handshake on: that a list has changed (2025-11-25 server/tools,
// "List Changed Notification") and that a resource has to which it subscribes.
// What has changed since the client was last told, also while nobody listened
// for it, is said once. The resources to which it subscribes already are said to
// have changed, because nobody knows whether they have.
//
// It returns nil when ctx ends, ErrStopped when the server is closed, and an
// error when the client can be sent nothing any more or its session is gone.
func (s *Server) Listen(ctx context.Context, c *lifecycle.Conn, out Sink) error {
	select {
	case <-c.Ready():
	case <-ctx.Done():
		return nil
	case <-s.hub.stopped:
		return ErrStopped
	}
	l := s.hub.join(c.Key())
	defer s.hub.leave(l)
	f := feed{server: s, listener: l, conn: c, out: out, told: parseTold(c.Told())}
	err := f.subscriptions(ctx, true)
	if err == nil {
		err = f.run(ctx)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// feed sends one client its notifications, from one goroutine.
type feed struct {
	server   *Server
	listener *listener
	out      Sink
	told     told
	// meta is the _meta of all messages of a listen stream, principal on whose behalf
	// it is.
	meta      []byte
	principal string
	// conn is that of a legacy client; nil for a listen stream.
	conn *lifecycle.Conn
	// unsaved says that the session has yet to learn what the client was told.
	unsaved bool
}

// run sends what there is to say until ctx ends, the server is closed or nothing
// can be sent.
func (f *feed) run(ctx context.Context) error {
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for {
		err := f.say(ctx)
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-f.server.hub.stopped:
			return ErrStopped
		case <-f.listener.wake:
			if f.listener.takeResubscribed() {
				err = f.subscriptions(ctx, false)
			}
		case <-ticker.C:
			err = f.subscriptions(ctx, true)
		}
		if err != nil {
			return err
		}
	}
}

// say sends what the client does not know yet; nothing of a server that is closed.
func (f *feed) say(ctx context.Context) error {
	select {
	case <-f.server.hub.stopped:
		return ErrStopped
	default:
	}
	for _, method := range f.told.outdated(f.server.catalog().Digests()) {
		if err := f.out.Send(ctx, mcp.AppendListChanged(nil, method, f.meta)); err != nil {
			return err
		}
		f.unsaved = true
	}
	for _, uri := range f.listener.takeUpdated() {
		if err := f.out.Send(ctx, mcp.AppendResourceUpdated(nil, uri, f.meta)); err != nil {
			return err
		}
	}
	for _, id := range f.listener.takeTasks() {
		state, unknown := f.server.tasks.Get(f.principal, id)
		if unknown != nil {
			continue // its time is over since
		}
		if err := f.out.Send(ctx, state.AppendNotification(nil, f.meta)); err != nil {
			return err
		}
	}
	return f.save(ctx)
}

// save notes in the session what the client was told.
func (f *feed) save(ctx context.Context) error {
	if f.conn == nil || !f.unsaved {
		return nil
	}
	refusal := f.conn.SetTold(ctx, f.told.String())
	f.unsaved = refusal != nil
	return f.gone(ctx, refusal)
}

// subscriptions has the resources watched to which the client subscribes. With
// missed, those that were not watched so far are said to have changed. Those for
// which there is no room are tried again at the next look.
func (f *feed) subscriptions(ctx context.Context, missed bool) error {
	if f.conn == nil {
		return nil
	}
	uris, refusal := f.conn.Subscriptions(ctx)
	if refusal != nil {
		return f.gone(ctx, refusal)
	}
	added, left := f.server.hub.want(f.listener, uris)
	if left && f.server.hub.warns("no room") {
		f.server.log.WarnContext(ctx, "a client is not told of updates of all resources to which it subscribes: as many are watched as may be",
			"altogether", maxWatches, "of one backend", maxBackendWatches)
	}
	if missed && len(added) > 0 {
		f.server.hub.await(ctx, openPatience, added...) // what changes before they are open would be missed
		f.listener.mark(added...)
	}
	return nil
}

// gone returns the error of a session that is there no longer. Where a session
// cannot be reached just now, the listener goes on and tries again later.
func (f *feed) gone(ctx context.Context, refusal *lifecycle.Refusal) error {
	switch {
	case refusal == nil:
	case refusal.Status == http.StatusNotFound:
		return refusal.Error
	case ctx.Err() == nil: // else it is the listener that ends
		f.server.log.ErrorContext(ctx, "session store failed", "method", "listen", "error", refusal.Cause)
	}
	return nil
}
