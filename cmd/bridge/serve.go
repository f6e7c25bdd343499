package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

func newServe() *cobra.Command {
	var t target
	var s configv1.Server
	var reload time.Duration
	maxRequest := size(bridge.DefaultMaxRequestBytes)
	cmd := &cobra.Command{
		Use:   "serve --backend host:port [flags]",
		Short: "Serve the tools, resources and prompts of a gRPC server over Streamable HTTP, at /mcp",
		Example: `  bridge serve --backend localhost:50051 --plaintext
  bridge serve --backend api.example.com:443 --header authorization=env:TOKEN --reload 30s
  bridge serve --backend localhost:2379 --plaintext --descriptor-set etcd.binpb`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.config(cmd, false)
			if err != nil {
				return err
			}
			c.Server, c.Reload, c.Limits = &s, durationpb.New(reload), &configv1.Limits{MaxRequestBytes: int64(maxRequest)}
			return serve(cmd, c)
		},
	}
	t.register(cmd)
	f := cmd.Flags()
	s.Listen = config.DefaultListen
	f.Var((*nonempty)(&s.Listen), "listen", "`host:port` to listen on")
	f.StringArrayVar(&s.AllowHosts, "allow-host", nil, "serve requests whose Host header is this `host`, beside those of loopback; may be repeated")
	f.StringArrayVar(&s.AllowOrigins, "allow-origin", nil, "serve browser pages of this `origin`, such as https://app.example.com; may be repeated")
	f.DurationVar(&reload, "reload", 0, "read the descriptors again at this `interval`, such as 30s; 0 = never. With it, an unreachable backend does not keep the bridge from starting")
	f.Var(&maxRequest, "max-request-size", "largest request of a client, as a `size` such as 1MiB")
	f.BoolVar(&s.InsecureNoAuth, "insecure-no-auth", false, "listen beyond loopback although nobody is asked who they are")
	return cmd
}

// serve runs a bridge until a signal ends it.
func serve(cmd *cobra.Command, c *configv1.Config) (err error) {
	defer untilSignal(cmd)()
	ctx, logger := cmd.Context(), newLogger(cmd, slog.LevelInfo)
	setup, err := dial(c)
	if err != nil {
		return err
	}
	defer closing(setup, &err)
	warnExposed(logger, c.GetServer())
	lis, err := listen(ctx, config.Listen(c.GetServer()))
	if err != nil {
		return err
	}
	defer func() { _ = lis.Close() }() // a second time after serving
	b, err := bridge.New(ctx, setup.Backends, append(setup.Options, bridge.WithLogger(logger))...)
	if err != nil {
		return startError(ctx, err)
	}
	defer closing(b, &err)
	logger.Info("ready", "url", endpoint(lis.Addr()), "tools", len(b.Report().Tools))
	return serveHTTP(ctx, lis, b, logger, drainTimeout)
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

// listen opens the listener of the MCP endpoint.
func listen(ctx context.Context, address string) (net.Listener, error) {
	lis, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program: stop it, or choose another address with --listen (port 0 takes a free one)", address)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w; choose another address with --listen", address, err)
	}
	return lis, nil
}

// endpoint returns the URL that clients on this host use.
func endpoint(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		return "http://" + net.JoinHostPort("localhost", port) + path
	}
	return "http://" + a.String() + path
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
