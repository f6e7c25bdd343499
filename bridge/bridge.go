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

	"github.com/mcpgrpc/bridge/bridge/descriptor"
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
	handler  *streamable.Handler

	reloading sync.Mutex // one reload at a time; guards loaders
	loaders   []*loader

	stop context.CancelFunc
	done sync.WaitGroup // the first reading with reloading, and the reload loop
}

// New reads the descriptors of all backends, compiles the tools and returns a bridge that serves them. A setting that
// does not hold fails it at once, before anything is read. So does a backend whose descriptors cannot be read, unless
// [WithReload] is given: then the bridge starts without that backend's tools, logs the reason and tries again at each
// interval; nor does it wait longer than two seconds for descriptors that are slow to come, but serves them once they
// have, and reads on until [Bridge.Close]. What descriptors lack is in the [Report] and no error. ctx bounds New only.
// Connections remain the caller's: Close does not close them.
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
	if err := b.open(ctx); err != nil {
		return nil, err
	}
	b.wire()
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
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	return b.Report(), nil
}

// Report says what is offered now and what was left out.
func (b *Bridge) Report() *Report { return newReport(b.catalog.Load()) }

// ServeHTTP serves the MCP endpoint over Streamable HTTP, whatever path it is mounted at. The [http.Server] around it
// should set ReadHeaderTimeout and IdleTimeout, and no WriteTimeout. A request whose client is to be sent nothing more ends
// with a panic of [http.ErrAbortHandler], as net/http has it; middleware that recovers must let that one pass.
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

// Reload reads the descriptors of all backends again, at the same time, and swaps the catalog if they changed. It
// returns when all have been read. Calls in flight are not disturbed.
//
// What was good is not lost to a reload that fails. A backend that cannot be read keeps the tools that it had. So does
// one whose descriptors have become incomplete: a service that the server lists but cannot describe any more, a file
// that cannot be built any more, comments that cannot be read any more; it takes nothing new on until it is whole
// again. Only a service that it no longer names goes. The joined errors name each such backend and what it lacks.
func (b *Bridge) Reload(ctx context.Context) error {
	b.reloading.Lock()
	defer b.reloading.Unlock()
	sets, err := b.read(ctx)
	return errors.Join(err, b.adopt(sets))
}

// adopt swaps in a catalog of the sets, if they differ from those of the last one. Only what a catalog has been made of
// counts as known: after an error the same sets are tried again.
func (b *Bridge) adopt(sets []*descriptor.Set) error {
	if b.catalog.Load() != nil && !b.differ(sets) {
		return nil
	}
	next, err := b.compile(sets)
	if err != nil {
		return err
	}
	for i, l := range b.loaders {
		if l.set != sets[i] { // else it may be about to be read: see startPartial
			l.set = sets[i]
		}
	}
	b.catalog.Store(next)
	b.announce(next)
	return nil
}

// announce logs what is offered from now on and, as a start that looks well can hide them, likely mistakes.
func (b *Bridge) announce(next *catalog.Catalog) {
	log := b.settings.logger
	log.Info("catalog compiled", "tools", len(next.Tools()), "omitted", len(next.Omitted()), "digest", next.Digest())
	for _, o := range next.Omitted() {
		switch {
		case o.Kind == catalog.Unmatched:
			log.Warn("a pattern does nothing", "backend", o.Backend, "pattern", o.Method, "reason", o.Reason)
		case o.Kind == catalog.Deficient && o.Method == descriptor.TextName:
			log.Warn("comments are missing", "backend", o.Backend, "reason", o.Reason)
		}
	}
	if len(next.Tools()) == 0 {
		log.Warn("no tool is offered: see which methods are left out, and why, in the report", "omitted", len(next.Omitted()))
	}
}

func (b *Bridge) differ(sets []*descriptor.Set) bool {
	for i, l := range b.loaders {
		if sets[i] != l.set && (l.set == nil || sets[i].Digest() != l.set.Digest()) {
			return true
		}
	}
	return false
}

// compile makes a catalog of one set for each loader; a nil one contributes nothing.
func (b *Bridge) compile(sets []*descriptor.Set) (*catalog.Catalog, error) {
	var sources []catalog.Source
	for i, l := range b.loaders {
		if sets[i] == nil {
			continue
		}
		src, err := l.source(sets[i], b.settings)
		if err != nil {
			return nil, err
		}
		sources = append(sources, src)
	}
	made, err := catalog.Compile(sources, catalog.Options{Features: lifecycle.AllFeatures()})
	if err != nil {
		return nil, fmt.Errorf("compile the catalog: %w", err)
	}
	return made, nil
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

// Close ends what is in flight over HTTP, telling each client that still waits so, and ends reloading and waits for it. To
// let calls finish first, shut the HTTP server down before. It does not end stdio streams (end their reader or context) and
// does not close the backends' connections. It is safe to call twice.
func (b *Bridge) Close() error {
	b.handler.Close()
	b.stop()
	b.done.Wait()
	return nil
}
