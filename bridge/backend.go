package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// Backend is one gRPC server (or several behind one connection) whose methods become tools.
type Backend struct {
	// Name tells backends apart in reports and logs. Default: "default". Names must be unique.
	Name string
	// Conn is the connection: a *grpc.ClientConn, or any double that honours grpc.ForceCodecV2 (else see Messages). It
	// stays the caller's. It may be nil for Inspect when Descriptors does not need it.
	Conn grpc.ClientConnInterface
	// Descriptors is where the backend's descriptors come from. Default: server reflection over Conn.
	Descriptors descriptor.Source
	// Deadline bounds each call. Default: 30 s.
	Deadline time.Duration
	// Headers are sent as metadata with each call. Nothing that an MCP client sends is ever added to them.
	Headers metadata.MD
	// MaxMessageBytes bounds a request and a response message on the wire. Default: 4 MiB.
	MaxMessageBytes int
	// Expose and Hide are globs over full method names ("library.v1.*", "*.Delete*"); `*` stands for any characters.
	// With Expose, only matching methods are offered; Hide wins over Expose.
	Expose, Hide []string
	// HideInternalErrors replaces the texts of INTERNAL, UNKNOWN and DATA_LOSS errors by an id that is logged.
	HideInternalErrors bool
	// OmitDefaults leaves fields without presence out of results when they have their zero value. By default a model sees
	// them ("available": false).
	OmitDefaults bool
	// Messages is for a Conn that insists on proto.Message values, such as an in-process channel: calls go through
	// dynamic messages instead of raw bytes.
	Messages bool
}

// loader holds what has been read of one backend. Its fields are guarded by Bridge.reloading.
type loader struct {
	Backend
	set    *descriptor.Set
	digest string
}

// newLoaders checks the backends and fills in their defaults. connected demands a connection of each.
func newLoaders(backends []Backend, connected bool) ([]*loader, error) {
	if len(backends) == 0 {
		return nil, errors.New("no backend: give at least one")
	}
	seen := map[string]bool{}
	var loaders []*loader
	for _, b := range backends {
		if b.Name == "" {
			b.Name = "default"
		}
		if seen[b.Name] {
			return nil, fmt.Errorf("two backends are called %q: give each a name of its own", b.Name)
		}
		seen[b.Name] = true
		if b.Conn == nil && (connected || b.Descriptors == nil) {
			return nil, fmt.Errorf("backend %q has no connection: set Conn", b.Name)
		}
		if b.Descriptors == nil {
			b.Descriptors = descriptor.Reflection(b.Conn)
		}
		loaders = append(loaders, &loader{Backend: b})
	}
	return loaders, nil
}

// load reads the descriptors again and says whether they changed. On an error the last good set stays.
func (l *loader) load(ctx context.Context) (changed bool, err error) {
	set, err := l.Descriptors.Load(ctx)
	if err != nil {
		return false, fmt.Errorf("backend %q: %w", l.Name, err)
	}
	if l.set != nil && set.Digest() == l.digest {
		return false, nil
	}
	l.set, l.digest = set, set.Digest()
	return true, nil
}

// source binds the backend's connection to the descriptors last read.
func (l *loader) source(s *settings) (catalog.Source, error) {
	b, err := backend.New(backend.Config{
		Name:               l.Name,
		Conn:               l.Conn,
		Deadline:           l.Deadline,
		Headers:            l.Headers,
		MaxMessageBytes:    l.MaxMessageBytes,
		HideInternalErrors: l.HideInternalErrors,
		Messages:           l.Messages,
		Types:              l.set.Types(),
		Logger:             s.logger,
	})
	if err != nil {
		return catalog.Source{}, fmt.Errorf("backend %q: %w", l.Name, err)
	}
	return catalog.Source{
		Backend: b,
		Set:     l.set,
		Expose:  l.Expose,
		Hide:    l.Hide,
		Profile: s.profile,
		Codec:   transcode.Options{EmitDefaults: !l.OmitDefaults, MaxResult: s.maxResult},
	}, nil
}
