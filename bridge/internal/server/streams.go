package server

import (
	"context"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// executeStream makes a call of a streaming method. Where its responses stream,
// they are collected.
func (s *Server) executeStream(called *call, tool *catalog.Tool, arguments []byte, scratch *[]byte) (*mcp.CallToolResult, error) {
	c := new(*called) // whoever collects keeps it, for which that of a unary call need not be on the heap
	t := &c.target
	requests, err := s.requests(c, arguments)
	if err != nil {
		return nil, err
	}
	c.bare = len(requests) == 0
	var one []byte
	receive, empty := func(reply []byte) error { one = append(one[:0], reply...); return nil }, func() { one = nil }
	var k *collection
	if t.collects() {
		k = s.collect(c, tool, scratch)
		receive, empty = k.receive, k.clear
	}
	err = s.converse(c, func(ctx context.Context, answers *bridgev1.InputResponses) *backend.Failure {
		empty()
		failure := t.backend.Stream(ctx, t.method, c.allAnswered(requests, answers), receive)
		if failure != nil && failure.Input != nil && k != nil && k.count > 0 {
			failure.AskedLate()
		}
		return failure
	})
	if err == nil {
		s.changed(t)
	}
	switch {
	case k != nil:
		return k.conclude(err)
	case err != nil:
		return nil, err
	}
	return c.present(one, scratch)
}
