package ask

import (
	"context"
	"strings"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// The metadata of a call that the bridge makes.
const (
	// ResponsesKey is the key of a [bridgev1.InputResponses] in binary form, where
	// the request has no field of that type.
	ResponsesKey = "bridge-input-responses-bin"
	// CapabilitiesKey is the key of a [bridgev1.ClientCapabilities] in binary form.
	CapabilitiesKey = "bridge-client-capabilities-bin"
	// MaxResponsesBytes bounds the value of ResponsesKey: 6 KiB, since many servers
	// take no more than 8 KiB of metadata. Longer answers need a field.
	MaxResponsesBytes = 6 << 10
)

// Answers are what the client has answered. Their methods are safe for concurrent
// use, and say "nothing" for a key that was not answered or asked for another
// kind of thing.
type Answers struct {
	state []byte
	byKey map[string]*bridgev1.InputResponse
}

// From returns the answers in a field of a request; nil is none.
func From(in *bridgev1.InputResponses) Answers {
	a := Answers{state: in.GetState(), byKey: map[string]*bridgev1.InputResponse{}}
	for _, r := range in.GetResponses() {
		a.byKey[r.GetKey()] = r
	}
	return a
}

// FromContext returns the answers in the metadata of the call that ctx is of,
// where the request has no field for them. Metadata that cannot be read is none.
func FromContext(ctx context.Context) Answers {
	var in bridgev1.InputResponses
	if !fromMetadata(ctx, ResponsesKey, &in) {
		return From(nil)
	}
	return From(&in)
}

// Capabilities returns what the client of the call can be asked for; never nil. A
// call that does not come through the bridge has a client that can be asked for
// nothing.
func Capabilities(ctx context.Context) *bridgev1.ClientCapabilities {
	var c bridgev1.ClientCapabilities
	if !fromMetadata(ctx, CapabilitiesKey, &c) {
		return &bridgev1.ClientCapabilities{}
	}
	return &c
}

func fromMetadata(ctx context.Context, key string, m proto.Message) bool {
	values := metadata.ValueFromIncomingContext(ctx, key)
	return len(values) == 1 && proto.Unmarshal([]byte(values[0]), m) == nil
}

// State returns what the handler gave to [RequireWithState]; nil for nothing.
func (a Answers) State() []byte { return a.state }

// Has reports whether a question was answered, be it with no.
func (a Answers) Has(key string) bool { return a.byKey[key] != nil }

// Accepted reports whether the user agreed: filled in the form, or went to the
// page.
func (a Answers) Accepted(key string) bool {
	return a.byKey[key].GetElicitation().GetAction() == bridgev1.ElicitationAction_ELICITATION_ACTION_ACCEPT
}

// Form returns what the user filled in, and whether a form was accepted.
func (a Answers) Form(key string) (fields *structpb.Struct, accepted bool) {
	return a.byKey[key].GetElicitation().GetContent(), a.Accepted(key)
}

// Text returns the texts that the client's model wrote, with a line end between
// them, and whether there are any.
func (a Answers) Text(key string) (text string, ok bool) {
	var lines []string
	for _, c := range a.byKey[key].GetSampling().GetContent() {
		if t := c.GetText(); t != nil {
			lines = append(lines, t.GetText())
		}
	}
	return strings.Join(lines, "\n"), len(lines) > 0
}

// Roots returns the places in which the client works, and whether they are known.
func (a Answers) Roots(key string) (roots []*bridgev1.Root, ok bool) {
	r := a.byKey[key].GetRoots()
	return r.GetRoots(), r != nil
}
