package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// Setup is a configuration made usable by bridge.New and bridge.Inspect.
type Setup struct {
	// Backends are in the configuration's order. One without a target has no Conn, which Inspect allows.
	Backends []bridge.Backend
	// Options are what the configuration says of the bridge itself.
	Options []bridge.Option

	conns []*grpc.ClientConn
}

// Close closes the connections that Dial opened. Close the Bridge that uses them first.
func (s *Setup) Close() error {
	var errs []error
	for _, c := range s.conns {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Dial checks a configuration, reads its secrets and certificates and prepares its connections. Nothing is sent to a
// backend yet: a connection opens with its first use, so an unreachable backend is bridge.New's error, not Dial's. A
// configuration that does not hold is an *[Error]; for the rest, the faults of all backends are reported at once, each
// with the name of its backend.
func Dial(c *configv1.Config) (*Setup, error) {
	if err := Check(c); err != nil {
		return nil, err
	}
	s := &Setup{Options: options(c)}
	var errs []error
	for _, b := range c.GetBackends() {
		if err := s.add(b); err != nil {
			errs = append(errs, fmt.Errorf("backend %q: %w", cmp.Or(b.GetName(), "default"), err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// add makes one backend usable.
func (s *Setup) add(b *configv1.Backend) error {
	headers, err := resolveHeaders(b.GetHeaders())
	if err != nil {
		return err
	}
	backend := bridge.Backend{
		Name:               b.GetName(),
		Deadline:           b.GetDeadline().AsDuration(),
		Headers:            headers,
		MaxMessageBytes:    int(b.GetMaxMessageBytes()),
		Expose:             b.GetExpose(),
		Hide:               b.GetHide(),
		HideInternalErrors: b.GetHideInternalErrors(),
		OmitDefaults:       b.EmitDefaults != nil && !b.GetEmitDefaults(),
		Tools:              b.GetTools(),
		Visibility:         b.GetVisibility(),
		SkipRules:          b.CheckRules != nil && !b.GetCheckRules(),
	}
	if b.GetTarget() != "" {
		conn, err := connect(b)
		if err != nil {
			return err
		}
		s.conns = append(s.conns, conn)
		backend.Conn = conn
	}
	if backend.Descriptors, err = source(b.GetDescriptors(), backend.Conn, headers); err != nil {
		return err
	}
	s.Backends = append(s.Backends, backend)
	return nil
}

// source chooses where descriptors are read.
func source(d *configv1.Descriptors, conn grpc.ClientConnInterface, headers metadata.MD) (descriptor.Source, error) {
	if d.GetFiles() != nil {
		return files(d.GetFiles()), nil
	}
	own, err := resolveHeaders(d.GetReflection().GetHeaders())
	if err != nil {
		return nil, fmt.Errorf("reflection: %w", err)
	}
	all := headers.Copy()
	maps.Copy(all, own) // a name given for reflection replaces the one for calls
	reflection := descriptor.Reflection(conn,
		descriptor.WithHeaders(all),
		descriptor.WithLimits(descriptor.Limits{Timeout: d.GetReflection().GetTimeout().AsDuration()}))
	if d.GetOverlay() != nil {
		return descriptor.Overlay(reflection, files(d.GetOverlay())), nil
	}
	return reflection, nil
}

func files(f *configv1.Files) descriptor.Source {
	if f.GetDescriptorSet() != "" {
		return descriptor.FileSet(f.GetDescriptorSet())
	}
	return descriptor.Files(f.GetProtoPaths(), f.GetProtos())
}

// options translates what is said of the bridge itself; what is not said keeps the bridge's default.
func options(c *configv1.Config) []bridge.Option {
	list := []bridge.Option{
		bridge.WithReload(c.GetReload().AsDuration()),
		bridge.WithAllowedHosts(c.GetServer().GetAllowHosts()...),
		bridge.WithAllowedOrigins(c.GetServer().GetAllowOrigins()...),
	}
	if name := profileName(c.GetProfile()); name != "" {
		list = append(list, bridge.WithProfile(bridge.Profile(name)))
	}
	if c.GetMode() == configv1.Mode_MODE_SEARCH {
		list = append(list, bridge.WithMode(bridge.ModeSearch))
	}
	if c.OutputSchemas != nil && !c.GetOutputSchemas() {
		list = append(list, bridge.WithoutOutputSchemas())
	}
	if n := c.GetLimits().GetMaxRequestBytes(); n > 0 {
		list = append(list, bridge.WithMaxRequestBytes(n))
	}
	if n := c.GetLimits().GetMaxResultBytes(); n > 0 {
		list = append(list, bridge.WithMaxResultBytes(int(n)))
	}
	return append(list, sessionOptions(c.GetLimits())...)
}

// sessionOptions translates the limits of sessions, streams and calls.
func sessionOptions(l *configv1.Limits) []bridge.Option {
	var list []bridge.Option
	if n := l.GetMaxSessions(); n > 0 {
		list = append(list, bridge.WithMaxSessions(int(n)))
	}
	if l.GetSessionIdle() != nil {
		list = append(list, bridge.WithSessionIdle(l.GetSessionIdle().AsDuration()))
	}
	if n := l.GetMaxStreams(); n > 0 {
		list = append(list, bridge.WithMaxStreams(int(n)))
	}
	if n := l.GetMaxCalls(); n > 0 {
		list = append(list, bridge.WithMaxCalls(int(n)))
	}
	return list
}
