package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of the HTTP side. There is no WriteTimeout: a call may take as long as its deadline allows.
const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = 120 * time.Second
	maxHeaderBytes = 32 << 10
	drainTimeout   = 30 * time.Second // for calls in flight after the signal to stop
	answerTimeout  = 2 * time.Second  // for the last answers to calls that took longer
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
	server := &http.Server{
		Handler:           mount(s),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
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
	err := shutdown(server, patience)
	if errors.Is(err, context.DeadlineExceeded) {
		logger.Warn("calls still in flight are cut", "after", patience)
		err = errors.Join(s.Close(), abandon(server))
	}
	if err == nil {
		logger.Info("stopped")
	}
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// shutdown accepts nothing new and waits for the requests in flight, no longer than patience.
func shutdown(server *http.Server, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return server.Shutdown(ctx)
}

// abandon waits until the clients whose calls were cut have taken their answers, and closes the connections of those
// that do not, or that had sent half a request.
func abandon(server *http.Server) error {
	if shutdown(server, answerTimeout) == nil {
		return nil
	}
	return server.Close()
}
