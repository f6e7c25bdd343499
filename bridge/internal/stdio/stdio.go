package stdio

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// Defaults for the zero fields of Config.
const (
	// DefaultMaxLine is the longest line, in bytes without its end: 1 MiB.
	DefaultMaxLine int64 = 1 << 20
	// DefaultMaxRunning is how many calls run at once: 64.
	DefaultMaxRunning = 64
	// DefaultMaxPending is how many calls are admitted at once, running and waiting together: 256.
	DefaultMaxPending = 256
	// DefaultMaxStreams is how many subscriptions/listen are open at once: 32.
	DefaultMaxStreams = 32
	// DefaultGrace is how long calls in flight may go on when the input or the context has ended: 500 ms.
	DefaultGrace = 500 * time.Millisecond
	// DefaultWriteTimeout is how long the client may leave an answer unread: 30 s.
	DefaultWriteTimeout = 30 * time.Second
)

// Bounds of the end of Serve, from the cancellation of the last calls on. With DefaultGrace they keep within the second
// that a client waits before it sends a signal.
const (
	// callStop is how long calls may take to notice that they are cancelled.
	callStop = 200 * time.Millisecond
	// ioStop is how long each of reader and writer may take, when asked and again when closed.
	ioStop = 75 * time.Millisecond
	// lastRead is how long the client may leave an answer unread when it has ended the input.
	lastRead = 300 * time.Millisecond
)

// Errors that Serve returns, beside those of its reader and writer.
var (
	// ErrBlocked says that the client did not read an answer for Config.WriteTimeout, or for 300 ms after the end of its input.
	ErrBlocked = errors.New("the client does not read its answers: it has to read standard output all the time")
	// ErrStuck says that calls went on after they were cancelled and were left behind. Their requests are answered all the same.
	ErrStuck = errors.New("calls in flight did not stop when they were cancelled")
)

// Config is what Serve needs. Server and Gate are required. A field below zero means what 0 does, but for Grace.
type Config struct {
	// Server and Gate serve the messages.
	Server *server.Server
	Gate   *lifecycle.Gate
	// MaxLine is the longest line, in bytes without its end; 0 is DefaultMaxLine.
	MaxLine int64
	// MaxRunning is how many calls run at once; 0 is DefaultMaxRunning. A call is a request that is not answered from what
	// is at hand, as ping and tools/list are.
	MaxRunning int
	// MaxPending is how many calls are admitted at once, running and waiting; 0 is DefaultMaxPending. More are refused. As
	// many other requests are admitted besides. Their lines are kept: the memory they hold is at most twice MaxPending
	// times MaxLine, and that of the streams.
	MaxPending int
	// MaxStreams is how many subscriptions/listen are open at once, for which there is room besides; 0 is DefaultMaxStreams.
	// More are refused. Where the gate has no room for all that together, both bounds are lower.
	MaxStreams int
	// Grace is how long calls in flight may go on when the input or the context has ended; 0 is DefaultGrace, negative is none.
	Grace time.Duration
	// WriteTimeout is how long the client may leave an answer unread; 0 is DefaultWriteTimeout. When the input has ended it
	// is 300 ms at most.
	WriteTimeout time.Duration
	// Logger takes panics (error); nil logs nowhere. It must not write to the w of Serve.
	Logger *slog.Logger
	// Telemetry is told of the end of a stream whose client had begun the legacy handshake, and of a client that does not
	// read; nil records nothing.
	Telemetry *telemetry.Telemetry
}

// orDefault returns the value of a limit, zero and less being none.
func orDefault[T int | int64 | time.Duration](value, usual T) T {
	if value <= 0 {
		return usual
	}
	return value
}

// withDefaults returns c with its zero fields filled in.
func (c Config) withDefaults() Config {
	c.MaxLine = orDefault(c.MaxLine, DefaultMaxLine)
	c.MaxRunning = orDefault(c.MaxRunning, DefaultMaxRunning)
	c.MaxPending = orDefault(c.MaxPending, DefaultMaxPending)
	c.MaxStreams = orDefault(c.MaxStreams, DefaultMaxStreams)
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	c.WriteTimeout = orDefault(c.WriteTimeout, DefaultWriteTimeout)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// Serve reads messages from r and writes to w until r ends or ctx does, ends the calls in flight and returns. Neither end
// is an error; a failing r or w is, and so are ErrBlocked and ErrStuck. Calls have the values of ctx.
//
// All goroutines have ended when Serve returns, unless a call ignores its cancellation or a Read or Write cannot be
// woken: Serve closes r, and w, when they are an io.Closer, but only to wake a Read or a Write that stands in the way of
// its return. (Standard input in blocking mode cannot be woken; the process is about to end then.)
func Serve(ctx context.Context, cfg Config, r io.Reader, w io.Writer) error {
	conn := cfg.Gate.Stream()
	defer conn.Close()
	conn.SetPeer(lifecycle.Peer{Transport: transport})
	cfg = cfg.withDefaults()
	room := cfg.Gate.MaxInFlight() // the gate counts all lanes as one
	cfg.MaxStreams = min(cfg.MaxStreams, max(1, room/4))
	cfg.MaxPending = min(cfg.MaxPending, max(1, (room-cfg.MaxStreams)/2))
	began := time.Now()
	err := serve(ctx, cfg, conversation{cfg.Server, conn}, r, w)
	if version := conn.Version(); version != "" {
		cfg.Telemetry.SessionEnded(string(version), transport, time.Since(began), failureOf(err))
	}
	return err
}

// transport is what a stream is in the terms of telemetry.
const transport = "pipe"

// failureOf names the error with which a stream has ended in the terms of telemetry; "" for nil. It is one of few.
func failureOf(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrBlocked):
		return telemetry.CutSlow
	case errors.Is(err, ErrStuck):
		return "stuck"
	}
	return "_OTHER"
}
