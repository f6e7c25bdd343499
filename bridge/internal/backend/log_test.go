package backend_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// log is a logger whose lines can be read.
type log struct {
	*slog.Logger
	mu   sync.Mutex
	text bytes.Buffer
}

func newLog() *log {
	l := &log{}
	l.Logger = slog.New(slog.NewTextHandler(l, nil))
	return l
}

// Write collects a line.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the lines so far.
func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestLogHasTheContext: a line about a call is written with the context of the call, so that it can say in which trace it was.
func TestLogHasTheContext(t *testing.T) {
	t.Parallel()
	type key struct{}
	var seen []any
	logger := slog.New(spy(func(ctx context.Context) { seen = append(seen, ctx.Value(key{})) }))
	b := newBackend(t, backend.Config{Conn: stub{err: status.Error(codes.Internal, "x")}, HideInternalErrors: true, Logger: logger})
	_, _ = b.Unary(context.WithValue(t.Context(), key{}, "the call's"), compile(t).method("Do"), nil)
	if len(seen) != 1 || seen[0] != "the call's" {
		t.Errorf("the log saw %v", seen)
	}
}

// spy is a log that looks at the contexts of its lines.
type spy func(ctx context.Context)

// Enabled says yes.
func (spy) Enabled(context.Context, slog.Level) bool { return true }

// Handle shows the context.
func (s spy) Handle(ctx context.Context, _ slog.Record) error { s(ctx); return nil }

// WithAttrs returns the same log.
func (s spy) WithAttrs([]slog.Attr) slog.Handler { return s }

// WithGroup returns the same log.
func (s spy) WithGroup(string) slog.Handler { return s }
