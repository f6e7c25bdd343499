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
