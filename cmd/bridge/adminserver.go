package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/admin"
	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// adminAddress returns where the admin listener is told to be; "" for nowhere.
func adminAddress(a *configv1.Admin) string {
	if a == nil {
		return ""
	}
	return config.AdminListen(a)
}

// adminServer is the HTTP server for the operator. It is up before there is a bridge to tell of, and goes down last.
type adminServer struct {
	lis     net.Listener
	subject subject
	handler *admin.Handler
	server  *http.Server
	failed  chan error // of Serve; nil before serve
	logger  *slog.Logger
}

// openAdmin listens, or returns nil where the configuration wants no admin listener.
func openAdmin(ctx context.Context, c *configv1.Admin, logger *slog.Logger) (*adminServer, error) {
	address := adminAddress(c)
	if address == "" {
		return nil, nil
	}
	lis, err := listen(ctx, address, "--admin")
	if err != nil {
		return nil, err
	}
	if config.Exposed(&configv1.Server{Listen: address}) {
		logger.Warn("whoever reaches the admin address sees which backends there are and how they do, and the metrics", "listen", address)
	}
	return &adminServer{lis: lis, logger: logger}, nil
}

// serve begins to answer. It must be called at most once.
func (a *adminServer) serve(c *configv1.Admin, metrics http.Handler) error {
	policy := strings.ToLower(strings.TrimPrefix(c.GetReadiness().String(), "READINESS_"))
	if c.GetReadiness() == configv1.Readiness_READINESS_UNSPECIFIED {
		policy = ""
	}
	handler, err := admin.New(admin.Config{Bridge: &a.subject, Readiness: admin.Readiness(policy), Metrics: metrics, Logger: a.logger})
	if err != nil {
		return err
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true) // for the gRPC health service
	a.handler = handler
	a.server = &http.Server{
		Handler:           handler,
		Protocols:         protocols,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          newErrorLog(a.logger),
	}
	a.failed = make(chan error, 1)
	go func() { a.failed <- a.server.Serve(a.lis) }()
	a.logger.Info("admin ready", "url", baseURL(a.lis.Addr()))
	return nil
}

// Close ends the server; a nil one has none. Probes that are being answered have a second for that.
func (a *adminServer) Close() error {
	switch {
	case a == nil:
		return nil
	case a.failed == nil:
		return a.lis.Close()
	}
	a.handler.Close()
	if shutdown(a.server, time.Second) != nil {
		_ = a.server.Close() // what is left is no call
	}
	if err := <-a.failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// subject is the bridge that is told of, which comes later than the admin server. The zero value has none yet, and is not to be
// sent anything.
type subject struct{ atomic.Pointer[bridge.Bridge] }

// Health says how the bridge is.
func (s *subject) Health(ctx context.Context) bridge.Health {
	if b := s.Load(); b != nil {
		return b.Health(ctx)
	}
	return bridge.Health{Draining: true}
}
