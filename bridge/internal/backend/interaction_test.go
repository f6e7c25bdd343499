package backend_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/mcpgrpc/bridge/bridge/ask"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestInteraction: what a call tells of its client arrives as ask reads it, and nothing arrives where nothing is told.
func TestInteraction(t *testing.T) {
	t.Parallel()
	capabilities, err := proto.Marshal(&bridgev1.ClientCapabilities{Form: true})
	if err != nil {
		t.Fatal(err)
	}
	responses, err := proto.Marshal(&bridgev1.InputResponses{State: []byte("at 3"), Responses: []*bridgev1.InputResponse{{Key: "agree"}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		told *backend.Interaction
		keys []string
	}{
		"nothing":      {nil, nil},
		"empty":        {&backend.Interaction{}, nil},
		"capabilities": {&backend.Interaction{Capabilities: capabilities}, []string{ask.CapabilitiesKey}},
		"both":         {&backend.Interaction{Capabilities: capabilities, Responses: responses}, []string{ask.CapabilitiesKey, ask.ResponsesKey}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memory()
			var keys []string
			var state []byte
			var can *bridgev1.ClientCapabilities
			s := start(t, l, func(ctx context.Context, _ *dynamicpb.Message) (proto.Message, error) {
				md, _ := metadata.FromIncomingContext(ctx)
				for _, key := range []string{ask.CapabilitiesKey, ask.ResponsesKey} {
					if len(md[key]) > 0 {
						keys = append(keys, key)
					}
				}
				state, can = ask.FromContext(ctx).State(), ask.Capabilities(ctx)
				return compile(t).message("Answer", ""), nil
			})
			ctx := t.Context()
			if tt.told != nil {
				ctx = backend.WithInteraction(ctx, *tt.told)
			}
			if _, f := newBackend(t, backend.Config{Conn: dial(t, l)}).Unary(ctx, s.method("Do"), nil); f != nil {
				t.Fatal(f)
			}
			if diff := cmp.Diff(tt.keys, keys); diff != "" {
				t.Error(diff)
			}
			if can.GetForm() != (len(tt.keys) > 0) || (len(tt.keys) > 1) != (string(state) == "at 3") {
				t.Errorf("capabilities %v, state %q", can, state)
			}
		})
	}
}

// TestLargeResponses: answers that metadata cannot hold are not sent, and the way out is told.
func TestLargeResponses(t *testing.T) {
	t.Parallel()
	conn := &script{errs: []error{nil}}
	b, do := newBackend(t, backend.Config{Conn: conn}), compile(t).method("Do")
	ctx := backend.WithInteraction(t.Context(), backend.Interaction{Responses: bytes.Repeat([]byte("x"), ask.MaxResponsesBytes)})
	if _, f := b.Unary(ctx, do, nil); f != nil {
		t.Error(f)
	}
	ctx = backend.WithInteraction(t.Context(), backend.Interaction{Responses: bytes.Repeat([]byte("x"), ask.MaxResponsesBytes+1)})
	_, f := b.Unary(ctx, do, nil)
	check(t, f, codes.FailedPrecondition, backend.NotExecuted)
	contains(t, f, "a field of the type bridge.v1.InputResponses")
	if conn.calls != 1 || f.Input != nil {
		t.Errorf("%d calls, %+v", conn.calls, f)
	}
}

// TestInputRequired: a backend that asks has done nothing and has not failed; a status that does not ask is a failure as ever.
func TestInputRequired(t *testing.T) {
	t.Parallel()
	question := &bridgev1.InputRequired{State: []byte("s"), Requests: []*bridgev1.InputRequest{ask.Form("agree", "Agreed?", ask.Bool("yes"))}}
	broken := status.FromProto(status.New(codes.FailedPrecondition, "closed").Proto()).Proto()
	broken.Details = []*anypb.Any{{TypeUrl: "type.googleapis.com/bridge.v1.InputRequired", Value: []byte{0xff}}}
	for name, tt := range map[string]struct {
		err  error
		want *bridgev1.InputRequired
		code codes.Code
		said string
	}{
		"asks": {
			ask.RequireWithState([]byte("s"), question.GetRequests()...), question, codes.FailedPrecondition,
			"FAILED_PRECONDITION: the client is asked for agree",
		},
		"behind another": {
			detailed(t, codes.FailedPrecondition, &errdetails.ErrorInfo{Reason: "R"}, question), question, codes.FailedPrecondition,
			"FAILED_PRECONDITION: so it is",
		},
		"another code": {
			detailed(t, codes.Aborted, question), nil, codes.Aborted,
			"ABORTED: the backend asks something with the status ABORTED, and can ask with FAILED_PRECONDITION alone: so it is",
		},
		"refuses": {
			detailed(t, codes.FailedPrecondition, &errdetails.ErrorInfo{Reason: "R"}), nil, codes.FailedPrecondition,
			"FAILED_PRECONDITION: so it is",
		},
		"unreadable": {
			status.FromProto(broken).Err(), nil, codes.FailedPrecondition,
			"FAILED_PRECONDITION: the backend asks something, and the bridge.v1.InputRequired of its status cannot be decoded: closed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memory()
			s := start(t, l, func(context.Context, *dynamicpb.Message) (proto.Message, error) { return nil, tt.err })
			b := newBackend(t, backend.Config{Conn: dial(t, l)})
			_, f := b.Unary(t.Context(), s.method("Read"), nil)
			outcome := backend.Executed
			if tt.want != nil {
				outcome = backend.NotExecuted
			}
			check(t, f, tt.code, outcome)
			contains(t, f, tt.said)
			if diff := cmp.Diff(tt.want, f.Input, protocmp.Transform()); diff != "" {
				t.Error(diff)
			}
			if n := s.executions.Load(); n != 1 {
				t.Errorf("%d calls", n)
			}
			for _, d := range f.Details {
				if d.Type == "bridge.v1.InputRequired" {
					t.Errorf("the question is shown as %s", d.JSON)
				}
			}
		})
	}
}

// detailed is a status with details.
func detailed(t *testing.T, code codes.Code, details ...protoadapt.MessageV1) error {
	t.Helper()
	st, err := status.New(code, "so it is").WithDetails(details...)
	if err != nil {
		t.Fatal(err)
	}
	return st.Err()
}
