package lifecycle

import (
	"context"
	"net/http"
	"slices"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// maxSubscribed bounds, in bytes, the URIs together to which one session is
// subscribed: it is the client that chooses how long they are.
const maxSubscribed = 32 << 10

// Touch sees whether the conversation still is there, and counts as use of the
// session, so that one with an open stream stays. It is nil on a stdio stream; a
// session that has ended is 404. It also sees whether the handshake is over.
func (c *Conn) Touch(ctx context.Context) *Refusal {
	if !c.http {
		return nil
	}
	record, err := c.gate.sessions.Get(ctx, c.SessionID())
	if err == nil && record.Initialized {
		c.becomeReady()
	}
	return c.gate.refuseSession(err)
}

// SetLogLevel notes from which level on the client wants log messages.
func (c *Conn) SetLogLevel(ctx context.Context, level mcp.Level) *Refusal {
	return c.remember(ctx, func(r *session.Record) { r.LogLevel = level.String() })
}

// Subscribe notes that the client wants to be told of changes of the resource;
// again, it does nothing. Over Config.MaxSubscriptions, or 32 KiB of URIs, it is
// -32600.
func (c *Conn) Subscribe(ctx context.Context, uri string) *Refusal {
	var fault *jsonrpc.Error
	refusal := c.remember(ctx, func(r *session.Record) {
		fault = nil
		if slices.Contains(r.Subscriptions, uri) {
			return
		}
		if fault = c.gate.roomFor(r.Subscriptions, uri); fault == nil {
			r.Subscriptions = append(slices.Clip(r.Subscriptions), uri)
		}
	})
	if refusal == nil && fault != nil {
		return &Refusal{Status: http.StatusOK, Error: fault}
	}
	return refusal
}

// roomFor refuses a subscription more than there may be.
func (g *Gate) roomFor(subscribed []string, uri string) *jsonrpc.Error {
	if len(subscribed) >= g.maxSubscriptions {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"%d resources are subscribed to, which is the most: unsubscribe from some", g.maxSubscriptions)
	}
	size := len(uri)
	for _, other := range subscribed {
		size += len(other)
	}
	if size > maxSubscribed {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"the URIs subscribed to would be %d bytes together, and %d is the most: unsubscribe from some", size, maxSubscribed)
	}
	return nil
}

// Unsubscribe ends what Subscribe began; without a subscription it does nothing.
func (c *Conn) Unsubscribe(ctx context.Context, uri string) *Refusal {
	return c.remember(ctx, func(r *session.Record) {
		if at := slices.Index(r.Subscriptions, uri); at >= 0 {
			r.Subscriptions = slices.Concat(r.Subscriptions[:at], r.Subscriptions[at+1:])
		}
	})
}

// Subscriptions returns the resources that are subscribed to now, in the order
// in which they were, also by other Conns of the session. It counts as use of
// the session. The slice must not be written to.
func (c *Conn) Subscriptions(ctx context.Context) ([]string, *Refusal) {
	if c.http {
		record, err := c.gate.sessions.Get(ctx, c.SessionID())
		return record.Subscriptions, c.gate.refuseSession(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.record.Subscriptions, nil
}

// Told returns what SetTold, or initialize, last noted when this Conn was made,
// or on it since; "" before initialize.
func (c *Conn) Told() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.record.Told
}

// SetTold notes of which lists the client has been told.
func (c *Conn) SetTold(ctx context.Context, told string) *Refusal {
	return c.remember(ctx, func(r *session.Record) { r.Told = told })
}

// remember changes what is remembered of the conversation.
func (c *Conn) remember(ctx context.Context, change func(*session.Record)) *Refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.change(ctx, change)
}

// change is [Conn.remember] for who holds mu. change must make a new slice
// where it changes one, and may be called again.
func (c *Conn) change(ctx context.Context, change func(*session.Record)) *Refusal {
	if !c.http {
		change(&c.record)
		return nil
	}
	var changed session.Record
	err := c.gate.sessions.Update(ctx, c.record.ID, func(r *session.Record) {
		change(r)
		changed = *r
	})
	if err != nil {
		return c.gate.refuseSession(err)
	}
	c.record = changed
	return nil
}
