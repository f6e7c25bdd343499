package main

import (
	"log/slog"

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
	if log.GetFormat() == configv1.Log_FORMAT_JSON {
		return slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), options))
	}
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), options))
}

func logInFlags(_ []string, a slog.Attr) slog.Attr {
	if a.Key == "reason" && a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(inFlags.Replace(a.Value.String()))
	}
	return a
}
