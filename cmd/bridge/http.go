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

// serveHTTP serves h on lis until ctx ends and lets the calls in flight finish for as long as patience allows. Then cut,
// which is called at most once, has to end those that are left.
func serveHTTP(ctx context.Context, lis net.Listener, h http.Handler, logger *slog.Logger, patience time.Duration, cut func() error) error {
	server := &http.Server{
		Handler:           mount(h),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
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
		err = errors.Join(cut(), abandon(server))
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
