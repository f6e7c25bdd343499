package server_test

import (
	"context"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// noRoom is a store that is full.
type noRoom struct{ session.Store }

func (noRoom) Create(context.Context, session.Record) error {
	return &session.FullError{RetryAfter: time.Hour}
}

// TestNoRoomForASession: an initialize that is turned away is told when to come back.
func TestNoRoomForASession(t *testing.T) {
	t.Parallel()
	gate := lifecycle.NewGate(lifecycle.Config{Sessions: noRoom{}})
	s := server.New(server.Config{Gate: gate, Catalog: newFixture(t, "", nil).offered.Load})
	msg := decode(t,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c",`+
			`"version":"1"}}}`)
	conn, refusal := gate.Post(t.Context(), lifecycle.Headers{}, &msg, "")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	if reply := s.Handle(t.Context(), conn, msg); reply.Status != 503 || reply.RetryAfter != time.Hour {
		t.Errorf("got %d, %v: %s", reply.Status, reply.RetryAfter, reply.Body)
	}
}
