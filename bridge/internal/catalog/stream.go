package catalog

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// Stream says how the messages of a streaming method stand in arguments and results. Requests that are streamed are the
// elements of the argument `messages`, responses those of `items` in the result.
type Stream struct {
	// Client and Server say which side sends a stream; at least one of them does.
	Client, Server bool
	// LastOnly says that the result is the last response alone.
	LastOnly bool
	// MaxMessages and MaxBytes bound what is collected of the responses, in messages and in bytes of JSON; 0: as configured.
	MaxMessages, MaxBytes int
	// Events tells what among the responses is no data. Never nil.
	Events *interaction.Events
}

// String tells of a stream, by values alone; of nil it says "unary".
func (s *Stream) String() string {
	if s == nil {
		return "unary"
	}
	return fmt.Sprintf("client=%t server=%t last=%t messages=%d bytes=%d events=%t",
		s.Client, s.Server, s.LastOnly, s.MaxMessages, s.MaxBytes, !s.Events.None())
}

// stream reads the option of that name; nil for a unary method.
func (m *maker) stream() *Stream {
	given, method := m.options.GetStream(), m.method
	if given != nil && !method.IsStreamingServer() {
		m.faultf("stream does nothing: it is about the responses of server streams, and the method sends one")
	}
	if streaming(method) == "" {
		return nil
	}
	s := &Stream{Client: method.IsStreamingClient(), Server: method.IsStreamingServer(), Events: m.events}
	if s.Server {
		s.LastOnly = given.GetLastOnly()
		s.MaxMessages = m.bound("max_messages", given.GetMaxMessages())
		s.MaxBytes = m.bound("max_bytes", given.GetMaxBytes())
	}
	return s
}

// bound reads a bound of a stream.
func (m *maker) bound(name string, given int32) int {
	if given < 0 {
		m.faultf("stream.%s is ignored: it is %d, and a bound is at least 1, or 0 for the configured one", name, given)
		return 0
	}
	return int(given)
}

// lists says that the result is a list of responses.
func (m *maker) lists() bool {
	return m.method.IsStreamingServer() && !m.options.GetStream().GetLastOnly()
}

// results describes the result.
func (m *maker) results(s *Stream) schema.Schema {
	if s != nil && s.Server && !s.LastOnly {
		return m.source.generator.OutputStream(m.method.Output(), m.omit())
	}
	return m.source.generator.Output(m.method.Output(), m.omit())
}

// required names the arguments that a call must have.
func (m *maker) required() []string {
	if m.method.IsStreamingClient() {
		return []string{schema.MessagesKey}
	}
	return required(m.arguments)
}

// narrowing names the arguments that make a result smaller; those in the messages of a stream are not told.
func (m *maker) narrowing() []string {
	if m.method.IsStreamingClient() {
		return nil
	}
	return narrowing(m.arguments)
}

// takes says what the method takes.
func (m *maker) takes() string {
	if !m.method.IsStreamingClient() {
		return takes(m.method, m.arguments)
	}
	return schema.MessagesKey + " (required), a list; each has " + takes(m.method, m.arguments)
}

// returns says what the method returns.
func (m *maker) returns() string {
	one := returns(m.method)
	switch {
	case m.lists() && shape.KindOf(m.method.Output()) == shape.Empty:
		return "a list of empty messages"
	case m.lists():
		return "a list of " + one
	case m.method.IsStreamingServer() && shape.KindOf(m.method.Output()) != shape.Empty:
		return "the last " + one
	}
	return one
}

// streamed is the sentence by which a comment, which seldom says so, becomes clear about a stream; "" for a unary method.
func (m *maker) streamed() string {
	var sentence string
	if m.method.IsStreamingClient() {
		sentence = " Takes a list of " + string(m.method.Input().Name()) + "."
	}
	if m.method.IsStreamingServer() {
		sentence += " Returns " + m.returns() + "."
	}
	return sentence
}

// describedStream is what is derived as the description of a tool.
func (m *maker) describedStream() string {
	text, more := described(m.said, m.calls()), m.streamed()
	if more == "" || strings.Contains(text, "Calls "+string(m.method.FullName())+". ") {
		return text
	}
	return annotation.Cut(text, maxDescription-len(more)) + more
}

// unaryOnly tells that a streaming method is no resource and no prompt.
func (m *maker) unaryOnly(sort string) {
	if len(m.options.GetResources()) > 0 {
		m.faultf("no resource is offered: the method is %s, and only a unary one is read as a resource; set tool to have it called", sort)
	}
	if m.options.GetPrompt() != nil {
		m.faultf("the prompt is not offered: the method is %s, and only a unary one is rendered as a prompt; set tool to have it called", sort)
	}
}

// toolsOnly tells which options of a method that is no tool are for tools.
func (m *maker) toolsOnly() {
	o := m.options
	for _, option := range []struct {
		name  string
		given bool
	}{
		{"close_stream_after", o.GetCloseStreamAfter() != nil}, {"stream", o.GetStream() != nil}, {"task", o.GetTask() != 0},
	} {
		if option.given {
			m.faultf("%s does nothing: it is for calls of tools, and the method is none; set tool too", option.name)
		}
	}
}

// responsesField finds the direct field of a request for answers; nil for none.
func responsesField(md protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	for i := range md.Fields().Len() {
		if fd := md.Fields().Get(i); annotation.IsResponses(fd) {
			return fd
		}
	}
	return nil
}
