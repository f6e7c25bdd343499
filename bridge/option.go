package bridge

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
	"github.com/mcpgrpc/bridge/bridge/internal/task"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// Profile names a way of writing tool schemas.
type Profile string

const (
	// ProfilePortable is the default profile: only what every known MCP client and model provider accepts.
	ProfilePortable Profile = "portable"
	// ProfileRich says more, by references, constraints and schemas for the values of maps, to clients that read all of JSON
	// Schema 2020-12.
	ProfileRich Profile = "rich"
)

// Mode names a way in which clients find the tools.
type Mode string

const (
	// ModeTools is the default mode: each method is a tool of its own in the list.
	ModeTools Mode = "tools"
	// ModeSearch lists three tools that stand for all methods, however many: search_methods, describe_method, call_method.
	ModeSearch Mode = "search"
)

// Defaults of the options.
const (
	// DefaultMaxRequestBytes is the largest HTTP body and the longest stdio line accepted: 1 MiB.
	DefaultMaxRequestBytes int64 = 1 << 20
	// DefaultMaxResultBytes is the largest result of a call, in bytes of JSON: 1 MiB. A larger one is a tool error.
	DefaultMaxResultBytes = 1 << 20
	// minReload is the shortest interval between two readings of descriptors; shorter would only load the backends.
	minReload = time.Second
)

// Option changes one setting of a Bridge from its default. A nil one is an error where it is used.
type Option func(*settings) error

type settings struct {
	logger         *slog.Logger
	profile        schema.Profile
	search         bool
	noOutput       bool
	reload         time.Duration
	hosts, origins []string
	maxRequest     int64
	maxResult      int
	maxSessions    int
	sessionIdle    time.Duration
	maxStreams     int
	maxCalls       int
	listTTL        time.Duration
	name, version  string
	instructions   string
	callerQuota    Quota
	telemetry      Telemetry

	stateKeys                              [][]byte
	stateLifetime, answerTimeout           time.Duration
	maxRounds, streamMessages, streamBytes int
	tasks                                  task.Options
}

func newSettings(opts []Option) (*settings, error) {
	s := &settings{
		logger:     slog.New(slog.DiscardHandler),
		maxRequest: DefaultMaxRequestBytes,
		maxResult:  DefaultMaxResultBytes,
		name:       "bridge",
		version:    Version(),

		stateLifetime: DefaultStateLifetime,
	}
	var errs []error
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("option %d of %d is nil: leave it out", i+1, len(opts)))
			continue
		}
		errs = append(errs, o(s))
	}
	s.logger = slog.New(telemetry.LogHandler(s.logger.Handler()))
	return s, errors.Join(errs...)
}

// WithLogger sets where the bridge logs. Default: nowhere. Arguments, results and credentials are never logged. What belongs to
// a request with a trace has the attributes trace_id and span_id.
func WithLogger(l *slog.Logger) Option {
	return func(s *settings) error {
		if l == nil {
			return errors.New("WithLogger: the logger is nil; leave the option out to log nowhere")
		}
		s.logger = l
		return nil
	}
}

// WithProfile sets how tool schemas are written. Default: ProfilePortable. An unknown profile is an error.
func WithProfile(p Profile) Option {
	return func(s *settings) error {
		parsed, err := schema.ParseProfile(string(p))
		s.profile = parsed
		return err
	}
}

// WithMode sets how clients find the tools. Default: ModeTools. An unknown mode is an error.
func WithMode(m Mode) Option {
	return func(s *settings) error {
		switch m {
		case ModeTools, ModeSearch:
			s.search = m == ModeSearch
			return nil
		}
		return fmt.Errorf("unknown mode %q: use %q or %q", m, ModeTools, ModeSearch)
	}
}

// WithoutOutputSchemas leaves the output schemas of tools out, for clients that cannot do with them. Results carry their data
// all the same.
func WithoutOutputSchemas() Option {
	return func(s *settings) error {
		s.noOutput = true
		return nil
	}
}

// WithReload reads the descriptors of all backends again at this interval and swaps the catalog when they changed.
// Default: off. With it, [New] also succeeds while a backend cannot be described yet, and offers its tools once it can;
// it does not wait longer than two seconds for any.
// Zero turns it off; anything else under a second is an error.
func WithReload(every time.Duration) Option {
	return func(s *settings) error {
		if every < 0 || every > 0 && every < minReload {
			return fmt.Errorf("reload interval %v: give at least %v, or 0 to turn reloading off", every, minReload)
		}
		s.reload = every
		return nil
	}
}

// WithAllowedHosts adds values of the HTTP Host header that are served (host or host:port). Default: loopback names and
// addresses only, so that a web page cannot reach a local bridge by DNS rebinding. What is no host is an error.
func WithAllowedHosts(hosts ...string) Option {
	return func(s *settings) error {
		s.hosts = append(s.hosts, hosts...)
		return checkAll(hosts, streamable.CheckHost)
	}
}

// WithAllowedOrigins adds web origins (scheme://host[:port]) that may call the endpoint from a browser. Default: those
// of the allowed hosts. What is no origin is an error.
func WithAllowedOrigins(origins ...string) Option {
	return func(s *settings) error {
		s.origins = append(s.origins, origins...)
		return checkAll(origins, streamable.CheckOrigin)
	}
}

func checkAll(values []string, check func(string) error) error {
	var errs []error
	for _, v := range values {
		errs = append(errs, check(v))
	}
	return errors.Join(errs...)
}

// WithMaxRequestBytes limits an HTTP body and a stdio line. Default: DefaultMaxRequestBytes.
func WithMaxRequestBytes(n int64) Option {
	return func(s *settings) error {
		if n <= 0 {
			return fmt.Errorf("largest request of %d bytes: give a positive number", n)
		}
		s.maxRequest = n
		return nil
	}
}

// WithMaxResultBytes limits the JSON of one result. Default: DefaultMaxResultBytes.
func WithMaxResultBytes(n int) Option {
	return func(s *settings) error {
		if n <= 0 {
			return fmt.Errorf("largest result of %d bytes: give a positive number", n)
		}
		s.maxResult = n
		return nil
	}
}

// WithMaxSessions limits how many sessions may be open over HTTP at once; clients of the protocol revisions before 2026-07-28
// open one each. For one more, the longest unused gives way if that has been unused for two minutes; else it is refused with
// status 503. Default: 10,000. Zero and less are an error.
func WithMaxSessions(n int) Option {
	return func(s *settings) error { return setLimit(&s.maxSessions, n, "sessions") }
}

// WithSessionIdle sets how long a session over HTTP may go without a request or an open stream before it is dropped, and its
// client has to open another one. Only clients of the protocol revisions before 2026-07-28 have sessions. Default: 30 min. Zero
// and less are an error.
func WithSessionIdle(d time.Duration) Option {
	return func(s *settings) error {
		if d <= 0 {
			return fmt.Errorf("idle time of %v: give a positive duration", d)
		}
		s.sessionIdle = d
		return nil
	}
}

// WithMaxStreams limits the HTTP streams on which clients wait for changes at once. Default: 1,024.
func WithMaxStreams(n int) Option {
	return func(s *settings) error { return setLimit(&s.maxStreams, n, "streams") }
}

// WithMaxCalls limits the HTTP requests that are served at once. Default: 4,096. An eighth of them, at least one, are served
// besides that belong to a session and ask for nothing, such as the answers that calls wait for; and streams that wait for
// changes have a limit of their own.
func WithMaxCalls(n int) Option {
	return func(s *settings) error { return setLimit(&s.maxCalls, n, "calls") }
}

// setLimit sets one limit, which has to be positive.
func setLimit(limit *int, n int, what string) error {
	if n <= 0 {
		return fmt.Errorf("at most %d %s: give a positive number", n, what)
	}
	*limit = n
	return nil
}

// WithListTTL promises clients of revision 2026-07-28 that the lists of tools, resources and prompts, and the answer to
// server/discover, hold so long (ttlMs), so that they need not ask again. Default: 0, no promise, since the next reload may
// change them.
func WithListTTL(d time.Duration) Option {
	return func(s *settings) error {
		if d < 0 {
			return fmt.Errorf("lists that hold for %v: give a duration of 0 or more", d)
		}
		s.listTTL = d
		return nil
	}
}

// WithServerInfo sets the name and version that the bridge tells its clients. Default: "bridge" and [Version].
func WithServerInfo(name, version string) Option {
	return func(s *settings) error {
		if name == "" || version == "" {
			return errors.New("WithServerInfo: MCP requires a name and a version")
		}
		s.name, s.version = name, version
		return nil
	}
}

// WithInstructions sets the text that clients may put before their model to explain this server. Default: none. With
// [ModeSearch], what is behind the three tools is told after it.
func WithInstructions(text string) Option {
	return func(s *settings) error {
		s.instructions = text
		return nil
	}
}
