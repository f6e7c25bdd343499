package backend

import (
	"context"
	"fmt"

	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Interaction is what a call tells its backend of the client, in its metadata. The slices must not be written to.
type Interaction struct {
	// Capabilities is a bridge.v1.ClientCapabilities in wire format, what the client can be asked for; nil for nothing.
	Capabilities []byte
	// Responses is a bridge.v1.InputResponses in wire format, the client's answers; nil where there are none, and where the
	// request has a field for them.
	Responses []byte
}

type interactionKey struct{}

// WithInteraction returns a context whose calls tell their backend of the client.
func WithInteraction(ctx context.Context, i Interaction) context.Context {
	return context.WithValue(ctx, interactionKey{}, i)
}

// interact adds what [WithInteraction] has noted to the metadata of a call.
func interact(ctx context.Context, out *outgoing) *Failure {
	i, ok := ctx.Value(interactionKey{}).(Interaction)
	if !ok {
		return nil
	}
	if n := len(i.Responses); n > ask.MaxResponsesBytes {
		return &Failure{
			Code: codes.FailedPrecondition,
			Message: fmt.Sprintf("the answers take %d bytes, and metadata holds %d of them: "+
				"the backend's request needs a field of the type bridge.v1.InputResponses for more", n, ask.MaxResponsesBytes),
			Execution: NotExecuted,
		}
	}
	if i.Capabilities != nil {
		out.set(ask.CapabilitiesKey, string(i.Capabilities))
	}
	if i.Responses != nil {
		out.set(ask.ResponsesKey, string(i.Responses))
	}
	return nil
}

// AskedLate makes a question that comes when the call has begun already the failure of that call, which it is: to ask is for a
// backend that has done nothing yet.
func (f *Failure) AskedLate() {
	f.Code, f.Input, f.Execution, f.Retryable = codes.Internal, nil, Executed, false
	f.Message = clean("the backend asks something after it has begun, which it has to do before: "+f.Message, maxMessage)
}

// inputRequired finds what a backend asks for in the details of a status; nil for nothing. The fault, "" for none, says why a
// detail that is there asks for nothing, for the author of the backend.
func inputRequired(st *status.Status) (in *bridgev1.InputRequired, fault string) {
	for _, detail := range st.GetDetails() {
		if typeName(detail.GetTypeUrl()) != inputRequiredName {
			continue
		}
		if code := codes.Code(st.GetCode()); code != ask.Code {
			return nil, fmt.Sprintf("the backend asks something with the status %s, and can ask with %s alone", codeName(code), codeName(ask.Code))
		}
		in := &bridgev1.InputRequired{}
		if err := proto.Unmarshal(detail.GetValue(), in); err == nil {
			return in, ""
		}
		fault = "the backend asks something, and the " + inputRequiredName + " of its status cannot be decoded"
	}
	return nil, fault
}

// inputRequiredName is the type of the detail by which a backend asks.
const inputRequiredName = "bridge.v1.InputRequired"
