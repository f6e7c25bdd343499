// Package conformance is the fixture of the MCP conformance suite: an ordinary gRPC
// service whose methods the bridge offers as the tools, resources and prompts that
// the suite asks for. All of that is said by the bridge.v1 options in its descriptors,
// so it must be served with them; see [DescriptorSet].
package conformance

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	conformancev1 "github.com/mcpgrpc/bridge/gen/conformance/v1"
	"github.com/mcpgrpc/bridge/services/operation"
)

// reconnection is how long the call takes that outlives its response stream. It
// leaves the bridge time to close the stream, and the client time to come back.
const reconnection = 500 * time.Millisecond

// Server implements the services of conformance.v1 and google.longrunning.Operations. It is safe for concurrent
// use.
type Server struct {
	conformancev1.UnimplementedConformanceServiceServer
	conformancev1.UnimplementedExtraToolServiceServer
	conformancev1.UnimplementedExtraPromptServiceServer

	// toolTriggers and promptTriggers count the changes of what is on offer.
	toolTriggers, promptTriggers atomic.Int64
	watched                      counter
	interaction                  interaction
}

// New returns a server that does not list its extra services, and whose watched
// resource was never changed.
func New() *Server { return &Server{interaction: interaction{operations: operation.New()}} }

// Close ends the operations that go on and waits for them.
func (s *Server) Close() { s.interaction.operations.Close() }

// Register adds the services to a gRPC server that does not serve yet.
func (s *Server) Register(registrar grpc.ServiceRegistrar) {
	conformancev1.RegisterConformanceServiceServer(registrar, s)
	conformancev1.RegisterExtraToolServiceServer(registrar, s)
	conformancev1.RegisterExtraPromptServiceServer(registrar, s)
	conformancev1.RegisterInteractionServiceServer(registrar, &s.interaction)
	s.interaction.operations.Register(registrar)
}

// Unlisted returns those of the extra services that are not on offer at the moment,
// by their full names.
func (s *Server) Unlisted() []string {
	var names []string
	if !odd(s.toolTriggers.Load()) {
		names = append(names, conformancev1.ExtraToolService_ServiceDesc.ServiceName)
	}
	if !odd(s.promptTriggers.Load()) {
		names = append(names, conformancev1.ExtraPromptService_ServiceDesc.ServiceName)
	}
	return names
}

func odd(n int64) bool { return n%2 == 1 }

// TriggerToolChange lists the extra tool's service, or lists it no more.
func (s *Server) TriggerToolChange(
	context.Context, *conformancev1.TriggerToolChangeRequest,
) (*conformancev1.TriggerToolChangeResponse, error) {
	return &conformancev1.TriggerToolChangeResponse{Offered: odd(s.toolTriggers.Add(1))}, nil
}

// TriggerPromptChange lists the extra prompt's service, or lists it no more.
func (s *Server) TriggerPromptChange(
	context.Context, *conformancev1.TriggerPromptChangeRequest,
) (*conformancev1.TriggerPromptChangeResponse, error) {
	return &conformancev1.TriggerPromptChangeResponse{Offered: odd(s.promptTriggers.Add(1))}, nil
}

// SimpleText answers with a text.
func (s *Server) SimpleText(context.Context, *conformancev1.SimpleTextRequest) (*bridgev1.Content, error) {
	return text("This is a simple text response for testing."), nil
}

// ImageContent answers with a picture.
func (s *Server) ImageContent(context.Context, *conformancev1.ImageContentRequest) (*bridgev1.Content, error) {
	return image(), nil
}

// AudioContent answers with a sound.
func (s *Server) AudioContent(context.Context, *conformancev1.AudioContentRequest) (*httpbody.HttpBody, error) {
	return &httpbody.HttpBody{ContentType: "audio/wav", Data: []byte(silence)}, nil
}

// EmbeddedResource answers with a resource and its contents.
func (s *Server) EmbeddedResource(context.Context, *conformancev1.EmbeddedResourceRequest) (*bridgev1.Content, error) {
	return embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."), nil
}

// MultipleContentTypes answers with three blocks of different kinds.
func (s *Server) MultipleContentTypes(
	context.Context, *conformancev1.MultipleContentTypesRequest,
) (*conformancev1.MultipleContentTypesResponse, error) {
	return &conformancev1.MultipleContentTypesResponse{Blocks: []*bridgev1.Content{
		text("Multiple content types test:"),
		image(),
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`),
	}}, nil
}

// ErrorHandling always fails.
func (s *Server) ErrorHandling(context.Context, *conformancev1.ErrorHandlingRequest) (*bridgev1.Content, error) {
	return nil, status.Error(codes.Internal, "this tool intentionally returns an error for testing")
}

// JsonSchema says how a person is reached.
func (s *Server) JsonSchema(_ context.Context, req *conformancev1.JsonSchemaRequest) (*conformancev1.JsonSchemaResponse, error) {
	return &conformancev1.JsonSchemaResponse{
		Summary: fmt.Sprintf("%q is reached by %q: phone %q, email %q.", req.GetName(), req.GetContactMethod(), req.GetPhone(), req.GetEmail()),
	}, nil
}

// Greet says hello.
func (s *Server) Greet(_ context.Context, req *conformancev1.GreetRequest) (*bridgev1.Content, error) {
	return text(fmt.Sprintf("Hello, %s!", req.GetName())), nil
}

// McpHeader repeats the request.
func (s *Server) McpHeader(_ context.Context, req *conformancev1.McpHeaderRequest) (*conformancev1.McpHeaderResponse, error) {
	return &conformancev1.McpHeaderResponse{Region: req.GetRegion(), Level: req.GetLevel()}, nil
}

// MissingCapability answers with a text: who is not to get here is refused by the
// bridge.
func (s *Server) MissingCapability(context.Context, *conformancev1.MissingCapabilityRequest) (*bridgev1.Content, error) {
	return text("The client can sample from a model."), nil
}

// Reconnection answers half a second later, or with CANCELLED or DEADLINE_EXCEEDED
// when its caller does not wait so long.
func (s *Server) Reconnection(ctx context.Context, _ *conformancev1.ReconnectionRequest) (*bridgev1.Content, error) {
	select {
	case <-time.After(reconnection):
		return text("This came after the response stream was closed."), nil
	case <-ctx.Done():
		return nil, status.FromContextError(ctx.Err()).Err()
	}
}

// ExtraTool answers with a text.
func (s *Server) ExtraTool(context.Context, *conformancev1.ExtraToolRequest) (*bridgev1.Content, error) {
	return text("This tool is not always on offer."), nil
}
