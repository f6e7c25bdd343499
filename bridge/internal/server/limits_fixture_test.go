package server_test

import (
	"context"
	"sync"
	"testing"

	"google.golang.org/grpc"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/limit"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// quotas are what a limited fixture is held to.
type quotas struct {
	caller, backend limit.Quota
	telemetry       *telemetry.Telemetry
	forward         []backend.Forward
}

// limited is a fixture with quotas. Before a call goes to its backend, entering is asked.
type limited struct {
	*fixture
	backend  *limit.Limiter
	entering func(ctx context.Context)
}

// newLimited builds a server with quotas over the service of a file of testdata.
func newLimited(t *testing.T, file, script string, q quotas) *limited {
	t.Helper()
	l := &limited{fixture: newFixtureOf(t, file, script, nil), backend: limit.New(q.backend), entering: func(context.Context) {}}
	conn := entrance{l.conn, func(ctx context.Context) { l.entering(ctx) }}
	b, err := backend.New(backend.Config{Name: "shelf", Conn: conn, Limiter: l.backend, Forward: q.forward})
	if err != nil {
		t.Fatal(err)
	}
	l.searching = false
	l.offer(t, b)
	l.server = server.New(server.Config{Gate: l.gate, Catalog: l.offered.Load, CallerQuota: q.caller, Telemetry: q.telemetry})
	t.Cleanup(l.server.Close)
	return l
}

// offer has the server offer all of a backend.
func (l *limited) offer(t *testing.T, b *backend.Backend) {
	t.Helper()
	source := catalog.Source{Backend: b, Set: l.fixture.backend.set, Codec: transcode.Options{EmitDefaults: true, MaxResult: maxResult}}
	offered, err := catalog.Compile([]catalog.Source{source}, catalog.Options{Features: lifecycle.AllFeatures(), Search: l.searching})
	if err != nil {
		t.Fatal(err)
	}
	l.offered.Store(offered)
}

// entrance is a connection that says when a call begins.
type entrance struct {
	grpc.ClientConnInterface
	entering func(ctx context.Context)
}

func (e entrance) Invoke(ctx context.Context, method string, in, out any, options ...grpc.CallOption) error {
	e.entering(ctx)
	return e.ClientConnInterface.Invoke(ctx, method, in, out, options...)
}

// hold begins a request that stays in flight until it is let go, and returns when it has come to the backend.
func (l *limited) hold(t *testing.T, peer lifecycle.Peer, method, params string) (release func()) {
	t.Helper()
	entered, held := make(chan struct{}), make(chan struct{})
	l.entering = func(context.Context) {
		close(entered)
		<-held
	}
	var running sync.WaitGroup
	running.Go(func() { l.ask(t, peer, method, params) })
	<-entered
	l.entering = func(context.Context) {}
	return func() {
		close(held)
		running.Wait()
	}
}

// ask sends one modern request from a peer.
func (l *limited) ask(t *testing.T, peer lifecycle.Peer, method, params string) server.Reply {
	t.Helper()
	return l.askAs(t.Context(), t, peer, method, params)
}

func (l *limited) askAs(ctx context.Context, t *testing.T, peer lifecycle.Peer, method, params string) server.Reply {
	t.Helper()
	conn := l.gate.Stream()
	defer conn.Close()
	conn.SetPeer(peer)
	if params != "" {
		params += ","
	}
	return l.server.Handle(ctx, conn, decode(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+modernMeta+`}}`))
}

// askInSession sends one request in a legacy session of its own.
func (l *limited) askInSession(t *testing.T, principal string, peer lifecycle.Peer, text string) server.Reply {
	t.Helper()
	var reply server.Reply
	headers := lifecycle.Headers{}
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":` +
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, text,
	} {
		msg := decode(t, text)
		conn, refusal := l.gate.Post(t.Context(), headers, &msg, principal)
		if refusal != nil {
			t.Fatalf("refused: %v", refusal.Error)
		}
		conn.SetPeer(peer)
		reply = l.server.Handle(t.Context(), conn, msg)
		if reply.SessionID != "" {
			headers = lifecycle.Headers{SessionID: reply.SessionID, HasSessionID: true}
		}
	}
	return reply
}

// The peers of these tests.
var (
	overHTTP = lifecycle.Peer{Transport: "tcp", Protocol: "http", ProtocolVersion: "1.1", Address: "192.0.2.1", Port: 40000}
	another  = lifecycle.Peer{Transport: "tcp", Protocol: "http", ProtocolVersion: "1.1", Address: "192.0.2.2", Port: 40000}
	byPipe   = lifecycle.Peer{Transport: "pipe"}
)
