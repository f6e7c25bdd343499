package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

func newServe() *cobra.Command {
	var t target
	var s settings
	cmd := &cobra.Command{
		Use:   "serve --config file | --backend host:port [flags]",
		Short: "Serve the tools, resources and prompts of gRPC servers over Streamable HTTP, at /mcp",
		Long: `Serve the tools, resources and prompts of gRPC servers over Streamable HTTP, at /mcp.

With --config the backends are those of the file, and the flags of a backend contradict it; the others, --listen and those below
it, stand above what the file says. SIGHUP reads the file, the secrets, the certificates and the descriptors again and swaps them
without dropping a call; so does --reload, when the file has changed. SIGTERM and SIGINT let calls in flight finish; a second one
ends the process at once.`,
		Example: `  bridge serve --backend localhost:50051 --plaintext
  bridge serve --backend api.example.com:443 --header authorization=env:TOKEN --reload 30s
  bridge serve --backend localhost:2379 --plaintext --descriptor-set etcd.binpb
  bridge serve --config bridge.yaml --admin 127.0.0.1:8081`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd, newRenewal(t.load(cmd, &s), t.file))
		},
	}
	t.register(cmd)
	s.registerServe(cmd)
	return cmd
}

// serve runs a bridge until a signal ends it.
func serve(cmd *cobra.Command, n *renewal) (err error) {
	defer n.stop()
	defer untilSignal(cmd)()
	c, err := n.read(cmd.Context())
	if err != nil {
		return err
	}
	r := &running{flush: flushTimeout}
	defer closing(r, &err)
	if err := r.open(cmd, c, slog.LevelInfo); err != nil {
		return err
	}
	ctx := cmd.Context()
	warnExposed(r.logger, c.GetServer())
	lis, err := listen(ctx, config.Listen(c.GetServer()), "--listen")
	if err != nil {
		return err
	}
	defer func() { _ = lis.Close() }() // a second time after serving
	if err := r.start(ctx); err != nil {
		return startError(ctx, err)
	}
	defer newPacer().pace(os.Getenv("GOGC"))()
	n.run(r)
	r.logger.Info("ready", "url", endpoint(lis.Addr()), "tools", len(r.bridge.Report().Tools))
	return r.serve(ctx, lis)
}

// serve serves the bridge on lis until ctx ends and the time to drain is over, or all is done before.
func (r *running) serve(ctx context.Context, lis net.Listener) error {
	s := r.config.GetServer()
	patience := defaultDrainTimeout
	if s.GetDrainTimeout() != nil {
		patience = s.GetDrainTimeout().AsDuration()
	}
	ctx, cancel := delayed(ctx, s.GetDrainDelay().AsDuration(), func(delay time.Duration) {
		r.bridge.BeginDrain()
		if delay > 0 {
			r.logger.Info("stopping soon: new calls are still taken, and /readyz says no; a second signal ends all", "after", delay)
		}
	})
	defer cancel()
	err := serveHTTP(ctx, lis, serving{r.bridge, r.telemetry.Wrap(r.bridge)}, r.logger, patience)
	r.stopped = err == nil
	return err
}

// delayed returns a context that ends so long after ctx, which begin is told of when that ends.
func delayed(ctx context.Context, delay time.Duration, begin func(time.Duration)) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		begin(delay)
		select {
		case <-time.After(delay):
			cancel()
		case <-later.Done():
		}
	})
	return later, func() { stop(); cancel() }
}

// startError leaves out errors that only say that a signal came before the start was over.
func startError(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// warnExposed says what it means to listen beyond loopback, at each start.
func warnExposed(logger *slog.Logger, s *configv1.Server) {
	if !config.Exposed(s) {
		return
	}
	logger.Warn("no authentication: whoever reaches this address can call every tool", "listen", config.Listen(s))
	if len(s.GetAllowHosts()) == 0 {
		logger.Warn("only requests with a loopback Host header are served: add --allow-host for the names that clients use")
	}
}

// listen opens a listener at an address, for which a flag could name another one.
func listen(ctx context.Context, address, flag string) (net.Listener, error) {
	lis, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program: stop it, or choose another address with %s (port 0 takes a free one)", address,
			flag)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w; choose another address with %s", address, err, flag)
	}
	return lis, nil
}

// endpoint returns the URL that clients on this host use.
func endpoint(a net.Addr) string { return baseURL(a) + path }

// baseURL returns the URL of a listener for those on this host.
func baseURL(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		return "http://" + net.JoinHostPort("localhost", port)
	}
	return "http://" + a.String()
}

// path is where the MCP endpoint is.
const path = "/mcp"

// mount serves b at its path and says elsewhere where it is.
func mount(b http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == path {
			b.ServeHTTP(w, r)
			return
		}
		// What is left of the body is read before the answer goes out, and a client could take for ever to send it.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(restTimeout)) // else the connection is lost already
		http.Error(w, "not found: the MCP endpoint is "+path, http.StatusNotFound)
	})
}
