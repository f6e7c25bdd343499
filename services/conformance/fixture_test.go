package conformance_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	conformancev1 "github.com/mcpgrpc/bridge/gen/conformance/v1"
	"github.com/mcpgrpc/bridge/services/conformance"
)

// interactions is InteractionService without a wire: its handlers as they were registered.
type interactions struct {
	t    *testing.T
	desc *grpc.ServiceDesc
	impl any
	// operations are those that its methods begin.
	operations longrunningpb.OperationsServer
}

// newInteractions returns the handlers of a server that is closed with the test.
func newInteractions(t *testing.T) *interactions {
	t.Helper()
	i, s := &interactions{t: t}, conformance.New()
	t.Cleanup(s.Close)
	s.Register(i)
	if i.impl == nil {
		t.Fatal("InteractionService is not registered")
	}
	return i
}

// RegisterService implements grpc.ServiceRegistrar.
func (i *interactions) RegisterService(desc *grpc.ServiceDesc, impl any) {
	if operations, ok := impl.(longrunningpb.OperationsServer); ok {
		i.operations = operations
	}
	if desc.ServiceName == conformancev1.InteractionService_ServiceDesc.ServiceName {
		i.desc, i.impl = desc, impl
	}
}

// call is one call of a method.
type call struct {
	method  string
	request string // as ProtoJSON
	answers *bridgev1.InputResponses
	can     *bridgev1.ClientCapabilities
}

// make makes a call as the bridge does, the answers in the request's field or in the metadata, and returns what was sent.
func (i *interactions) make(ctx context.Context, c call) ([]proto.Message, error) {
	i.t.Helper()
	field := inputOf(i.t, c.method).Fields().ByName("answers")
	md := metadata.MD{}
	if c.can != nil {
		md.Set(ask.CapabilitiesKey, i.marshal(c.can))
	}
	if c.answers != nil && field == nil {
		md.Set(ask.ResponsesKey, i.marshal(c.answers))
	}
	ctx = metadata.NewIncomingContext(ctx, md)
	receive := func(into any) error {
		req := into.(proto.Message)
		if c.answers != nil && field != nil {
			req.ProtoReflect().Set(field, protoreflect.ValueOfMessage(c.answers.ProtoReflect()))
		}
		filled := req.ProtoReflect().New().Interface()
		err := protojson.Unmarshal([]byte("{"+c.request+"}"), filled)
		proto.Merge(req, filled)
		return err
	}
	for _, m := range i.desc.Methods {
		if m.MethodName == c.method {
			res, err := m.Handler(i.impl, ctx, receive, nil)
			if err != nil {
				return nil, err
			}
			return []proto.Message{res.(proto.Message)}, nil
		}
	}
	for _, s := range i.desc.Streams {
		if s.StreamName == c.method {
			stream := &stream{ctx: ctx, receive: receive}
			err := s.Handler(i.impl, stream)
			return stream.sent, err
		}
	}
	i.t.Fatalf("there is no handler of %s", c.method)
	return nil, nil
}

func (i *interactions) marshal(m proto.Message) string {
	i.t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		i.t.Fatal(err)
	}
	return string(data)
}

// inputOf is the request of a method.
func inputOf(t *testing.T, method string) protoreflect.MessageDescriptor {
	t.Helper()
	service := conformancev1.File_conformance_v1_interaction_proto.Services().ByName("InteractionService")
	m := service.Methods().ByName(protoreflect.Name(method))
	if m == nil {
		t.Fatalf("there is no method %s", method)
	}
	return m.Input()
}

// stream is a call with a response stream, without a wire.
type stream struct {
	grpc.ServerStream

	ctx     context.Context
	receive func(into any) error
	sent    []proto.Message
}

func (s *stream) Context() context.Context { return s.ctx }

func (s *stream) RecvMsg(into any) error {
	if s.receive == nil {
		return io.EOF
	}
	receive := s.receive
	s.receive = nil
	return receive(into)
}

func (s *stream) SendMsg(m any) error {
	s.sent = append(s.sent, m.(proto.Message))
	return nil
}

// told is what was sent, each message in a word or the text that it holds.
func told(sent []proto.Message) string {
	var words []string
	for _, m := range sent {
		switch m := m.(type) {
		case *bridgev1.Content:
			words = append(words, m.GetText().GetText())
		case interface{ GetContent() *bridgev1.Content }:
			words = append(words, event(m, m.GetContent()))
		default:
			words = append(words, fmt.Sprintf("%T", m))
		}
	}
	return strings.Join(words, "; ")
}

// event is a message of a stream or a prompt.
func event(m any, content *bridgev1.Content) string {
	if logged, ok := m.(interface{ GetLog() *bridgev1.Log }); ok && logged.GetLog() != nil {
		return "log " + logged.GetLog().GetMessage()
	}
	if works, ok := m.(interface{ GetProgress() *bridgev1.Progress }); ok && works.GetProgress() != nil {
		return fmt.Sprintf("progress %v of %v", works.GetProgress().GetProgress(), works.GetProgress().GetTotal())
	}
	return content.GetText().GetText()
}

// asked is what an error asks the client for, and what it has the bridge remember, each question in words.
func asked(t *testing.T, err error) (questions []string, state string) {
	t.Helper()
	details := status.Convert(err).Details()
	if status.Code(err) != ask.Code || len(details) != 1 {
		t.Fatalf("got %v, want a question", err)
	}
	required := details[0].(*bridgev1.InputRequired)
	for _, r := range required.GetRequests() {
		text := "roots"
		switch q := r.GetRequest().(type) {
		case *bridgev1.InputRequest_Form:
			text = "form " + q.Form.GetMessage()
		case *bridgev1.InputRequest_Sampling:
			text = fmt.Sprintf("sampling %s (%d)", q.Sampling.GetMessages()[0].GetContent().GetText().GetText(), q.Sampling.GetMaxTokens())
		}
		questions = append(questions, r.GetKey()+": "+text)
	}
	return questions, string(required.GetState())
}
