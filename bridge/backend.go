package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/limit"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Backend is one gRPC server (or several behind one connection) whose methods become tools.
type Backend struct {
	// Name tells backends apart in reports and logs. Default: "default". Names must be unique.
	Name string
	// Conn is the connection: a *grpc.ClientConn, or any double that honours grpc.ForceCodecV2 (else see Messages). It
	// stays the caller's. It may be nil for Inspect when Descriptors does not need it. It should have no retryPolicy, in
	// its default service config or in one that its resolver gives it: a connection that repeats calls voids the promise
	// that those which may not be repeated are not (grpc.WithDisableRetry makes sure).
	Conn grpc.ClientConnInterface
	// Descriptors is where the backend's descriptors come from. Default: server reflection over Conn. Backends are read
	// at the same time, so a source of your own that several of them share must be safe for concurrent use.
	Descriptors descriptor.Source
	// Deadline bounds each call. Default: 30 s.
	Deadline time.Duration
	// Headers are sent as metadata with each call. Of what an MCP client sends nothing is added to them but its trace, what
	// ForwardHeaders name, and with [Telemetry.Baggage] its baggage.
	Headers metadata.MD
	// MaxMessageBytes bounds a request and a response message on the wire. Default: 4 MiB.
	MaxMessageBytes int
	// Expose and Hide are patterns over full method names ("library.v1.*", "*.Delete*"): `*` stands for any run of
	// characters, dots included, `?` for one, and all else for itself. A character that no full name has is an error.
	// With Expose, only matching methods are offered; Hide wins over Expose.
	Expose, Hide []string
	// HideInternalErrors replaces the texts of INTERNAL, UNKNOWN and DATA_LOSS errors by an id that is logged.
	HideInternalErrors bool
	// OmitDefaults leaves fields without presence out of results when they have their zero value. By default a model
	// sees them ("available": false).
	OmitDefaults bool
	// Tools says what single tools are called and say, by the full names of their methods, and stands above what the
	// descriptors say. A name given here is pinned: it does not change with what else is offered. A method that there is not
	// is in the report.
	Tools map[string]*bridgev1.Tool
	// Visibility are the labels of google.api.visibility that clients may see. Services, methods, fields and enum values that
	// are restricted to other labels are left out.
	Visibility []string
	// SkipRules leaves it to the backend to hold requests against the rules of buf.validate in their descriptors. By default
	// the bridge does, before the call.
	SkipRules bool
	// ForwardHeaders are the headers of a client's HTTP request that are sent as metadata, by their exact names; all others stay
	// outside, and so do those that no configuration may name (see [ForwardedHeader]).
	ForwardHeaders []ForwardedHeader
	// Quota bounds the calls of this backend, those of all clients together. Default: no bounds.
	Quota Quota
	// Retry says which calls are made again, and how often. Default: see RetryPolicy.
	Retry RetryPolicy
	// Release, if it is not nil, is called once when the bridge has no more use for Conn: when no backend over it is among those
	// of the last [Bridge.Replace] any more and the last call over it has ended, when Replace has refused it, or when the
	// bridge is closed and the last call has ended. It must not wait. Where several backends have one Conn, be it one after
	// the other, it is that of the first with a Release; a Conn that cannot be compared is another one each time. A [New] that
	// fails calls none.
	Release func()
	// Messages is for a Conn that insists on proto.Message values, such as an in-process channel: calls go through
	// dynamic messages instead of raw bytes.
	Messages bool
}

// RetryPolicy says when a call is made again that the backend did not answer. It is where the method is declared to be
// idempotent, the backend was UNAVAILABLE, no message of a stream has arrived, and the deadline leaves time for the pause before it.
// A server's grpc-retry-pushback-ms and its RetryInfo count (gRFC A6), and while a backend fails for everybody no call is made
// again.
type RetryPolicy struct {
	// MaxAttempts is how often a call is made at most, the first time included: from 1, which is no retry, to 5. Default: 3.
	MaxAttempts int
	// Idempotent are patterns in the language of Backend.Expose: calling a method that one of them matches twice does no more than
	// calling it once. They are for methods of which neither idempotency_level nor the option hints.idempotent of bridge.v1
	// says so; Backend.Tools with hints.idempotent stands above them. A pattern that matches no method is in the report.
	Idempotent []string
}

// newLoaders checks the backends and fills in their defaults. connected demands a connection of each. All that can be
// wrong with a configuration is found here, before anything is read, and reported at once. With an error there is a loader
// for each backend all the same, not to be used.
func newLoaders(backends []Backend, connected bool) ([]*loader, error) {
	if len(backends) == 0 {
		return nil, errors.New("no backend: give at least one")
	}
	seen := map[string]bool{}
	var loaders []*loader
	var errs []error
	for _, b := range backends {
		b.Name = cmp.Or(b.Name, "default")
		if seen[b.Name] {
			errs = append(errs, fmt.Errorf("two backends are called %q: give each a name of its own", b.Name))
		}
		seen[b.Name] = true
		if b.Conn == nil && (connected || b.Descriptors == nil) {
			errs = append(errs, fmt.Errorf("backend %q has no connection: set Conn", b.Name))
		}
		for _, err := range b.faults() {
			errs = append(errs, fmt.Errorf("backend %q: %w", b.Name, err))
		}
		l := &loader{Backend: b, given: b.Descriptors, limiter: limit.New(limit.Quota(b.Quota)), throttle: new(backend.Throttle)}
		if b.Descriptors == nil {
			l.Descriptors = descriptor.Reflection(b.Conn)
		}
		loaders = append(loaders, l)
	}
	return loaders, errors.Join(errs...)
}

// faults are what is wrong with the settings of one backend by itself.
func (b *Backend) faults() []error {
	var errs []error
	for _, pattern := range slices.Concat(b.Expose, b.Hide, b.Retry.Idempotent) {
		if err := catalog.CheckPattern(pattern); err != nil {
			errs = append(errs, err)
		}
	}
	if _, err := backend.New(b.config()); err != nil {
		errs = append(errs, err)
	}
	if err := b.Quota.fault(); err != nil {
		errs = append(errs, fmt.Errorf("quota: %w", err))
	}
	return errs
}

// config is all of the backend's configuration that does not depend on descriptors.
func (b *Backend) config() backend.Config {
	var forward []backend.Forward
	for _, f := range b.ForwardHeaders {
		forward = append(forward, backend.Forward(f))
	}
	return backend.Config{
		Name:               b.Name,
		Conn:               b.Conn,
		Deadline:           b.Deadline,
		Headers:            b.Headers,
		Forward:            forward,
		MaxMessageBytes:    b.MaxMessageBytes,
		HideInternalErrors: b.HideInternalErrors,
		MaxAttempts:        b.Retry.MaxAttempts,
		Idempotent:         catalog.Idempotence(b.Retry.Idempotent, b.Tools),
		Messages:           b.Messages,
	}
}
