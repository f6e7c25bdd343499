package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of the HTTP side. There is no WriteTimeout: a call may take as long as its deadline allows.
const (
	headerTimeout       = 5 * time.Second
	idleTimeout         = 120 * time.Second
	maxHeaderBytes      = 32 << 10
	defaultDrainTimeout = 30 * time.Second // for calls in flight after the signal to stop
	restTimeout         = time.Second      // for the rest of a request that is no call in flight, as restTimeout of bridge/internal/streamable
	answerTimeout       = 2 * time.Second  // for the last answers to calls that took longer
)

// served is a handler whose requests in flight can be ended; *bridge.Bridge is one.
type served interface {
	http.Handler
	// Drain ends the streams that would not end by themselves.
	Drain()
	// Close ends the calls.
	Close() error
}

// serveHTTP serves s on lis until ctx ends and lets the calls in flight finish for as long as patience allows. Then it
// closes s, which has to end those that are left.
func serveHTTP(ctx context.Context, lis net.Listener, s served, logger *slog.Logger, patience time.Duration) error {
	fresh := silent{conns: map[net.Conn]struct{}{}}
	server := &http.Server{
		ConnState:         fresh.note,
		Handler:           mount(s),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          newErrorLog(logger),
	}
	server.RegisterOnShutdown(s.Drain)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(lis) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	logger.Info("stopping: calls in flight may finish; a second signal ends them", "within", patience)
	err := drain(server, &fresh, patience)
	if errors.Is(err, context.DeadlineExceeded) {
		logger.Warn("calls still in flight are cut", "after", patience)
		err = errors.Join(s.Close(), abandon(server))
	}
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// silent are the connections that have sent no whole head of a request yet. They are no calls in flight, and net/http
// would wait for them for as long as a head may take. Safe for concurrent use.
type silent struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// note is the server's ConnState.
func (s *silent) note(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateNew {
		s.conns[c] = struct{}{}
		return
	}
	delete(s.conns, c)
}

// close closes the connections.
func (s *silent) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close() // who has said nothing is told nothing
	}
}

// drain is shutdown, which after a short time waits no longer for those who have not said what they want.
func drain(server *http.Server, fresh *silent, patience time.Duration) error {
	rest := min(restTimeout, patience)
	err := shutdown(server, rest)
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	fresh.close()
	return shutdown(server, patience-rest)
}

// shutdown accepts nothing new and waits for the requests in flight, no longer than patience.
func shutdown(server *http.Server, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return server.Shutdown(ctx)
}

// abandon waits until the clients whose calls were cut have taken their answers, and closes the connections of those
// that do not.
func abandon(server *http.Server) error {
	if shutdown(server, answerTimeout) == nil {
		return nil
	}
	return server.Close()
}
