package echo

import (
	"errors"
	"io"

	"google.golang.org/grpc"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

// Count sends the numbers from 1 to the requested limit, each after the
// requested pause, and stops when the caller gives up.
func (s *Server) Count(req *echov1.CountRequest, stream grpc.ServerStreamingServer[echov1.CountResponse]) error {
	if err := violation.Check("", req); err != nil {
		return err
	}
	for number := int32(1); number <= req.GetLimit(); number++ {
		if err := pause(stream.Context(), req.GetPause()); err != nil {
			return err
		}
		if err := stream.Send(&echov1.CountResponse{Number: number}); err != nil {
			return err
		}
	}
	return nil
}

// Collect answers with all texts when the caller has sent the last.
func (s *Server) Collect(stream grpc.ClientStreamingServer[echov1.CollectRequest, echov1.CollectResponse]) error {
	res := &echov1.CollectResponse{}
	for {
		req, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return stream.SendAndClose(res)
		}
		if err != nil {
			return err
		}
		res.Texts = append(res.Texts, req.GetText())
	}
}

// Chat answers every text with itself until the caller has sent the last.
func (s *Server) Chat(stream grpc.BidiStreamingServer[echov1.ChatRequest, echov1.ChatResponse]) error {
	for {
		req, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := stream.Send(&echov1.ChatResponse{Text: req.GetText()}); err != nil {
			return err
		}
	}
}
