package conformance

import (
	"context"
	"fmt"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	conformancev1 "github.com/mcpgrpc/bridge/gen/conformance/v1"
)

// SimplePrompt is a prompt without arguments.
func (s *Server) SimplePrompt(context.Context, *conformancev1.SimplePromptRequest) (*bridgev1.PromptMessage, error) {
	return user(text("This is a simple prompt for testing.")), nil
}

// PromptWithArguments repeats its arguments.
func (s *Server) PromptWithArguments(_ context.Context, req *conformancev1.PromptWithArgumentsRequest) (*bridgev1.PromptMessage, error) {
	return user(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", req.GetArg1(), req.GetArg2()))), nil
}

// PromptWithEmbeddedResource brings a resource along, under the URI asked for.
func (s *Server) PromptWithEmbeddedResource(
	_ context.Context, req *conformancev1.PromptWithEmbeddedResourceRequest,
) (*conformancev1.PromptWithEmbeddedResourceResponse, error) {
	return &conformancev1.PromptWithEmbeddedResourceResponse{Messages: []*bridgev1.PromptMessage{
		user(embedded(req.GetResourceUri(), "text/plain", "Embedded resource content for testing.")),
		user(text("Please process the embedded resource above.")),
	}}, nil
}

// PromptWithImage brings a picture along.
func (s *Server) PromptWithImage(context.Context, *conformancev1.PromptWithImageRequest) (*conformancev1.PromptWithImageResponse, error) {
	return &conformancev1.PromptWithImageResponse{Messages: []*bridgev1.PromptMessage{
		user(image()),
		user(text("Please analyze the image above.")),
	}}, nil
}

// ExtraPrompt is a prompt that is not always on offer.
func (s *Server) ExtraPrompt(context.Context, *conformancev1.ExtraPromptRequest) (*bridgev1.PromptMessage, error) {
	return user(text("This prompt is not always on offer.")), nil
}
