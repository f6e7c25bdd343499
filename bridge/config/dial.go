package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// Setup is a configuration made usable by bridge.New, bridge.Inspect and Replace.
//
// Its connections are its own, or those of several Setups: see [Setup.Next]. One closes when the Release of a backend is
// called that has it, which a bridge does that has no more use for it, or when the last of the Setups that have it is closed,
// whatever comes first. So a Setup whose backends a bridge has taken on need not be closed when another takes its place, one
// whose backends it has refused should be, and the last one should be after the bridge. It does no harm to close one twice.
type Setup struct {
	// Backends are in the configuration's order. One without a target has no Conn, which Inspect allows.
	Backends []bridge.Backend
	// Options are what the configuration says of the bridge itself.
	Options []bridge.Option

	parts []*part // of the backends, in their order
	dial  []grpc.DialOption
	files *Reader // shared by those that take each other's place
}

// Close closes the connections of this Setup but for those that another one has. Close the Bridge that uses them first.
func (s *Setup) Close() error {
	var errs []error
	for _, p := range s.parts {
		errs = append(errs, p.letGo())
	}
	return errors.Join(errs...)
}

// Dial checks a configuration, reads its secrets and certificates and prepares its connections. Nothing is sent to a
// backend yet: a connection opens with its first use, so an unreachable backend is bridge.New's error, not Dial's. A
// configuration that does not hold is an *[Error]; for the rest, the faults of all backends are reported at once, each
// with the name of its backend.
//
// More grpc.DialOptions, such as a stats handler, may be given for all connections.
func Dial(c *configv1.Config, more ...grpc.DialOption) (*Setup, error) {
	return DialContext(context.Background(), c, more...)
}

// DialContext is [Dial] whose reading of files ends with ctx. Without that, it ends after [ReadTimeout].
func DialContext(ctx context.Context, c *configv1.Config, more ...grpc.DialOption) (*Setup, error) {
	return (&Setup{dial: more, files: new(Reader)}).NextContext(ctx, c)
}

// Next is Dial for a configuration that takes the place of that of s. A backend that says the same as one of s, and whose
// secrets and certificates are the same bytes, shares its connection and its descriptor source; all others have new ones. s
// stays as it is, and must not be closed yet; the dial options are the same.
func (s *Setup) Next(c *configv1.Config) (*Setup, error) {
	return s.NextContext(context.Background(), c)
}

// NextContext is [Setup.Next] whose reading of files ends with ctx. Without that, it ends after [ReadTimeout].
func (s *Setup) NextContext(ctx context.Context, c *configv1.Config) (*Setup, error) {
	if err := Check(c); err != nil {
		return nil, err
	}
	next := &Setup{Options: options(c), dial: s.dial, files: s.files}
	files := newShelf(ctx, s.files)
	var errs []error
	keys, err := files.stateKeys(c.GetInteraction())
	if err != nil {
		errs = append(errs, err)
	} else if keys != nil {
		next.Options = append(next.Options, bridge.WithStateKeys(keys...))
	}
	for _, b := range c.GetBackends() {
		if err := next.add(b, s, files); err != nil {
			errs = append(errs, fmt.Errorf("backend %q: %w", cmp.Or(b.GetName(), "default"), err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, next.Close())
	}
	return next, nil
}

// add makes one backend usable.
func (s *Setup) add(b *configv1.Backend, before *Setup, files shelf) error {
	m, err := files.readMaterial(b)
	if err != nil {
		return err
	}
	p := before.same(b, m)
	if p == nil {
		if p, err = newPart(b, m, s.dial); err != nil {
			return err
		}
	}
	s.parts = append(s.parts, p)
	backend := translate(b)
	backend.Headers, backend.Descriptors = m.headers, p.source
	if p.link != nil {
		backend.Conn = p.link.conn
		backend.Release = p.link.close
	}
	s.Backends = append(s.Backends, backend)
	return nil
}

// translate returns what a backend is without what has to be read or opened.
func translate(b *configv1.Backend) bridge.Backend {
	backend := bridge.Backend{
		Name:               b.GetName(),
		Deadline:           b.GetDeadline().AsDuration(),
		MaxMessageBytes:    int(b.GetMaxMessageBytes()),
		Expose:             b.GetExpose(),
		Hide:               b.GetHide(),
		HideInternalErrors: b.GetHideInternalErrors(),
		OmitDefaults:       b.EmitDefaults != nil && !b.GetEmitDefaults(),
		Tools:              b.GetTools(),
		Visibility:         b.GetVisibility(),
		SkipRules:          b.CheckRules != nil && !b.GetCheckRules(),
		Quota:              quota(b.GetQuota()),
		Retry: bridge.RetryPolicy{
			MaxAttempts: int(b.GetRetry().GetMaxAttempts()),
			Idempotent:  b.GetRetry().GetIdempotent(),
		},
	}
	for _, h := range b.GetForwardHeaders() {
		backend.ForwardHeaders = append(backend.ForwardHeaders, bridge.ForwardedHeader{Header: h.GetHeader(), Metadata: metadataKey(h)})
	}
	return backend
}

// source chooses where descriptors are read.
func source(d *configv1.Descriptors, conn grpc.ClientConnInterface, m material) descriptor.Source {
	if d.GetFiles() != nil {
		return files(d.GetFiles())
	}
	all := metadata.MD{}
	maps.Copy(all, m.headers)
	maps.Copy(all, m.reflection) // a name given for reflection replaces the one for calls
	reflection := descriptor.Reflection(conn,
		descriptor.WithHeaders(all),
		descriptor.WithLimits(descriptor.Limits{Timeout: d.GetReflection().GetTimeout().AsDuration()}))
	if d.GetOverlay() != nil {
		return descriptor.Overlay(reflection, files(d.GetOverlay()))
	}
	return reflection
}

func files(f *configv1.Files) descriptor.Source {
	if f.GetDescriptorSet() != "" {
		return descriptor.FileSet(f.GetDescriptorSet())
	}
	return descriptor.Files(f.GetProtoPaths(), f.GetProtos())
}
