// Package echo is a sample backend that gives back what it is sent and
// misbehaves on demand, served as echo.v1.EchoService: a message with a field of
// every kind, delays, failures, sizes, metadata, values without a JSON form. It
// is for tests, fuzzing and measurements.
package echo

import (
	"context"

	"google.golang.org/grpc"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

// Server implements echo.v1.EchoService. It is safe for concurrent use. It keeps
// nothing but the number of executions of each key, for as long as it lives.
// Requests that break a rule of the .proto file are INVALID_ARGUMENT with a
// google.rpc.BadRequest.
type Server struct {
	echov1.UnimplementedEchoServiceServer

	executions executions
}

// New returns a server that has executed nothing.
func New() *Server { return &Server{} }

// Register adds the service to a gRPC server that does not serve yet.
func (s *Server) Register(registrar grpc.ServiceRegistrar) {
	echov1.RegisterEchoServiceServer(registrar, s)
}

// Echo returns the message that it is sent.
func (s *Server) Echo(_ context.Context, req *echov1.EchoRequest) (*echov1.EchoResponse, error) {
	return &echov1.EchoResponse{Everything: req.GetEverything()}, nil
}

// Executions returns how many Delay and Fail calls with a key have started. A
// program that holds the Server can ask it directly.
func (s *Server) Executions(_ context.Context, req *echov1.ExecutionsRequest) (*echov1.ExecutionsResponse, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	return &echov1.ExecutionsResponse{Executions: s.executions.of(req.GetKey())}, nil
}
