package admin

import (
	"context"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

const (
	// maxWatches is how many streams may wait for changes at once. Each asks once in watchInterval.
	maxWatches    = 64
	watchInterval = time.Second
)

// healthService is grpc.health.v1.Health.
type healthService struct {
	healthpb.UnimplementedHealthServer

	readings *readings
	watches  atomic.Int32
}

// Check says how one service is. NOT_FOUND stands for a name that no backend has.
func (s *healthService) Check(ctx context.Context, req *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	state, ok := statuses(s.readings.read(ctx))[req.GetService()]
	if !ok {
		return nil, status.Error(codes.NotFound, "no backend has this name")
	}
	return &healthpb.HealthCheckResponse{Status: state}, nil
}

// List says how all services are.
func (s *healthService) List(ctx context.Context, _ *healthpb.HealthListRequest) (*healthpb.HealthListResponse, error) {
	list := &healthpb.HealthListResponse{Statuses: map[string]*healthpb.HealthCheckResponse{}}
	for name, state := range statuses(s.readings.read(ctx)) {
		list.Statuses[name] = &healthpb.HealthCheckResponse{Status: state}
	}
	return list, nil
}

// Watch says how one service is, and goes on to say so whenever that has changed, until its client leaves. A name that no
// backend has is SERVICE_UNKNOWN until one has it.
func (s *healthService) Watch(req *healthpb.HealthCheckRequest, stream grpc.ServerStreamingServer[healthpb.HealthCheckResponse]) error {
	defer s.watches.Add(-1)
	if s.watches.Add(1) > maxWatches {
		return status.Errorf(codes.ResourceExhausted, "%d streams wait already: call Check instead", maxWatches)
	}
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	last := healthpb.HealthCheckResponse_UNKNOWN
	for {
		state, ok := statuses(s.readings.read(stream.Context()))[req.GetService()]
		if !ok {
			state = healthpb.HealthCheckResponse_SERVICE_UNKNOWN
		}
		if state != last && stream.Context().Err() == nil {
			if err := stream.Send(&healthpb.HealthCheckResponse{Status: state}); err != nil {
				return err
			}
			last = state
		}
		select {
		case <-stream.Context().Done():
			return status.FromContextError(stream.Context().Err()).Err()
		case <-tick.C:
		}
	}
}

// statuses are those of a report's services; "" is the bridge.
func statuses(r Report) map[string]healthpb.HealthCheckResponse_ServingStatus {
	serving := map[bool]healthpb.HealthCheckResponse_ServingStatus{
		true:  healthpb.HealthCheckResponse_SERVING,
		false: healthpb.HealthCheckResponse_NOT_SERVING,
	}
	states := map[string]healthpb.HealthCheckResponse_ServingStatus{"": serving[r.Ready]}
	for _, b := range r.Backends {
		states[b.Name] = serving[b.Up]
	}
	return states
}
