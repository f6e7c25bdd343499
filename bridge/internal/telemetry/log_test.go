package telemetry_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

func TestLogHandler(t *testing.T) {
	t.Parallel()
	const ids = "trace_id=" + ambientTrace + " span_id=" + ambientSpan
	for name, c := range map[string]struct {
		log  func(ctx context.Context, log *slog.Logger)
		want string // "IDS" stands for the two
	}{
		"plain": {func(ctx context.Context, log *slog.Logger) { log.InfoContext(ctx, "m", "a", 1) }, "msg=m a=1 IDS"},
		"with":  {func(ctx context.Context, log *slog.Logger) { log.With("w", 1).InfoContext(ctx, "m", "a", 1) }, "msg=m w=1 a=1 IDS"},
		"group": {func(ctx context.Context, log *slog.Logger) { log.WithGroup("g").InfoContext(ctx, "m", "a", 1) }, "msg=m IDS g.a=1"},
		"both": {func(ctx context.Context, log *slog.Logger) {
			log.With("w", 1).WithGroup("g").With("x", 2).InfoContext(ctx, "m", "a", 1)
		}, "msg=m w=1 IDS g.x=2 g.a=1"},
		"debug":  {func(ctx context.Context, log *slog.Logger) { log.DebugContext(ctx, "m") }, ""},
		"forked": {forked, "msg=m w=1 IDS g.y=1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, traced := range []bool{true, false} {
				var out strings.Builder
				options := &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
					if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
						return slog.Attr{}
					}
					return a
				}}
				ctx, want := context.Background(), strings.ReplaceAll(c.want, " IDS", "")
				if traced {
					ctx, want = ambient(t), strings.ReplaceAll(c.want, "IDS", ids)
				}
				c.log(ctx, slog.New(telemetry.LogHandler(slog.NewTextHandler(&out, options))))
				if got := strings.TrimSpace(out.String()); got != want {
					t.Errorf("traced %v: got %q, want %q", traced, got, want)
				}
			}
		})
	}
}

// forked makes two loggers of one, of which the first is not to know the second's attributes.
func forked(ctx context.Context, log *slog.Logger) {
	log = log.With("w", 1).WithGroup("g")
	first := log.With("y", 1)
	_ = log.With("z", 1)
	first.InfoContext(ctx, "m")
}
