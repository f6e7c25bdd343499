package conformance

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	conformancev1 "github.com/mcpgrpc/bridge/gen/conformance/v1"
)

// StaticText is a resource of text. The bridge fills in its URI and its media type.
func (s *Server) StaticText(context.Context, *conformancev1.StaticTextRequest) (*bridgev1.ResourceContents, error) {
	return &bridgev1.ResourceContents{
		Contents: &bridgev1.ResourceContents_Text{Text: "This is the content of the static text resource."},
	}, nil
}

// StaticBinary is a resource of bytes. The bridge fills in its URI and its media type.
func (s *Server) StaticBinary(context.Context, *conformancev1.StaticBinaryRequest) (*bridgev1.ResourceContents, error) {
	return &bridgev1.ResourceContents{Contents: &bridgev1.ResourceContents_Blob{Blob: []byte(pixel)}}, nil
}

// TemplateData is one resource for each id.
func (s *Server) TemplateData(_ context.Context, req *conformancev1.TemplateDataRequest) (*conformancev1.TemplateDataResponse, error) {
	return &conformancev1.TemplateDataResponse{Id: req.GetId(), TemplateTest: true, Data: "Data for ID: " + req.GetId()}, nil
}

// WatchedResource is a resource that changes.
func (s *Server) WatchedResource(context.Context, *conformancev1.WatchedResourceRequest) (*conformancev1.WatchedResourceResponse, error) {
	changes, _ := s.watched.look()
	return &conformancev1.WatchedResourceResponse{Changes: changes}, nil
}

// ChangeWatchedResource changes the watched resource and wakes its watchers.
func (s *Server) ChangeWatchedResource(
	context.Context, *conformancev1.ChangeWatchedResourceRequest,
) (*conformancev1.ChangeWatchedResourceResponse, error) {
	return &conformancev1.ChangeWatchedResourceResponse{Changes: s.watched.add()}, nil
}

// WatchWatchedResource sends a message for each change until the caller leaves.
// Its headers come at once: every change after them is told.
func (s *Server) WatchWatchedResource(
	_ *conformancev1.WatchWatchedResourceRequest, stream grpc.ServerStreamingServer[conformancev1.WatchWatchedResourceResponse],
) error {
	_, changed := s.watched.look()
	if err := stream.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	for {
		select {
		case <-stream.Context().Done():
			return status.FromContextError(stream.Context().Err()).Err()
		case <-changed:
		}
		_, changed = s.watched.look()
		if err := stream.Send(&conformancev1.WatchWatchedResourceResponse{}); err != nil {
			return err
		}
	}
}
