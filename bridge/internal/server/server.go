package server

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/limit"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/task"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// Config is what a Server needs.
type Config struct {
	// Gate admits the messages.
	Gate *lifecycle.Gate
	// Catalog returns what is offered now: requests and watches ask when they
	// need it, a request that needs it again perhaps more than once. Safe for
	// concurrent use, without waiting. Never nil, and neither is what it returns.
	Catalog func() *catalog.Catalog
	// Logger is told of faults that clients are not told of; nil discards them.
	Logger *slog.Logger
	// ListTTL is how long a modern client may keep the lists and the answer to
	// server/discover without asking again (ttlMs). The default, zero,
	// promises nothing: the catalog may change at the next reload. An operator
	// who never reloads, or knows how often, may promise more.
	ListTTL time.Duration
	// Reloads says that the catalog may be another one later on, whatever it
	// holds now. A catalog with a method after which it is made again says so by
	// itself.
	Reloads bool
	// Telemetry records the requests: a span and a duration for each, and, if it
	// says so, the content of calls. Nil records nothing; the trace of a client goes
	// on to the backends all the same.
	Telemetry *telemetry.Telemetry
	// CallerQuota is what one caller may ask for of tools, resources and prompts;
	// zero bounds nothing. Who the caller is says the authorization, without one
	// the address that it connects from, an IPv6 one by the first 64 bits of it,
	// which one host has for itself; all others are one caller.
	CallerQuota limit.Quota
	// Enter begins the use of what Catalog returns from then on, by a call or a
	// watch, and leave ends it: until then its connections must stay. It must not
	// wait. Where open is false nothing may be used any more; leave is to be called
	// all the same, and is never nil. Nil is for what always stays.
	Enter func() (leave func(), open bool)
	// Sealer seals what modern clients bring back with their answers; nil is one with
	// a key of its own.
	Sealer *interaction.Sealer
	// MaxRounds is how often a backend may ask before one call is answered; zero is
	// DefaultMaxRounds. AnswerTimeout is how long a legacy client may take to answer
	// one question; zero is DefaultAnswerTimeout.
	MaxRounds     int
	AnswerTimeout time.Duration
	// StreamMessages and StreamBytes bound what is collected of a stream for one
	// result, in messages and in bytes of JSON, where a tool says nothing else; zero
	// is DefaultStreamMessages and DefaultStreamBytes. The bound of a result stands
	// above that in bytes.
	StreamMessages, StreamBytes int
	// Tasks bounds the calls that go on behind their answer.
	Tasks task.Options
	// Reload is asked after a call has succeeded whose method changes what its
	// backend offers; it must not wait. Nil does nothing.
	Reload func()
}

// Defaults of Config.
const (
	DefaultMaxRounds      = 10
	DefaultAnswerTimeout  = 5 * time.Minute
	DefaultStreamMessages = 1000
	DefaultStreamBytes    = 1 << 20
)

// Server answers messages. Safe for concurrent use.
type Server struct {
	gate    *lifecycle.Gate
	catalog func() *catalog.Catalog
	log     *slog.Logger
	enter   func() (leave func(), open bool)
	reload  func() // nil does nothing
	reloads bool
	callers *limit.Callers // nil bounds nothing
	// telemetry records what is served; nil does nothing.
	telemetry *telemetry.Telemetry
	hub       *hub
	cache     mcp.Cache
	metas     map[mcp.Features][]byte // _meta of results; read-only
	scratch   sync.Pool               // of *[]byte, for results on their way into a reply
	answers   backend.Buffers         // of replies
	taken     func([]byte)            // release, made once

	tasks                                  *task.Store
	sealer                                 *interaction.Sealer
	maxRounds, streamMessages, streamBytes int
	answerTimeout                          time.Duration
}

// New returns a Server. Close it when its transports are closed.
func New(cfg Config) *Server {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Enter == nil {
		cfg.Enter = always
	}
	s := &Server{
		gate:      cfg.Gate,
		catalog:   cfg.Catalog,
		enter:     cfg.Enter,
		log:       cfg.Logger,
		reload:    cfg.Reload,
		reloads:   cfg.Reloads,
		callers:   limit.NewCallers(cfg.CallerQuota),
		telemetry: cfg.Telemetry,
		hub:       newHub(cfg.Catalog, cfg.Enter, cfg.Logger),
		cache:     mcp.Cache{TTL: cfg.ListTTL},
		metas:     map[mcp.Features][]byte{},

		tasks:          task.NewStore(cfg.Tasks),
		sealer:         cfg.Sealer,
		maxRounds:      cmp.Or(cfg.MaxRounds, DefaultMaxRounds),
		streamMessages: cmp.Or(cfg.StreamMessages, DefaultStreamMessages),
		streamBytes:    cmp.Or(cfg.StreamBytes, DefaultStreamBytes),
		answerTimeout:  cmp.Or(cfg.AnswerTimeout, DefaultAnswerTimeout),
	}
	s.taken = s.release
	if s.sealer == nil {
		s.sealer, _ = interaction.NewSealer(nil, 0) // which fails for keys that are given alone
	}
	for _, f := range lifecycle.AllFeatures() {
		s.metas[f] = cfg.Gate.ResultMeta(f)
	}
	return s
}

// Handle admits a message and runs it: [Server.Admit] and [Call.Run] in one, for
// a client that can be sent nothing but the reply.
func (s *Server) Handle(ctx context.Context, c *lifecycle.Conn, msg jsonrpc.Message) Reply {
	return s.Admit(ctx, c, msg, nil).Run()
}
