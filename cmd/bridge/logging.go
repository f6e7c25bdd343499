package main

import (
	"context"
	"log"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// levels are those of a configuration in terms of slog.
var levels = map[configv1.Log_Level]slog.Level{
	configv1.Log_LEVEL_DEBUG: slog.LevelDebug,
	configv1.Log_LEVEL_INFO:  slog.LevelInfo,
	configv1.Log_LEVEL_WARN:  slog.LevelWarn,
	configv1.Log_LEVEL_ERROR: slog.LevelError,
}

// newLogger makes a logger that writes to stderr: stdout is for results and, in stdio, for the protocol alone. The level is
// the given one where the configuration has none, and the form is that of lines for people. Reasons speak of flags, as all
// that a user of the command line reads, unless a configuration file was given.
func newLogger(cmd *cobra.Command, log *configv1.Log, level slog.Level) *slog.Logger {
	if l, ok := levels[log.GetLevel()]; ok {
		level = l
	}
	options := &slog.HandlerOptions{Level: level}
	if f := cmd.Flags().Lookup("config"); f == nil || !f.Changed {
		options.ReplaceAttr = logInFlags
	}
	out := cmd.ErrOrStderr()
	logger := slog.New(slog.NewTextHandler(out, options))
	if log.GetFormat() == configv1.Log_FORMAT_JSON {
		logger = slog.New(slog.NewJSONHandler(out, options))
	}
	if out == os.Stderr { // the program itself: what libraries log without being given a logger has the same form
		slog.SetDefault(logger)
	}
	return logger
}

func logInFlags(_ []string, a slog.Attr) slog.Attr {
	if a.Key == "reason" && a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(inFlags.Replace(a.Value.String()))
	}
	return a
}

// connectionNoise is how lines of net/http begin that are about a single connection which never became a request: whoever
// reaches the port could fill the log with them.
var connectionNoise = []string{
	"http: TLS handshake error ",
	"http2: server: error reading preface ",
	"http2: server connection error ",
	"http2: server closing client connection",
	"http2: received GOAWAY ",
	"timeout waiting for SETTINGS frames ",
	"timeout waiting for PING response",
}

// newErrorLog is the ErrorLog of a server: warnings, and at the level of debug what is said of single connections.
func newErrorLog(logger *slog.Logger) *log.Logger {
	return slog.NewLogLogger(quiet{logger.Handler()}, slog.LevelWarn)
}

// quiet is a handler that lowers the level of connectionNoise.
type quiet struct{ slog.Handler }

// Handle writes a record, unless nothing is written at its level.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	for _, start := range connectionNoise {
		if strings.HasPrefix(r.Message, start) {
			r.Level = slog.LevelDebug
		}
	}
	if !q.Enabled(ctx, r.Level) {
		return nil
	}
	return q.Handler.Handle(ctx, r)
}
