package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/limit"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// Bridge serves the tools of its backends over MCP. It is an [http.Handler] for the MCP endpoint. All methods are safe
// for concurrent use.
type Bridge struct {
	settings  *settings
	catalog   atomic.Pointer[catalog.Catalog]
	epochs    *epochs
	sessions  *session.Memory
	telemetry *telemetry.Telemetry // nil records nothing
	unobserve func() error
	gate      *lifecycle.Gate
	server    *server.Server
	handler   *streamable.Handler
	forward   atomic.Pointer[[]string] // the headers of clients that some backend may be sent
	draining  atomic.Bool

	turn    *turn // of those who read descriptors; guards closed
	closed  bool
	mu      sync.Mutex // guards loaders and what they say of it, beside the turn; held without waiting for anything
	loaders []*loader

	again   chan struct{} // holds a wish for a reload
	planned chan struct{} // holds the news that there is more to be tried again
	life    context.Context
	end     context.CancelCauseFunc
	done    sync.WaitGroup // the first reading where New does not wait for it, and what reads on
}

// assemble makes a bridge that has yet to read.
func assemble(s *settings, loaders []*loader) *Bridge {
	b := &Bridge{
		settings: s, loaders: loaders, epochs: newEpochs(), turn: newTurn(),
		again: make(chan struct{}, 1), planned: make(chan struct{}, 1),
	}
	names := forwarded(loaders)
	b.forward.Store(&names)
	b.life, b.end = context.WithCancelCause(context.Background())
	return b
}

// New reads the descriptors of all backends, compiles the tools and returns a bridge that serves them. A setting that
// does not hold fails it at once, before anything is read. So do descriptors none of which can be read. Of several backends
// those that can be are served; why the others cannot is logged, and they are read again after a second, then two and so on
// up to a minute, until they can. Nor does New wait longer than two seconds for those that are slow to come, where others are
// there, but serves them once they have.
//
// With [WithReload] it does so with a single backend too, and starts without any tools if need be; then all is read again at
// the interval, if that is no longer than a minute. What descriptors lack is in the [Report] and no error. ctx bounds New only.
// Connections remain the caller's, unless a [Backend.Release] says that they are the bridge's to give back.
func New(ctx context.Context, backends []Backend, opts ...Option) (*Bridge, error) {
	s, err := newSettings(opts)
	if err != nil {
		return nil, err
	}
	loaders, err := newLoaders(backends, true)
	if err != nil {
		return nil, err
	}
	b := assemble(s, loaders)
	for _, l := range loaders {
		l.tenure = b.epochs.hold(&l.Backend)
	}
	if err := b.wire(); err != nil {
		return nil, err
	}
	if err := b.open(ctx); err != nil {
		return nil, errors.Join(err, b.unobserve())
	}
	return b, nil
}

// wire builds the rooms above the catalog.
func (b *Bridge) wire() (err error) {
	s := b.settings
	if b.telemetry, err = telemetry.New(telemetry.Config(s.telemetry)); err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	b.sessions = session.NewMemory(session.MemoryOptions{Max: s.maxSessions, Idle: s.sessionIdle, Ended: b.sessionEnded})
	if b.unobserve, err = b.telemetry.Observe(b.state); err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	b.gate = lifecycle.NewGate(lifecycle.Config{
		Info:         mcp.Implementation{Name: s.name, Version: s.version},
		Instructions: func() string { return joined(s.instructions, b.catalog.Load().Instructions()) },
		Sessions:     b.sessions,
		HeaderParams: func(tool string) []mcp.HeaderParam { return b.catalog.Load().HeaderParams(tool) },
	})
	sealer, err := interaction.NewSealer(s.stateKeys, s.stateLifetime)
	if err != nil {
		return fmt.Errorf("state keys: %w", err)
	}
	b.server = server.New(server.Config{
		Gate:        b.gate,
		Catalog:     b.catalog.Load,
		Enter:       b.epochs.enter,
		Reloads:     s.reload > 0 || len(b.loaders) > 1,
		Reload:      b.reloadSoon,
		CallerQuota: limit.Quota(s.callerQuota),
		Logger:      s.logger,
		ListTTL:     s.listTTL,
		Telemetry:   b.telemetry,

		Sealer: sealer, MaxRounds: s.maxRounds, AnswerTimeout: s.answerTimeout,
		StreamMessages: s.streamMessages, StreamBytes: s.streamBytes,
		Tasks: s.tasks,
	})
	b.handler = streamable.New(streamable.Config{
		Server:         b.server,
		Gate:           b.gate,
		AllowedHosts:   s.hosts,
		AllowedOrigins: s.origins,
		MaxBody:        s.maxRequest,
		MaxStreams:     s.maxStreams,
		MaxCalls:       s.maxCalls,
		KeepAlive:      keepAlive(s.sessionIdle),
		Logger:         s.logger,
		Forward:        func() []string { return *b.forward.Load() },
		Telemetry:      b.telemetry,
	})
	return nil
}

// joined puts two texts below each other, of which each may be empty.
func joined(first, second string) string {
	if first == "" || second == "" {
		return first + second
	}
	return first + "\n\n" + second
}

// keepAlive is the time between two signs of life on a stream, which are what keeps its session from being taken for idle;
// 0, the default, where idle is.
func keepAlive(idle time.Duration) time.Duration {
	return min(streamable.DefaultKeepAlive, idle/3)
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
	b := assemble(s, loaders)
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
// or ctx is cancelled, gives the calls in flight half a second, ends those that are left, of which the client is told, and
// returns. The end of r is no error. Nothing but protocol messages is written to w.
func (b *Bridge) ServeStdio(ctx context.Context, r io.Reader, w io.Writer) error {
	return stdio.Serve(ctx, stdio.Config{
		Server:  b.server,
		Gate:    b.gate,
		MaxLine: b.settings.maxRequest,
		Logger:  b.settings.logger,

		Telemetry: b.telemetry,
	}, r, w)
}

// maxTold is how many faults of descriptors are logged one by one; the report has them all.
const maxTold = 20

// announce logs what is offered from now on and, as a start that looks well can hide them, likely mistakes.
func (b *Bridge) announce(next *catalog.Catalog) {
	log, report := b.settings.logger, newReport(next)
	log.Info("catalog compiled", "tools", len(report.Tools), "resources", len(report.Resources), "prompts", len(report.Prompts),
		"omitted", len(report.Omitted), "ignored", len(report.Ignored), "digest", next.Digest())
	told, untold, withheld := 0, 0, 0
	for _, o := range next.Omitted() {
		if o.Kind == catalog.Withheld {
			withheld++
		}
		switch {
		case o.Kind == catalog.Unmatched:
			log.Warn("the configuration names nothing that there is", "backend", o.Backend, "pattern", o.Method, "reason", o.Reason)
		case o.Kind == catalog.Deficient && o.Method == descriptor.TextName:
			log.Warn("comments are missing", "backend", o.Backend, "reason", o.Reason)
		case faults[o.Kind] == "":
		case told == maxTold:
			untold++
		default:
			told++
			log.Warn(faults[o.Kind], "backend", o.Backend, "name", o.Method, "reason", o.Reason)
		}
	}
	if withheld > 0 {
		log.Warn("tools are withheld: bridge tools says why of each", "withheld", withheld)
	}
	if untold > 0 {
		log.Warn("more descriptors are at fault: bridge tools lists them all", "more", untold)
	}
	warnRenamed(log, next.Renamed())
	warnCrowded(log, report)
	if len(report.Tools)+len(report.Resources)+len(report.Prompts) == 0 {
		log.Warn("nothing is offered: see which methods are left out, and why, in the report", "omitted", len(report.Omitted))
	}
}

// maxRenamed is how many tools that are called otherwise than before are logged one by one.
const maxRenamed = 10

// warnRenamed logs which tools clients may still call by other names.
func warnRenamed(log *slog.Logger, renamed []catalog.Renaming) {
	for _, r := range renamed[:min(len(renamed), maxRenamed)] {
		log.Warn("a tool has another name now", "backend", r.Backend, "method", r.Method, "from", r.From, "to", r.To)
	}
	if more := len(renamed) - maxRenamed; more > 0 {
		log.Warn("more tools have other names now", "more", more)
	}
}

// faults says of what an author may have got wrong what it is.
var faults = map[catalog.Kind]string{
	catalog.Deficient: "descriptors are at fault",
	catalog.Ignored:   "an option is not followed",
	catalog.Withheld:  "a tool is withheld: clients would refuse it",
}

// compile makes a catalog of what was read, to take the place of the one that is served; a backend without anything contributes
// nothing.
func (b *Bridge) compile(r *round) (*catalog.Catalog, error) {
	var sources []catalog.Source
	var names []string
	for i, l := range r.loaders {
		names = append(names, l.Name)
		if r.sets[i] == nil {
			continue
		}
		src, err := l.source(r.sets[i], b.settings, b.telemetry)
		if err != nil {
			return nil, err
		}
		sources = append(sources, src)
	}
	made, err := catalog.Compile(sources, catalog.Options{
		Features: lifecycle.AllFeatures(), Search: b.settings.search, NoOutput: b.settings.noOutput,
		Before: b.catalog.Load(), Backends: names,
	})
	if err != nil {
		return nil, fmt.Errorf("compile the catalog: %w", err)
	}
	return made, nil
}

// BeginDrain has [Bridge.Health] say from now on that the bridge is about to end, so that nothing new is sent to it. All is
// served as before.
func (b *Bridge) BeginDrain() { b.draining.Store(true) }

// Drain ends the HTTP streams on which clients wait for changes, and takes no new ones; calls go on and are still taken.
// Have [http.Server.Shutdown] call it, by [http.Server.RegisterOnShutdown]: it waits for streams as it does for calls. It
// begins with what [Bridge.BeginDrain] does.
func (b *Bridge) Drain() {
	b.BeginDrain()
	b.handler.Drain()
}

// Close ends what is in flight over HTTP, telling each client that still waits so, ends reloading and the watching of
// resources, and waits for all of it. To let calls finish first, shut the HTTP server down before. It does not end stdio
// streams (end their reader or context), but no call begins any more. It does not close the backends' connections, but has
// them released, see [Backend.Release]. It is safe to call twice.
func (b *Bridge) Close() error {
	b.BeginDrain()
	b.handler.Close()
	b.server.Close()
	b.end(errClosed)
	b.done.Wait()
	b.handler.Wait()
	if err := b.turn.take(context.Background()); err != nil {
		return err
	}
	defer b.turn.give()
	if b.closed {
		return nil
	}
	b.closed = true
	b.epochs.close(tenures(b.loaders))
	return b.unobserve()
}
