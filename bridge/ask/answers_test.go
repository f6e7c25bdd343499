package ask_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// answered is an answer to a form or a page.
func answered(key string, action bridgev1.ElicitationAction, content *structpb.Struct) *bridgev1.InputResponse {
	return &bridgev1.InputResponse{Key: key, Response: &bridgev1.InputResponse_Elicitation{
		Elicitation: &bridgev1.ElicitationResult{Action: action, Content: content},
	}}
}

// responses are an answer of each kind, and two users who do not agree.
func responses() *bridgev1.InputResponses {
	text := func(s string) *bridgev1.Content {
		return &bridgev1.Content{Block: &bridgev1.Content_Text{Text: &bridgev1.TextContent{Text: s}}}
	}
	picture := &bridgev1.Content{Block: &bridgev1.Content_Image{Image: &bridgev1.ImageContent{Data: []byte("x")}}}
	return &bridgev1.InputResponses{
		State: []byte("mine"),
		Responses: []*bridgev1.InputResponse{
			answered("form", bridgev1.ElicitationAction_ELICITATION_ACTION_ACCEPT, &structpb.Struct{
				Fields: map[string]*structpb.Value{"sure": structpb.NewBoolValue(true)},
			}),
			answered("no", bridgev1.ElicitationAction_ELICITATION_ACTION_DECLINE, nil),
			answered("perhaps", bridgev1.ElicitationAction_ELICITATION_ACTION_CANCEL, nil),
			{Key: "model", Response: &bridgev1.InputResponse_Sampling{Sampling: &bridgev1.SamplingResult{
				Content: []*bridgev1.Content{text("a"), picture, text("b")},
			}}},
			{Key: "picture", Response: &bridgev1.InputResponse_Sampling{Sampling: &bridgev1.SamplingResult{
				Content: []*bridgev1.Content{picture},
			}}},
			{Key: "roots", Response: &bridgev1.InputResponse_Roots{Roots: &bridgev1.RootsResult{
				Roots: []*bridgev1.Root{{Uri: "file:///a", Name: "A"}},
			}}},
			{Key: "nowhere", Response: &bridgev1.InputResponse_Roots{Roots: &bridgev1.RootsResult{}}},
		},
	}
}

// incoming is the context of a handler whose call has the values of one key of metadata.
func incoming(t *testing.T, key string, values ...string) context.Context {
	t.Helper()
	md := metadata.MD{}
	md.Append(key, values...)
	return metadata.NewIncomingContext(t.Context(), md)
}

func marshal(t *testing.T, m proto.Message) string {
	t.Helper()
	wire, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(wire)
}

// TestAnswers: answers read the same from a field and from metadata, and each getter says nothing of what is of another kind.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for place, a := range map[string]ask.Answers{
		"field":    ask.From(responses()),
		"metadata": ask.FromContext(incoming(t, ask.ResponsesKey, marshal(t, responses()))),
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			if string(a.State()) != "mine" {
				t.Errorf("state %q", a.State())
			}
			for key, want := range map[string]struct {
				has, accepted, sampled, rooted bool
			}{
				"form":    {has: true, accepted: true},
				"no":      {has: true},
				"perhaps": {has: true},
				"model":   {has: true, sampled: true},
				"picture": {has: true},
				"roots":   {has: true, rooted: true},
				"nowhere": {has: true, rooted: true},
				"other":   {},
			} {
				_, accepted := a.Form(key)
				_, sampled := a.Text(key)
				_, rooted := a.Roots(key)
				if a.Has(key) != want.has || a.Accepted(key) != want.accepted || accepted != want.accepted ||
					sampled != want.sampled || rooted != want.rooted {
					t.Errorf("%s: has %t, accepted %t and %t, sampled %t, rooted %t",
						key, a.Has(key), a.Accepted(key), accepted, sampled, rooted)
				}
			}
		})
	}
}

// TestAnswerValues: what users, models and clients said.
func TestAnswerValues(t *testing.T) {
	t.Parallel()
	a := ask.From(responses())
	if fields, _ := a.Form("form"); !fields.GetFields()["sure"].GetBoolValue() {
		t.Errorf("the form has %v", fields)
	}
	if text, _ := a.Text("model"); text != "a\nb" {
		t.Errorf("the model wrote %q", text)
	}
	roots, _ := a.Roots("roots")
	if diff := cmp.Diff([]*bridgev1.Root{{Uri: "file:///a", Name: "A"}}, roots, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

// TestNoAnswers: a call without answers, with unreadable ones or with two values for one key has none.
func TestNoAnswers(t *testing.T) {
	t.Parallel()
	whole := marshal(t, responses())
	for name, a := range map[string]ask.Answers{
		"the zero value":   {},
		"no field":         ask.From(nil),
		"no metadata":      ask.FromContext(t.Context()),
		"broken metadata":  ask.FromContext(incoming(t, ask.ResponsesKey, whole[:len(whole)-1])),
		"metadata twice":   ask.FromContext(incoming(t, ask.ResponsesKey, whole, whole)),
		"another metadata": ask.FromContext(incoming(t, ask.CapabilitiesKey, whole)),
	} {
		if a.Has("form") || a.Accepted("form") || a.State() != nil {
			t.Errorf("%s: there are answers", name)
		}
	}
}

// TestCapabilities: what the metadata says; nothing where it says nothing or cannot be read.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	both := &bridgev1.ClientCapabilities{Form: true, Roots: true}
	for name, c := range map[string]struct {
		ctx  context.Context
		want *bridgev1.ClientCapabilities
	}{
		"said":   {incoming(t, ask.CapabilitiesKey, marshal(t, both)), both},
		"broken": {incoming(t, ask.CapabilitiesKey, "\xff"), &bridgev1.ClientCapabilities{}},
		"none":   {t.Context(), &bridgev1.ClientCapabilities{}},
	} {
		if diff := cmp.Diff(c.want, ask.Capabilities(c.ctx), protocmp.Transform()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
