package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/rules"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// target is the method behind a tool, a resource or a prompt.
type target struct {
	method  protoreflect.MethodDescriptor
	backend *backend.Backend
	codec   *transcode.Codec
	output  *content.Output
	// needs are what the client must be able to do.
	needs []string
	// reloads says that the method changes what its backend offers.
	reloads bool
	// rules are those that requests have to keep; nil for none.
	rules *rules.Checker
	// stream says which sides stream; nil for none.
	stream *catalog.Stream
}

// collects reports whether the method sends a stream, of which the result is made.
func (t *target) collects() bool { return t.stream != nil && t.stream.Server }

// toolTarget is the method behind a tool.
func toolTarget(t *catalog.Tool) target {
	return target{t.Method, t.Backend, t.Codec, t.Output, t.RequiredCapabilities, t.ReloadAfter, t.Rules, t.Stream}
}

// readingTarget is the method by which a resource is read.
func readingTarget(r *catalog.Reading) target {
	return target{r.Method, r.Backend, r.Codec, r.Output, r.RequiredCapabilities, r.ReloadAfter, r.Rules, nil}
}

// promptTarget is the method that renders a prompt.
func promptTarget(p *catalog.Prompt) target {
	return target{p.Method, p.Backend, p.Codec, p.Output, p.RequiredCapabilities, p.ReloadAfter, p.Rules, nil}
}

// lacks returns the first capability that the target needs and the client did
// not declare; "" for none.
func (t *target) lacks(capabilities []byte) string {
	for _, path := range t.needs {
		if !mcp.HasCapability(capabilities, path) {
			return path
		}
	}
	return ""
}

// lackText says which capability is missing to a client of the legacy era, which
// has no error code for it.
func lackText(path string) string {
	return fmt.Sprintf("needs a client with the capability %s, which this one did not declare in initialize", path)
}

// invoke takes arguments to the backend of a unary method and returns its reply:
// JSON to wire bytes, the rules of the API, the call, wire bytes. What the backend
// offers is read again behind a call that may have changed it. The reply may be
// freed by who has nothing left of it, as blocks of content may be.
func (s *Server) invoke(c *call, arguments []byte) (reply mem.Buffer, err error) {
	t := &c.target
	wire, err := s.wireOf(t.codec, arguments)
	if err != nil {
		return nil, err
	}
	c.request.noteArguments(t, wire)
	if err := s.keepsRules(c, wire); err != nil {
		return nil, err
	}
	err = s.converse(c, func(ctx context.Context, answers *bridgev1.InputResponses) (failure *backend.Failure) {
		reply, failure = t.backend.UnaryBuffer(ctx, t.method, c.answered(wire, answers))
		return failure
	})
	if err != nil {
		return nil, err
	}
	s.changed(t)
	return reply, nil
}

// changed has what the backend offers read again, where the call may have changed
// it.
func (s *Server) changed(t *target) {
	if t.reloads && s.reload != nil {
		s.reload()
	}
}

// longArguments is the length, in bytes, from which arguments are made wire bytes in
// a buffer that is used again: what is reserved in vain for shorter ones is worth less.
const longArguments = 1 << 10

// wireOf returns the request that the arguments stand for, in a slice of its own,
// which the transport may read even after the call. Wire bytes are shorter than
// their JSON, as a rule, often by half: long ones are copied to where they fit.
func (s *Server) wireOf(codec *transcode.Codec, arguments []byte) ([]byte, error) {
	if len(arguments) < longArguments {
		return codec.AppendWire(make([]byte, 0, len(arguments)), arguments)
	}
	scratch := s.borrow()
	defer s.giveBack(scratch)
	wire, err := codec.AppendWire((*scratch)[:0], arguments)
	if err != nil {
		return nil, err
	}
	*scratch = wire
	return slices.Clone(wire), nil
}

// keepsRules returns what rules of the API a request breaks. Rules that cannot be
// checked are no fault of the client's: the request is for the backend to judge,
// and the operator is told once. So it is with a rule that is left out because it
// cannot be compiled.
//
// The check has as much time as the call. A request whose own time ends while it
// lasts goes on to the backend's side, which knows how such a call is told of and
// does not send it.
func (s *Server) keepsRules(c *call, wire []byte) error {
	if c.target.rules == nil {
		return nil
	}
	ctx, cancel := context.WithDeadlineCause(c.request.ctx, c.started.Add(c.target.backend.Deadline()), errRulesTooSlow)
	defer cancel()
	err := c.target.rules.Check(ctx, wire)
	for _, rule := range c.target.rules.LeftOut() {
		s.log.WarnContext(c.request.ctx, "requests are not held against a rule of the API; mend the rule in the .proto",
			"method", c.target.method.FullName(), "error", rule)
	}
	var broken *rules.Violations
	switch {
	case err == nil || errors.As(err, &broken):
		return err
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return unchecked(ctx, c.target.backend.Deadline())
	}
	if !c.target.rules.Faulted() {
		s.log.WarnContext(c.request.ctx, "a request is not held against the rules of the API, "+
			"one of which cannot be evaluated; mend the rule in the .proto", "method", c.target.method.FullName(), "error", err)
	}
	return nil
}

// errRulesTooSlow is why a check ended that took all the time of its call.
var errRulesTooSlow = errors.New("the rules could not be checked in time")

// unchecked is the failure of a call whose check was ended by ctx; nil where it
// was not the deadline of the call that ended it.
func unchecked(ctx context.Context, deadline time.Duration) error {
	if !errors.Is(context.Cause(ctx), errRulesTooSlow) {
		return nil
	}
	return &backend.Failure{
		Code: codes.DeadlineExceeded,
		Message: fmt.Sprintf("the rules of the API could not be checked within the deadline of %v "+
			"(deadline of its backend, or --deadline)", deadline),
		Execution: backend.NotExecuted,
	}
}

// call is one call of a target on behalf of a request.
type call struct {
	request *request
	target  target
	started time.Time
	// attempted is when the backend was called last, from which its deadline counts:
	// who is asked before takes as long as he likes.
	attempted time.Time
	// progress tells how far it has come; nil for nobody.
	progress *progress
	// bare says that no message is sent.
	bare bool
}

// start begins a call.
func (r *request) start(t target) *call { return &call{request: r, target: t, started: time.Now()} }

// path is the method as gRPC writes it.
func (c *call) path() string {
	return "/" + string(c.target.method.Parent().FullName()) + "/" + string(c.target.method.Name())
}

// measure returns a measure for the result of the call.
func (c *call) measure() measure {
	return measure{features: c.request.scope.Features, limit: c.target.codec.MaxResult()}
}
