package ask

import (
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Code is the status code under which [bridgev1.InputRequired] is a detail.
const Code = codes.FailedPrecondition

// Require returns the error by which a handler asks: a gRPC status of [Code] with
// a [bridgev1.InputRequired] of these requests as its detail. Their keys have to
// differ. Return it before anything has been done: the call is made again.
func Require(requests ...*bridgev1.InputRequest) error { return RequireWithState(nil, requests...) }

// RequireWithState is [Require] with something for the handler to remember: the
// call that brings the answers brings it back, see [Answers.State]. Clients can
// neither read nor change it. At most 16 KiB.
func RequireWithState(state []byte, requests ...*bridgev1.InputRequest) error {
	keys := make([]string, len(requests))
	for i, r := range requests {
		keys[i] = r.GetKey()
	}
	plain := status.New(Code, "the client is asked for "+strings.Join(keys, ", "))
	if len(keys) == 0 {
		plain = status.New(Code, "the call is to be made again")
	}
	rich, err := plain.WithDetails(&bridgev1.InputRequired{Requests: requests, State: state})
	if err != nil {
		return status.Error(codes.Internal, fmt.Sprintf("ask: %v", err))
	}
	return rich.Err()
}

// URL asks the user to visit a page. The bridge makes the id of the visit.
func URL(key, message, url string) *bridgev1.InputRequest {
	return &bridgev1.InputRequest{Key: key, Request: &bridgev1.InputRequest_Url{
		Url: &bridgev1.UrlElicitation{Message: message, Url: url},
	}}
}

// Sample asks the client's model to answer a prompt, with at most maxTokens
// tokens; 0 means 1024.
func Sample(key, prompt string, maxTokens int32) *bridgev1.InputRequest {
	return &bridgev1.InputRequest{Key: key, Request: &bridgev1.InputRequest_Sampling{Sampling: &bridgev1.Sampling{
		Messages: []*bridgev1.PromptMessage{{
			Role:    bridgev1.Role_ROLE_USER,
			Content: &bridgev1.Content{Block: &bridgev1.Content_Text{Text: &bridgev1.TextContent{Text: prompt}}},
		}},
		MaxTokens: maxTokens,
	}}}
}

// Roots asks for the places in which the client works.
func Roots(key string) *bridgev1.InputRequest {
	return &bridgev1.InputRequest{Key: key, Request: &bridgev1.InputRequest_Roots{Roots: &bridgev1.Roots{}}}
}
