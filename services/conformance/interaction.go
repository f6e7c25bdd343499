package conformance

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	conformancev1 "github.com/mcpgrpc/bridge/gen/conformance/v1"
	"github.com/mcpgrpc/bridge/services/operation"
)

// between is the time between two lines of a log or two words of progress.
const between = 50 * time.Millisecond

// interaction implements conformance.v1.InteractionService. It is safe for
// concurrent use.
type interaction struct {
	conformancev1.UnimplementedInteractionServiceServer

	operations *operation.Store
}

// ToolWithLogging logs three lines and answers with a text.
func (i *interaction) ToolWithLogging(
	_ *conformancev1.ToolWithLoggingRequest, stream grpc.ServerStreamingServer[conformancev1.ToolWithLoggingResponse],
) error {
	for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		said := &conformancev1.ToolWithLoggingResponse{Event: &conformancev1.ToolWithLoggingResponse_Log{Log: &bridgev1.Log{Message: line}}}
		if err := stream.Send(said); err != nil {
			return err
		}
		if err := pause(stream.Context(), between); err != nil {
			return err
		}
	}
	return stream.Send(&conformancev1.ToolWithLoggingResponse{
		Event: &conformancev1.ToolWithLoggingResponse_Content{Content: text("Three lines were logged.")},
	})
}

// ToolWithProgress says three times how far it has come and answers with a text.
func (i *interaction) ToolWithProgress(
	_ *conformancev1.ToolWithProgressRequest, stream grpc.ServerStreamingServer[conformancev1.ToolWithProgressResponse],
) error {
	for _, done := range []float64{0, 50, 100} {
		told := &conformancev1.ToolWithProgressResponse{Event: &conformancev1.ToolWithProgressResponse_Progress{
			Progress: &bridgev1.Progress{Progress: done, Total: new(100.0), Message: "working"},
		}}
		if err := stream.Send(told); err != nil {
			return err
		}
		if err := pause(stream.Context(), between); err != nil {
			return err
		}
	}
	return stream.Send(&conformancev1.ToolWithProgressResponse{
		Event: &conformancev1.ToolWithProgressResponse_Content{Content: text("All is done.")},
	})
}

// Logging logs a line of each level and answers with a text.
func (s *Server) Logging(_ *conformancev1.LoggingRequest, stream grpc.ServerStreamingServer[conformancev1.LoggingResponse]) error {
	for level := bridgev1.LogLevel_LOG_LEVEL_DEBUG; level <= bridgev1.LogLevel_LOG_LEVEL_EMERGENCY; level++ {
		line := &bridgev1.Log{Level: level, Message: level.String()}
		if err := stream.Send(&conformancev1.LoggingResponse{Event: &conformancev1.LoggingResponse_Log{Log: line}}); err != nil {
			return err
		}
	}
	return stream.Send(&conformancev1.LoggingResponse{
		Event: &conformancev1.LoggingResponse_Content{Content: text("The call was logged.")},
	})
}

// SlowCompute computes in an operation; with nothing to do, it is done at once.
func (i *interaction) SlowCompute(ctx context.Context, req *conformancev1.SlowComputeRequest) (*longrunning, error) {
	const most = 3600
	if n := req.GetSeconds(); n < 0 || n > most {
		return nil, status.Errorf(codes.InvalidArgument, "seconds: must be from 0 to %d", most)
	}
	return i.operate(ctx, req.GetSeconds(), &conformancev1.SlowComputeResponse{Text: "Computed " + req.GetLabel() + "."})
}

// FailingJob fails after a second.
func (i *interaction) FailingJob(ctx context.Context, _ *conformancev1.FailingJobRequest) (*bridgev1.Content, error) {
	if err := pause(ctx, time.Second); err != nil {
		return nil, err
	}
	return nil, status.Error(codes.Internal, "this job always fails")
}

// pause waits, or says that the caller has gone.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}
