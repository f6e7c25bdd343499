package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// TestNewLogger: level and form are those of the configuration, and reasons speak of flags where flags were used.
func TestNewLogger(t *testing.T) {
	t.Parallel()
	const reason = "hide pattern broken"
	tests := map[string]struct {
		file  bool
		log   *configv1.Log
		want  []string // in the output, in this order
		lines int
	}{
		"default":        {false, nil, []string{"level=INFO", `reason="--hide pattern broken"`, "level=ERROR"}, 3},
		"with a file":    {true, nil, []string{"level=INFO", `reason="hide pattern broken"`}, 3},
		"debug":          {false, &configv1.Log{Level: configv1.Log_LEVEL_DEBUG}, []string{"level=DEBUG", "level=INFO"}, 4},
		"error":          {false, &configv1.Log{Level: configv1.Log_LEVEL_ERROR}, []string{"level=ERROR"}, 1},
		"JSON":           {true, &configv1.Log{Format: configv1.Log_FORMAT_JSON}, []string{`"reason":"hide pattern broken"`}, 3},
		"JSON and flags": {false, &configv1.Log{Format: configv1.Log_FORMAT_JSON}, []string{`"reason":"--hide pattern broken"`}, 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetErr(&out)
			file := cmd.Flags().String("config", "", "")
			if tt.file {
				if err := cmd.Flags().Set("config", "bridge.yaml"); err != nil || *file == "" {
					t.Fatal(err)
				}
			}
			logger := newLogger(cmd, tt.log, slog.LevelInfo)
			logger.Debug("one", "reason", reason)
			logger.Info("two", "reason", reason)
			logger.Warn("three", "reason", reason)
			logger.Error("four", "reason", reason)
			if lines := strings.Count(out.String(), "\n"); lines != tt.lines {
				t.Errorf("%d lines, want %d", lines, tt.lines)
			}
			rest := out.String()
			for _, want := range tt.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("there is no %s in\n%s", want, out.String())
				}
				rest = after
			}
			for line := range strings.Lines(out.String()) {
				if tt.log.GetFormat() == configv1.Log_FORMAT_JSON && !json.Valid([]byte(line)) {
					t.Errorf("this is no JSON: %s", line)
				}
			}
		})
	}
}

// TestErrorLog: what a server says of single connections is for those who look for it, and the rest is a warning.
func TestErrorLog(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line  string
		level slog.Level // of the logger
		want  string     // of the line; "" for no line
	}{
		{"http: TLS handshake error from 127.0.0.1:1: EOF", slog.LevelInfo, ""},
		{"http: TLS handshake error from 127.0.0.1:1: EOF", slog.LevelDebug, "level=DEBUG "},
		{"timeout waiting for SETTINGS frames from 127.0.0.1:1", slog.LevelInfo, ""},
		{"timeout waiting for SETTINGS frames from 127.0.0.1:1", slog.LevelDebug, "level=DEBUG "},
		{"http: Accept error: too many open files; retrying in 1s", slog.LevelInfo, "level=WARN "},
		{"http2: panic serving 127.0.0.1:1: x", slog.LevelInfo, "level=WARN "},
		{"http2: panic serving 127.0.0.1:1: x", slog.LevelError, ""},
	} {
		var out bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: tt.level}))
		if err := newErrorLog(logger).Output(0, tt.line); err != nil {
			t.Error(err)
		}
		if got := out.String(); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s at %v: got %q, want %q", tt.line, tt.level, got, tt.want)
		}
	}
}

// TestForeignLines: the program's logger is also that of libraries which are given none; that of a command which writes
// elsewhere is not.
func TestForeignLines(t *testing.T) {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	elsewhere := &cobra.Command{}
	elsewhere.SetErr(&bytes.Buffer{})
	if newLogger(elsewhere, nil, slog.LevelInfo); slog.Default() != before {
		t.Error("a command that does not write to stderr has changed the default")
	}
	if logger := newLogger(&cobra.Command{}, nil, slog.LevelError); slog.Default() != logger {
		t.Error("libraries do not log to the program's logger")
	}
}
