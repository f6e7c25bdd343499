package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// Bridge serves the tools of its backends over MCP. It is an [http.Handler] for the MCP endpoint. All methods are safe
// for concurrent use.
type Bridge struct {
	settings *settings
	catalog  atomic.Pointer[catalog.Catalog]
	gate     *lifecycle.Gate
	server   *server.Server
	handler  http.Handler

	reloading sync.Mutex // one reload at a time; guards loaders
	loaders   []*loader

	stop context.CancelFunc
	done sync.WaitGroup // the reload loop
}

// New reads the descriptors of all backends, compiles the tools and returns a bridge that serves them. It fails when a
// backend's descriptors cannot be read, unless [WithReload] is given: then the bridge starts without that backend's
// tools, logs the reason and tries again at each interval. ctx bounds the first reading only. Connections remain the
// caller's: [Bridge.Close] does not close them.
func New(ctx context.Context, backends []Backend, opts ...Option) (*Bridge, error) {
	s, err := newSettings(opts)
	if err != nil {
		return nil, err
	}
	loaders, err := newLoaders(backends, true)
	if err != nil {
		return nil, err
	}
	b := &Bridge{settings: s, loaders: loaders}
	if err := b.Reload(ctx); err != nil {
		if s.reload == 0 || ctx.Err() != nil || b.catalog.Load() == nil {
			return nil, err
		}
		s.logger.Warn("started without some tools; trying again", "every", s.reload, "error", err)
	}
	b.wire()
	b.startReloading()
	return b, nil
}

// wire builds the rooms above the catalog.
func (b *Bridge) wire() {
	s := b.settings
	b.gate = lifecycle.NewGate(lifecycle.Config{
		Info:         mcp.Implementation{Name: s.name, Version: s.version},
		Instructions: s.instructions,
		Sessions:     session.NewMemory(session.MemoryOptions{}),
	})
	b.server = server.New(server.Config{
		Gate:    b.gate,
		Catalog: b.catalog.Load,
		Logger:  s.logger,
	})
	b.handler = streamable.New(streamable.Config{
		Server:         b.server,
		Gate:           b.gate,
		AllowedHosts:   s.hosts,
		AllowedOrigins: s.origins,
		MaxBody:        s.maxRequest,
		Logger:         s.logger,
	})
}

// Inspect reads the descriptors of all backends and reports which tools a bridge would offer and what it would leave
// out. A backend needs no connection when its descriptors come from files. It fails when descriptors cannot be read.
func Inspect(ctx context.Context, backends []Backend, opts ...Option) (*Report, error) {
	s, err := newSettings(opts)
	if err != nil {
		return nil, err
	}
	loaders, err := newLoaders(backends, false)
	if err != nil {
		return nil, err
	}
	b := &Bridge{settings: s, loaders: loaders}
	if err := b.Reload(ctx); err != nil {
		return nil, err
	}
	return b.Report(), nil
}

// Report says what is offered now and what was left out.
func (b *Bridge) Report() *Report { return newReport(b.catalog.Load()) }

// ServeHTTP serves the MCP endpoint over Streamable HTTP, whatever path it is mounted at. The [http.Server] around it
// should set ReadHeaderTimeout and IdleTimeout, and no WriteTimeout.
func (b *Bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.handler.ServeHTTP(w, r) }

// ServeStdio serves one client over newline-delimited JSON-RPC: it reads messages from r and writes to w until r ends
// or ctx is cancelled, ends the calls still in flight and returns. The end of r is no error. Nothing but protocol
// messages is written to w.
func (b *Bridge) ServeStdio(ctx context.Context, r io.Reader, w io.Writer) error {
	return stdio.Serve(ctx, stdio.Config{
		Server:  b.server,
		Gate:    b.gate,
		MaxLine: b.settings.maxRequest,
		Logger:  b.settings.logger,
	}, r, w)
}

// Reload reads the descriptors of all backends again and swaps the catalog if what is offered changed. A backend that
// cannot be read keeps the tools that it had; the joined errors name each of them. Calls in flight are not disturbed.
func (b *Bridge) Reload(ctx context.Context) error {
	b.reloading.Lock()
	defer b.reloading.Unlock()
	changed := b.catalog.Load() == nil
	var errs []error
	for _, l := range b.loaders {
		c, err := l.load(ctx)
		changed = changed || c
		if err != nil {
			errs = append(errs, err)
		}
	}
	if changed {
		if err := b.compile(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// compile makes a new catalog from what the loaders hold and swaps it in. On an error the old one stays.
func (b *Bridge) compile() error {
	var sources []catalog.Source
	for _, l := range b.loaders {
		if l.set == nil {
			continue
		}
		src, err := l.source(b.settings)
		if err != nil {
			return err
		}
		sources = append(sources, src)
	}
	next, err := catalog.Compile(sources, catalog.Options{Features: lifecycle.AllFeatures()})
	if err != nil {
		return fmt.Errorf("compile the catalog: %w", err)
	}
	b.catalog.Store(next)
	b.settings.logger.Info("catalog compiled", "tools", len(next.Tools()), "omitted", len(next.Omitted()), "digest", next.Digest())
	return nil
}

// startReloading begins the loop that WithReload asks for; Close ends it.
func (b *Bridge) startReloading() {
	ctx, cancel := context.WithCancel(context.Background())
	b.stop = cancel
	if b.settings.reload > 0 {
		b.done.Go(func() { b.reloadLoop(ctx) })
	}
}

func (b *Bridge) reloadLoop(ctx context.Context) {
	tick := time.NewTicker(b.settings.reload)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := b.Reload(ctx); err != nil && ctx.Err() == nil {
				b.settings.logger.Error("reload failed; serving the last good catalog", "error", err)
			}
		}
	}
}

// Close ends reloading and waits for it. It does not end calls in flight (shut the HTTP server down, or close the stdio
// stream, for that) and does not close the backends' connections. It is safe to call twice.
func (b *Bridge) Close() error {
	b.stop()
	b.done.Wait()
	return nil
}
