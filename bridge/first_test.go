package bridge_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/services/conformance"
)

// slow is a source that answers after some time, or when it is told to stop.
type slow struct {
	after  time.Duration
	source descriptor.Source
}

func (s slow) Load(ctx context.Context) (*descriptor.Set, error) {
	select {
	case <-time.After(s.after):
		return s.source.Load(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestNewDoesNotWaitForSlowBackends: with reloading, what is there is served at once, and the rest when it comes.
func TestNewDoesNotWaitForSlowBackends(t *testing.T) {
	t.Parallel()
	for name, fast := range map[string]string{"one of two": "echo", "all": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				backends := []bridge.Backend{{Name: "late", Conn: noConn{}, Descriptors: slow{20 * time.Second, libraryOnly}}}
				if fast != "" {
					backends = append(backends, bridge.Backend{Name: "fast", Conn: noConn{}, Descriptors: echoOnly})
				}
				started := time.Now()
				ctx, cancel := context.WithCancel(t.Context())
				log := new(logbook)
				b, err := bridge.New(ctx, backends, bridge.WithReload(time.Hour), bridge.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
				if err != nil {
					t.Fatal(err)
				}
				defer b.Close()
				cancel() // which is no concern of what goes on behind New
				if waited := time.Since(started); waited != 2*time.Second {
					t.Errorf("New took %v", waited)
				}
				if text := log.read(); !strings.Contains(text, "backends=late") {
					t.Errorf("logged %q", text)
				}
				if got := prefixes(b); got != fast {
					t.Errorf("serves %q, want %q", got, fast)
				}
				time.Sleep(18 * time.Second)
				synctest.Wait()
				if got, want := prefixes(b), strings.TrimSpace(fast+" library"); got != want {
					t.Errorf("serves %q, want %q", got, want)
				}
			})
		})
	}
}

// TestNewWaitsForOrdinaryStarts: what takes less than that is served from the start.
func TestNewWaitsForOrdinaryStarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		backend := bridge.Backend{Conn: noConn{}, Descriptors: slow{1900 * time.Millisecond, libraryOnly}}
		b := newBridge(t, []bridge.Backend{backend}, bridge.WithReload(time.Hour))
		if got := prefixes(b); got != "library" {
			t.Errorf("serves %q, want library", got)
		}
	})
}

// TestCloseEndsTheFirstReading: what hangs does not outlive the bridge, and is not complained of.
func TestCloseEndsTheFirstReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := new(logbook)
		b, err := bridge.New(t.Context(), []bridge.Backend{{Conn: noConn{}, Descriptors: slow{time.Hour, libraryOnly}}},
			bridge.WithReload(time.Second), bridge.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
		if err != nil {
			t.Fatal(err)
		}
		log.read()
		if err := b.Close(); err != nil || log.read() != "" {
			t.Errorf("got %v and something was logged", err)
		}
	})
}

// TestNewEndsWithItsContext: whoever gives up while New waits gets an error, and nothing goes on.
func TestNewEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := bridge.New(ctx, []bridge.Backend{{Conn: noConn{}, Descriptors: slow{time.Hour, libraryOnly}}}, bridge.WithReload(time.Second))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// TestLikelyMistakesAreLogged: patterns that do nothing, comments that fit nothing, and nothing on offer.
func TestLikelyMistakesAreLogged(t *testing.T) {
	t.Parallel()
	const none = "nothing is offered"
	for name, c := range map[string]struct {
		backend bridge.Backend
		want    string // "" for no warning
	}{
		"hide":     {bridge.Backend{Descriptors: libraryOnly, Hide: []string{"*.DeletBook"}}, "pattern=*.DeletBook"},
		"expose":   {bridge.Backend{Descriptors: libraryOnly, Expose: []string{"*.Lost"}}, "pattern=*.Lost"},
		"nothing":  {bridge.Backend{Descriptors: libraryOnly, Expose: []string{"*.Lost"}}, none},
		"comments": {bridge.Backend{Descriptors: descriptor.Overlay(libraryOnly, echoOnly)}, "the text declares nothing"},
		"resources alone": {bridge.Backend{
			Descriptors: descriptor.FileSetBytes("conformance.binpb", conformance.DescriptorSet()), Expose: []string{"*.StaticText"},
		}, ""},
		"prompts alone": {bridge.Backend{
			Descriptors: descriptor.FileSetBytes("conformance.binpb", conformance.DescriptorSet()), Expose: []string{"*.ExtraPrompt"},
		}, ""},
		"no fault": {bridge.Backend{Descriptors: libraryOnly, Hide: []string{"*.DeleteBook"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := new(logbook)
			c.backend.Conn = noConn{}
			newBridge(t, []bridge.Backend{c.backend}, bridge.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
			text := log.read()
			if warned := strings.Contains(text, "level=WARN"); warned != (c.want != "") || !strings.Contains(text, c.want) {
				t.Errorf("logged %q, want %q", text, c.want)
			}
			if c.want != none && name != "expose" && strings.Contains(text, none) {
				t.Errorf("logged %q", text)
			}
		})
	}
}
