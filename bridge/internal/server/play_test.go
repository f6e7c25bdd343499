package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// plays reports whether a method streams or asks by the script.
func plays(method protoreflect.MethodDescriptor, does string) bool {
	switch does {
	case "stream", "silent":
		return false
	}
	return method.IsStreamingClient() || method.IsStreamingServer() || strings.Contains(does, " | ")
}

// play plays a line of the script with several steps, " | " between them: a reply
// in ProtoJSON, "wait 2s", "each {…}" for one reply to each request, "many 5 {…}"
// for so many replies, "garbage", "hangs", "asks {…}" for an InputRequired in ProtoJSON, unless the
// call has the answers already, or a status with which it ends. The state of a
// question is its number, from 1.
func (b *scripted) play(name string, stream grpc.ServerStream, method protoreflect.MethodDescriptor) error {
	requests, err := b.requests(name, stream, method)
	if err != nil {
		return err
	}
	answers := b.answers(stream, requests)
	asked := 0
	for step := range strings.SplitSeq(b.does(name), " | ") {
		if question, ok := strings.CutPrefix(step, "asks "); ok {
			if asked++; asked > answered(answers) {
				return asks(asked, question)
			}
			continue
		}
		if err := b.step(name, stream, method, step, len(requests)); err != nil {
			return err
		}
	}
	return nil
}

// requests reads and notes all requests of a call.
func (b *scripted) requests(name string, stream grpc.ServerStream, method protoreflect.MethodDescriptor) ([]*dynamicpb.Message, error) {
	var requests []*dynamicpb.Message
	for {
		request := dynamicpb.NewMessage(method.Input())
		err := stream.RecvMsg(request)
		if errors.Is(err, io.EOF) {
			return requests, nil
		}
		if err != nil {
			return nil, err
		}
		b.note("%s %s", name, compact(request))
		if requests = append(requests, request); !method.IsStreamingClient() {
			return requests, nil
		}
	}
}

// answers returns and notes what a call knows of its client: in its metadata, or
// in the field of the first request.
func (b *scripted) answers(stream grpc.ServerStream, requests []*dynamicpb.Message) *bridgev1.InputResponses {
	if c := ask.Capabilities(stream.Context()); !proto.Equal(c, &bridgev1.ClientCapabilities{}) {
		b.note("the client can %s", compact(c))
	}
	in := &bridgev1.InputResponses{}
	md, _ := metadata.FromIncomingContext(stream.Context())
	for _, value := range md.Get(ask.ResponsesKey) {
		if proto.Unmarshal([]byte(value), in) == nil {
			b.note("its answers are %s", compact(in))
		}
	}
	if len(requests) > 0 {
		if fd := requests[0].Descriptor().Fields().ByName("answers"); fd != nil {
			wire, _ := proto.Marshal(requests[0].Get(fd).Message().Interface())
			_ = proto.Unmarshal(wire, in)
		}
	}
	return in
}

// answered is the number of the question that the answers are to.
func answered(in *bridgev1.InputResponses) int {
	n, _ := strconv.Atoi(string(in.GetState()))
	return n
}

// asks is the status by which a backend asks.
func asks(number int, question string) error {
	in := &bridgev1.InputRequired{}
	if err := protojson.Unmarshal([]byte(question), in); err != nil {
		return err
	}
	in.State = []byte(strconv.Itoa(number))
	st, err := status.New(codes.FailedPrecondition, "more has to be known").WithDetails(in)
	if err != nil {
		return err
	}
	return st.Err()
}

// step plays one step.
func (b *scripted) step(name string, stream grpc.ServerStream, method protoreflect.MethodDescriptor, step string, requests int) error {
	word, rest, _ := strings.Cut(step, " ")
	count := 1
	switch word {
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		time.Sleep(d)
		return nil
	case "hangs":
		<-stream.Context().Done()
		b.note("%s was cancelled", name)
		return stream.Context().Err()
	case "garbage":
		return stream.SendMsg(raw(method.Output(), "\x0a\x01"))
	case "nothing":
		return nil
	case "each":
		step, count = rest, requests
	case "many":
		number, text, _ := strings.Cut(rest, " ")
		count, _ = strconv.Atoi(number)
		step = text
	}
	if !strings.HasPrefix(step, "{") {
		return scriptedStatus(step)
	}
	for i := range count {
		reply := dynamicpb.NewMessage(method.Output())
		if err := protojson.Unmarshal([]byte(strings.ReplaceAll(step, "$i", strconv.Itoa(i+1))), reply); err != nil {
			return err
		}
		if err := stream.SendMsg(reply); err != nil {
			return err
		}
	}
	return nil
}

// sealed is a requestState in a message.
var sealed = regexp.MustCompile(`"requestState":"([^"]*)"`)

// told is a message as the transcript has it: what is another one each time has a
// name.
func (p *player) told(text string) string {
	var msg struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal([]byte(text), &msg); err == nil && msg.ID != nil && msg.Method != "" {
		p.questions = append(p.questions, string(msg.ID))
		text = strings.Replace(text, string(msg.ID), fmt.Sprintf("%q", fmt.Sprintf("$ask-%d", len(p.questions))), 1)
	}
	if m := sealed.FindStringSubmatch(text); m != nil {
		p.states = append(p.states, m[1])
		text = strings.Replace(text, m[1], fmt.Sprintf("$state-%d", len(p.states)), 1)
	}
	for i, id := range p.questions { // in notifications/cancelled
		text = strings.ReplaceAll(text, id, fmt.Sprintf(`"$ask-%d"`, i+1))
	}
	return text
}

// filledIn is a line of the client with what the names stand for.
func (p *player) filledIn(text string) string {
	for i := len(p.questions) - 1; i >= 0; i-- {
		text = strings.ReplaceAll(text, fmt.Sprintf(`"$ask-%d"`, i+1), p.questions[i])
	}
	for i := len(p.states) - 1; i >= 0; i-- {
		text = strings.ReplaceAll(text, fmt.Sprintf("$state-%d", i+1), p.states[i])
	}
	return text
}
