// Package host runs sample services on a listener: in a process of their own,
// or inside another program, such as a demonstration or a test.
package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// grace is how long calls in flight may go on after the end was asked for.
const grace = 5 * time.Second

// Service is a gRPC service that can be registered; the Server types of the
// sample services are.
type Service interface {
	// Register adds the service to a server that does not serve yet.
	Register(registrar grpc.ServiceRegistrar)
}

// Closing is a [Service] that goes on with work behind its calls: it is closed when the server has ended.
type Closing interface {
	// Close ends that work and waits for it.
	Close()
}

// Serve serves services over plaintext gRPC on lis, with the reflection service
// (v1 and v1alpha) and the health service, until ctx ends. Then it refuses new
// calls, gives those in flight five seconds and returns nil. It returns an error
// when lis fails or descriptors (see [Described]) cannot be read, and closes lis
// in every case. lis may be a TCP listener or google.golang.org/grpc/test/bufconn.
func Serve(ctx context.Context, lis net.Listener, services ...Service) error {
	return ServeWith(ctx, lis, nil, services...)
}

// ServeWith is [Serve] with options for the gRPC server, such as a stats handler that makes spans of the calls. No options
// are those of [grpc.NewServer].
func ServeWith(ctx context.Context, lis net.Listener, options []grpc.ServerOption, services ...Service) error {
	server := grpc.NewServer(options...)
	for _, service := range services {
		service.Register(server)
		if c, ok := bare(service).(Closing); ok {
			defer c.Close()
		}
	}
	state := health.NewServer()
	for name := range server.GetServiceInfo() {
		state.SetServingStatus(name, grpc_health_v1.HealthCheckResponse_SERVING)
	}
	grpc_health_v1.RegisterHealthServer(server, state)
	if err := registerReflection(server, services); err != nil {
		return errors.Join(err, lis.Close())
	}

	failed := make(chan error, 1)
	go func() { failed <- server.Serve(lis) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve gRPC on %s: %w", lis.Addr(), err)
	case <-ctx.Done():
		state.Shutdown()
		stop(server)
		if err := <-failed; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			return fmt.Errorf("serve gRPC on %s: %w", lis.Addr(), err)
		}
		return nil
	}
}

// stop ends server, gracefully for at most grace.
func stop(server *grpc.Server) {
	late := time.AfterFunc(grace, server.Stop)
	defer late.Stop()
	server.GracefulStop()
}
