package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
	"github.com/mcpgrpc/bridge/services/conformance"
	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/library"
	"github.com/mcpgrpc/bridge/services/orders"
)

const (
	// headerTimeout is how long a REST caller may take to send its headers.
	headerTimeout = 10 * time.Second
	// grace is how long REST requests in flight may go on after the end.
	grace = 5 * time.Second
	// maxMessage lets the REST face carry the largest answer of the echo service.
	maxMessage = 128 << 20
)

// sample is a service that can be named on the command line.
type sample struct {
	// service makes a new one.
	service func() host.Service
	// rest adds the service's google.api.http routes, which call it on conn; nil for a
	// service that has none.
	rest func(ctx context.Context, mux *runtime.ServeMux, conn *grpc.ClientConn) error
}

// samples are the services by name.
var samples = map[string]sample{
	"conformance": {service: func() host.Service {
		return host.Described(conformance.New(), conformance.DescriptorSet())
	}},
	"echo":    {func() host.Service { return echo.New() }, echov1.RegisterEchoServiceHandler},
	"library": {func() host.Service { return library.New() }, libraryv1.RegisterLibraryServiceHandler},
	"orders":  {func() host.Service { return host.Described(orders.New(), orders.DescriptorSet()) }, ordersv1.RegisterOrderServiceHandler},
}

func serviceNames() []string { return slices.Sorted(maps.Keys(samples)) }

// addresses are where to listen; an empty rest means no REST.
type addresses struct{ grpc, rest string }

// serve serves chosen until ctx ends, which is no error. options are those of the gRPC server. Both listeners are open
// before anything is served, so that a port in use is found at once.
func serve(ctx context.Context, at addresses, chosen []sample, log io.Writer, options ...grpc.ServerOption) error {
	lis, err := listen(ctx, "--listen", at.grpc)
	if err != nil {
		return err
	}
	if at.rest == "" {
		fmt.Fprintf(log, "gRPC on %s\n", lis.Addr())
		return serveGRPC(ctx, lis, chosen, options)
	}
	restLis, err := listen(ctx, "--rest", at.rest)
	if err != nil {
		return errors.Join(err, lis.Close())
	}
	fmt.Fprintf(log, "gRPC on %s\nREST on http://%s\n", lis.Addr(), restLis.Addr())
	return serveBoth(ctx, lis, restLis, chosen, options)
}

// serveBoth ends REST before gRPC, so that REST requests in flight can finish,
// and both when one of them fails.
func serveBoth(ctx context.Context, lis, restLis net.Listener, chosen []sample, options []grpc.ServerOption) error {
	restCtx, endREST := context.WithCancel(ctx)
	defer endREST()
	grpcCtx, endGRPC := context.WithCancel(context.WithoutCancel(ctx))
	defer endGRPC()
	ended := make(chan error, 1)
	go func() {
		defer endREST()
		ended <- serveGRPC(grpcCtx, lis, chosen, options)
	}()
	err := serveREST(restCtx, restLis, lis.Addr().String(), chosen)
	endGRPC()
	return errors.Join(err, <-ended)
}

// listen opens a TCP listener for the flag that says where.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, usageError{fmt.Sprintf("%s %q is not host:port; write for example %s 127.0.0.1:0", flag, address, flag)}
	}
	lis, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; choose another address, or port 0 for a free one", flag, err)
	}
	return lis, nil
}

func serveGRPC(ctx context.Context, lis net.Listener, chosen []sample, options []grpc.ServerOption) error {
	services := make([]host.Service, len(chosen))
	for i, c := range chosen {
		services[i] = c.service()
	}
	return host.ServeWith(ctx, lis, options, services...)
}

// serveREST serves the routes of chosen on lis by calling the gRPC server at
// target, as such a gateway does in production, until ctx ends.
func serveREST(ctx context.Context, lis net.Listener, target string, chosen []sample) error {
	conn, err := grpc.NewClient("passthrough:///"+target,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)))
	if err != nil {
		return errors.Join(err, lis.Close())
	}
	defer conn.Close() //nolint:errcheck // nothing is left to do about it
	mux := runtime.NewServeMux()
	for _, c := range chosen {
		if err := c.rest(ctx, mux, conn); err != nil {
			return errors.Join(err, lis.Close())
		}
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(lis) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve REST on %s: %w", lis.Addr(), err)
	case <-ctx.Done():
		shutdown(ctx, server)
		if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve REST on %s: %w", lis.Addr(), err)
		}
		return nil
	}
}

// shutdown ends server, gracefully for at most grace, after ctx has ended.
func shutdown(ctx context.Context, server *http.Server) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
}
