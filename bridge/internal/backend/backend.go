// Package backend makes one gRPC call for one tool call: protobuf wire bytes in, wire bytes out, or a [Failure] that
// says what happened in words for a model. It knows deadlines, quotas, outgoing metadata, message limits and status details, and
// nothing of JSON arguments or of MCP.
//
// [Backend.Stream] makes calls of the other kinds, and [Backend.Watch] tells that a message came, and no more.
//
// A call is made once. It is made again, a bounded number of times, only where its method is declared to be repeatable, by
// idempotency_level or [Config].Idempotent, where the backend was UNAVAILABLE, where no message of a stream has arrived, where
// the server does not forbid it (gRFC A6, Pushback), and while the [Throttle] allows; all attempts share the deadline. The
// only repetition that remains below the package is the transparent one of gRPC itself, which is confined to calls that the
// server declared unprocessed.
package backend

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/mcpgrpc/bridge/bridge/internal/limit"
)

// Defaults of a [Config].
const (
	// DefaultDeadline bounds a call whose Config names no deadline: 30 s.
	DefaultDeadline = 30 * time.Second
	// DefaultMaxMessageBytes bounds a message whose Config names no limit: 4 MiB, which is also gRPC's own default.
	DefaultMaxMessageBytes = 4 << 20
)

// Resolver finds the message and extension types of a backend's descriptors, by name or by type URL.
type Resolver interface {
	protoregistry.MessageTypeResolver
	protoregistry.ExtensionTypeResolver
}

// Config describes a backend. The zero value of each field but Conn is usable.
type Config struct {
	// Name tells backends apart in texts and logs.
	Name string
	// Conn is the connection. It must not carry a retry policy: with one, it is no longer ours to say what is repeated. It may
	// be nil where only descriptors are looked at; then each call fails without being sent.
	Conn grpc.ClientConnInterface
	// Deadline bounds each call; an earlier deadline of the caller's stays. Default: DefaultDeadline.
	Deadline time.Duration
	// Headers are metadata that is sent with each call. Keys are folded to lower case. Nothing else is sent but what Forward
	// names, the trace, and what gRPC itself adds.
	Headers metadata.MD
	// Forward are the headers of a client's HTTP request that are sent too, where it has them (see [WithForwarded]), at most
	// MaxForwarded. Nil: none.
	Forward []Forward
	// Limiter bounds the calls of Unary, those of all clients together, and of all Backends that share it. Nil: it does not.
	Limiter *limit.Limiter
	// MaxMessageBytes bounds the request and the reply on the wire. Default: DefaultMaxMessageBytes.
	MaxMessageBytes int
	// HideInternalErrors replaces the texts of INTERNAL, UNKNOWN and DATA_LOSS, which tend to come from the depths of a
	// backend, by a fixed text and an incident id under which the original is logged. Details of transport errors, which
	// name hosts, are left out too.
	HideInternalErrors bool
	// MaxAttempts bounds how often a call is made whose method is repeatable; see the package. 1: once. Default:
	// DefaultMaxAttempts; no more than MaxMaxAttempts.
	MaxAttempts int
	// Idempotent says of a method whether calling it twice does no more than calling it once, where something is said of it
	// beside its idempotency_level, which counts otherwise. Nil: nothing is.
	Idempotent func(protoreflect.MethodDescriptor) (yes, said bool)
	// Throttle holds retries back while the backend fails for everybody; Backends that share it count together. Nil: one of
	// its own.
	Throttle *Throttle
	// Retried is told of each further attempt, "made", and of each that was withheld, by the reason that its span has. It is
	// called from any goroutine, and must not wait. Nil: nobody is told.
	Retried func(result string)
	// Messages is for a Conn that insists on proto.Message values: calls go through dynamic messages instead of bytes. A
	// reply that protobuf refuses to parse, as it does for one string that is not UTF-8, reaches interceptors as unknown
	// fields and no known ones; one that an in-process server left in such a state fails its call.
	Messages bool
	// Types resolves error details of the backend's own types. Nil: only the well-known google.rpc details are shown.
	Types Resolver
	// Origin is what the configuration comes from, a comparable value; see [Backend.SameAs]. Nil: nothing.
	Origin any
	// Logger receives the originals of hidden errors. Nil: nowhere.
	Logger *slog.Logger
}

// Backend calls the methods of one gRPC server. It is safe for concurrent use.
type Backend struct {
	config  Config
	options []grpc.CallOption
	paths   sync.Map // of each method called so far: protoreflect.FullName → string
}

// New checks a configuration. It refuses a negative deadline, limit or number of attempts, headers that gRPC could not send
// or that are not a caller's to set, and headers that are not to be forwarded (see [CheckForward]), or under a name that has been given
// already; the errors name the header, never its value.
func New(c Config) (*Backend, error) {
	if c.Deadline < 0 {
		return nil, fmt.Errorf("deadline %v: give a positive duration, such as 30s", c.Deadline)
	}
	if c.MaxMessageBytes < 0 {
		return nil, fmt.Errorf("message limit of %d bytes: give a positive size, such as 4194304", c.MaxMessageBytes)
	}
	if c.Deadline == 0 {
		c.Deadline = DefaultDeadline
	}
	if c.MaxMessageBytes == 0 {
		c.MaxMessageBytes = DefaultMaxMessageBytes
	}
	if c.MaxAttempts < 0 || c.MaxAttempts > MaxMaxAttempts {
		return nil, fmt.Errorf("%d attempts at a call: give a number from 1, which is no retry, to %d", c.MaxAttempts, MaxMaxAttempts)
	}
	c.MaxAttempts = cmp.Or(c.MaxAttempts, DefaultMaxAttempts)
	if c.Throttle == nil {
		c.Throttle = new(Throttle)
	}
	if c.Retried == nil {
		c.Retried = func(string) {}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	headers, err := normalHeaders(c.Headers)
	if err != nil {
		return nil, err
	}
	c.Headers = headers
	if c.Forward, err = normalForwards(c.Forward, headers); err != nil {
		return nil, err
	}
	return &Backend{config: c, options: staticOptions(c)}, nil
}

// staticOptions are the call options that are the same for each call.
func staticOptions(c Config) []grpc.CallOption {
	options := []grpc.CallOption{
		grpc.MaxCallRecvMsgSize(c.MaxMessageBytes),
		grpc.MaxCallSendMsgSize(c.MaxMessageBytes),
	}
	if !c.Messages {
		options = append(options, grpc.ForceCodecV2(rawCodec{}))
	}
	return options
}

// Name returns the name from the configuration.
func (b *Backend) Name() string { return b.config.Name }

// Deadline returns what bounds each call, a positive duration.
func (b *Backend) Deadline() time.Duration { return b.config.Deadline }

// Unary calls a unary method with a request in protobuf wire format and returns the reply in wire format, or the reason
// why there is none. The path of the call comes from the descriptor alone, and its metadata from the configuration,
// [WithForwarded] and the trace of ctx alone: metadata that ctx carries is not sent. Cancelling ctx cancels the call at the
// backend.
//
// The request is handed to the transport without a copy: it must not be written to again, even after Unary returned.
// The reply is the caller's.
func (b *Backend) Unary(ctx context.Context, method protoreflect.MethodDescriptor, request []byte) ([]byte, *Failure) {
	reply, f := b.UnaryBuffer(ctx, method, request)
	if f != nil {
		return nil, f
	}
	defer reply.Free()
	return bytes.Clone(reply.ReadOnlyData()), nil
}

// UnaryBuffer is [Backend.Unary] with the reply in the buffer where it was received. Who frees it must have nothing left that
// is a part of it; who does not leaves it to the garbage collector.
func (b *Backend) UnaryBuffer(ctx context.Context, method protoreflect.MethodDescriptor, request []byte) (mem.Buffer, *Failure) {
	if f := b.refuse(request); f != nil {
		return nil, f
	}
	release, f := b.begin(ctx)
	if f != nil {
		return nil, f
	}
	defer func() { release() }() // which is another one after each attempt
	seen := evidence{started: time.Now(), request: len(request)}
	call, cancel := context.WithTimeout(ctx, b.allowed(ctx))
	defer cancel()
	seen.deadline, _ = call.Deadline()
	sent, f := b.outgoing(call)
	if f != nil {
		return nil, f
	}
	reply, err := b.invoke(sent, method, request, &seen)
	if err == nil {
		b.config.Throttle.succeeded()
		return reply, nil
	}
	f = b.explain(ctx, method, err, &seen)
	for n := 1; b.again(sent, method, f, n, &release); n++ {
		next := seen.next()
		if reply, err = b.invoke(sent, method, request, next); err == nil {
			b.config.Throttle.succeeded()
			return reply, nil
		}
		f = b.explain(ctx, method, err, next).after(f)
	}
	return nil, b.givenUp(ctx, method, f)
}

// refuse returns the failure of a call that cannot be sent at all.
func (b *Backend) refuse(request []byte) *Failure {
	if b.config.Conn == nil {
		return &Failure{
			Code:      codes.Unavailable,
			Message:   fmt.Sprintf("backend %q has no connection", b.config.Name),
			Execution: NotExecuted,
		}
	}
	if limit := b.config.MaxMessageBytes; len(request) > limit {
		return &Failure{
			Code: codes.ResourceExhausted,
			Message: fmt.Sprintf("the arguments take %d bytes on the wire: more than the limit of %s for one message "+
				"(max_message_bytes of its backend, or --max-message-size)", len(request), byteSize(limit)),
			Execution: NotExecuted,
		}
	}
	return nil
}

// invoke makes the call with raw bytes or, where the connection wants messages, with dynamic ones. A call that is over
// already is not begun, whatever the connection would make of it.
func (b *Backend) invoke(ctx context.Context, method protoreflect.MethodDescriptor, request []byte, seen *evidence) (mem.Buffer, error) {
	if err := ctx.Err(); err != nil {
		seen.unsent = true
		return nil, err
	}
	if b.config.Messages {
		reply, err := b.invokeMessages(ctx, method, request, seen)
		return mem.SliceBuffer(reply), err
	}
	seen.in.data = request
	if err := b.config.Conn.Invoke(ctx, b.path(method), &seen.in, &seen.out, seen.options(b.options)...); err != nil {
		return nil, err
	}
	if seen.out.received == nil { // by a connection that reads no message into it
		return mem.SliceBuffer(nil), nil
	}
	return seen.out.received, nil
}

// path returns the HTTP/2 path of a method, "/package.Service/Method", which is computed once.
func (b *Backend) path(method protoreflect.MethodDescriptor) string {
	if known, ok := b.paths.Load(method.FullName()); ok {
		return known.(string)
	}
	path := "/" + string(method.Parent().FullName()) + "/" + string(method.Name())
	b.paths.Store(method.FullName(), path)
	return path
}
