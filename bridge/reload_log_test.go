package bridge_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
)

// TestReloadFailureIsNotRepeated: a reload that fails in the same way is logged once a minute, another failure at once, and
// so is the first success.
func TestReloadFailureIsNotRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		source := &changing{source: libraryOnly}
		var log bytes.Buffer
		b, err := bridge.New(t.Context(), []bridge.Backend{{Conn: noConn{}, Descriptors: source}},
			bridge.WithReload(time.Second), bridge.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		time.Sleep(time.Second / 2) // between two reloads
		down, refused := errors.New("the backend is down"), errors.New("the backend refuses")
		for i, step := range []struct {
			err    error
			lasts  time.Duration
			failed int
			says   string
		}{
			{down, 30 * time.Second, 1, "the backend is down"},
			{down, 30 * time.Second, 0, ""},
			{down, time.Minute, 1, "failing_for=1m0s"},
			{refused, 10 * time.Second, 1, "the backend refuses"},
			{down, 10 * time.Second, 1, "the backend is down"},
			{nil, 10 * time.Second, 0, "reload works again"},
			{nil, 10 * time.Second, 0, ""},
			{down, 10 * time.Second, 1, "failing_for=0s"},
		} {
			log.Reset()
			source.set(libraryOnly, step.err)
			time.Sleep(step.lasts)
			synctest.Wait()
			got := log.String()
			if failed := strings.Count(got, "reload failed"); failed != step.failed || !strings.Contains(got, step.says) ||
				step.says == "" && got != "" {
				t.Errorf("step %d logged %d failures, want %d and %q:\n%s", i, failed, step.failed, step.says, got)
			}
		}
	})
}
