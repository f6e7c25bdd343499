package main

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestTelemetryFailures: a collector that is down is in the log once a minute for each kind of failure, with their number, and
// however much it says, only the beginning of it is.
func TestTelemetryFailures(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f := newFailures(slog.New(slog.NewTextHandler(&log, nil)), func() time.Time { return now })
	for range 3 {
		f.note(kindTraces, errors.New("connection refused"))
		f.Handle(errors.New("failed to upload metrics: connection refused"))
		f.note(kindTraces, nil)
	}
	now = now.Add(failureInterval)
	f.note(kindTraces, errors.New("http://user:s3cret@collector said \xff\n"+strings.Repeat("é", maxReason)))
	f.close(nil)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	want := []string{
		`signal=traces failures=1 reason="connection refused"`,
		`signal=metrics failures=1 `,
		`signal=traces failures=3 reason="http://collector said ` + "\uFFFD" + `\nééé`, // those two between and the one now
		`signal=metrics failures=2 `,
	}
	if len(lines) != len(want) {
		t.Fatalf("got %d lines, want %d:\n%s", len(lines), len(want), log.String())
	}
	for i := range want {
		if !strings.Contains(lines[i], want[i]) {
			t.Errorf("line %d is\n%s\nwhich lacks\n%s", i, lines[i], want[i])
		}
	}
	if strings.Contains(log.String(), "s3cret") || len(lines[2]) > 2*maxReason {
		t.Errorf("the line says too much: %s", lines[2])
	}
}
