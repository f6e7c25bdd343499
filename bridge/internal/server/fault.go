package server

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/rules"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// faultKind says whose the fault of a call is.
type faultKind uint8

const (
	// faultBridge is ours: it is logged, and nobody else learns more than that.
	faultBridge faultKind = iota
	// faultArgument is an argument that does not fit the request message, or
	// breaks a rule of the API.
	faultArgument
	// faultBackend is a status of gRPC.
	faultBackend
	// faultTooLarge is a reply or a result over a limit.
	faultTooLarge
	// faultReply is a reply that does not fit the descriptors.
	faultReply
	// faultQuestion is none: the backend has to know more first.
	faultQuestion
	// faultRefused is one that the client's program has to mend.
	faultRefused
)

// fault is the error of a call, sorted.
type fault struct {
	kind faultKind
	// code is the name of a gRPC status code, such as NOT_FOUND.
	code string
	// text says what is wrong; not of a faultBackend.
	text string
	// failure is that of a faultBackend.
	failure *backend.Failure
	// streams says that a stream was ended for it, while the backend was at work.
	streams bool
	// question is that of a faultQuestion, refused the error of a faultRefused.
	question *question
	refused  *jsonrpc.Error
}

// sort sorts the error of a call, here and nowhere else, and logs what is the
// operator's to mend.
func (s *Server) sort(ctx context.Context, t *target, err error) *fault {
	var argument *transcode.ArgumentError
	var broken *rules.Violations
	var failure *backend.Failure
	var asked *question
	var refused *jsonrpc.Error
	var ended *atEnd
	streams := t.collects() && !errors.As(err, &ended)
	switch {
	case errors.As(err, &asked):
		return &fault{kind: faultQuestion, code: "FAILED_PRECONDITION", question: asked}
	case errors.As(err, &refused):
		return &fault{kind: faultRefused, code: "FAILED_PRECONDITION", text: refused.Message, refused: refused}
	case errors.As(err, &failure) && failure.ReplyTooLarge:
		return &fault{kind: faultTooLarge, code: "RESOURCE_EXHAUSTED", text: failure.Message, streams: streams}
	case errors.As(err, &failure):
		return &fault{kind: faultBackend, code: failure.CodeName(), failure: failure}
	case errors.As(err, &argument):
		return argumentFault(argument)
	case errors.As(err, &broken):
		return argumentFault(broken)
	case errors.Is(err, transcode.ErrTooLarge), errors.Is(err, content.ErrTooLarge):
		return &fault{kind: faultTooLarge, code: "RESOURCE_EXHAUSTED", text: err.Error(), streams: streams}
	case errors.Is(err, transcode.ErrReply), errors.Is(err, content.ErrReply):
		s.log.WarnContext(ctx, "a reply does not fit the descriptors; read them again (--reload) or renew them",
			"method", t.method.FullName(), "error", err)
		return &fault{kind: faultReply, code: "INTERNAL", text: err.Error(), streams: streams}
	default:
		s.log.ErrorContext(ctx, "call failed in the bridge", "method", t.method.FullName(), "error", err)
		return &fault{kind: faultBridge, code: "INTERNAL"}
	}
}

// argumentFault is the fault of arguments that err says.
func argumentFault(err error) *fault {
	return &fault{kind: faultArgument, code: "INVALID_ARGUMENT", text: err.Error()}
}

// executed reports whether the backend may have carried out the call.
func (f *fault) executed() bool {
	if f.kind == faultBackend {
		return f.failure.Execution != backend.NotExecuted
	}
	return f.kind != faultArgument && f.kind != faultRefused
}

// ofArguments reports whether the client's arguments are the reason.
func (f *fault) ofArguments() bool {
	return f.kind == faultArgument || f.kind == faultBackend && f.failure.Code == codes.InvalidArgument
}

// notFound reports whether the backend has nothing of the name.
func (f *fault) notFound() bool { return f.kind == faultBackend && f.failure.Code == codes.NotFound }
