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
)

// serveHTTP serves h on lis until ctx ends, lets the calls in flight finish for as long as patience allows, and cuts
// those that take longer.
func serveHTTP(ctx context.Context, lis net.Listener, h http.Handler, logger *slog.Logger, patience time.Duration) error {
	calls, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := &http.Server{
		Handler:           mount(h),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		BaseContext:       func(net.Listener) context.Context { return calls },
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
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err := server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		logger.Warn("calls still in flight are cut", "after", patience)
		cut()
		err = server.Close()
	}
	if err == nil {
		logger.Info("stopped")
	}
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
