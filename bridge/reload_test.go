package bridge_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/services/conformance"
	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/library"
)

// changing is a source whose answer a test sets.
type changing struct {
	mu     sync.Mutex
	source descriptor.Source
	err    error
	loads  atomic.Int64
}

func (c *changing) set(s descriptor.Source, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.source, c.err = s, err
}

func (c *changing) Load(ctx context.Context) (*descriptor.Set, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loads.Add(1)
	if c.err != nil {
		return nil, c.err
	}
	return c.source.Load(ctx)
}

// noConn is a connection that fails every call.
type noConn struct{ grpc.ClientConnInterface }

var (
	libraryOnly = descriptor.FileSetBytes("library.binpb", library.DescriptorSet())
	echoOnly    = descriptor.FileSetBytes("echo.binpb", echo.DescriptorSet())

	conformanceOnly = descriptor.FileSetBytes("conformance.binpb", conformance.DescriptorSet())
)

// prefixes returns the first words of the names of the tools offered, in order and once each.
func prefixes(b *bridge.Bridge) string {
	var found []string
	for _, tool := range b.Report().Tools {
		word, _, _ := strings.Cut(tool.Name, "_")
		if len(found) == 0 || found[len(found)-1] != word {
			found = append(found, word)
		}
	}
	return strings.Join(found, " ")
}

// TestReloadSwaps: a change is served after the next interval, and a failure keeps what was there and is logged.
func TestReloadSwaps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		source := &changing{source: libraryOnly}
		var log bytes.Buffer
		b, err := bridge.New(t.Context(), []bridge.Backend{{Conn: noConn{}, Descriptors: source}},
			bridge.WithReload(30*time.Second), bridge.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for _, step := range []struct {
			source descriptor.Source
			err    error
			want   string
			log    string
		}{
			{libraryOnly, nil, "library", ""},
			{echoOnly, nil, "echo", "catalog compiled"},
			{nil, errors.New("the disk is gone"), "echo", "the disk is gone"},
			{libraryOnly, nil, "library", "catalog compiled"},
		} {
			log.Reset()
			source.set(step.source, step.err)
			time.Sleep(30 * time.Second)
			synctest.Wait()
			if got := prefixes(b); got != step.want {
				t.Errorf("serves %q, want %q", got, step.want)
			}
			if got := log.String(); step.log == "" && got != "" || !strings.Contains(got, step.log) {
				t.Errorf("logged %q, want %q", got, step.log)
			}
		}
	})
}

// TestReloadStartsEmpty: with reloading, a backend that cannot be described yet is offered once it can.
func TestReloadStartsEmpty(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		source := &changing{err: errors.New("connection refused")}
		var log bytes.Buffer
		b, err := bridge.New(t.Context(), []bridge.Backend{{Conn: noConn{}, Descriptors: source}},
			bridge.WithReload(time.Second), bridge.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if !strings.Contains(log.String(), "connection refused") {
			t.Errorf("logged %q", log.String())
		}
		if got := prefixes(b); got != "" {
			t.Errorf("serves %q before anything could be read", got)
		}
		source.set(libraryOnly, nil)
		time.Sleep(time.Second)
		synctest.Wait()
		if got := prefixes(b); got != "library" {
			t.Errorf("serves %q, want library", got)
		}
	})
}

// TestNewNamesTheBackend: without reloading, a backend that cannot be described fails New, by its name.
func TestNewNamesTheBackend(t *testing.T) {
	t.Parallel()
	source := &changing{err: errors.New("connection refused")}
	_, err := bridge.New(t.Context(), []bridge.Backend{{Name: "books", Conn: noConn{}, Descriptors: source}})
	if err == nil || !strings.Contains(err.Error(), `"books"`) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
}

// TestMistakesAreNotWaitedOut: reloading does not keep a wrong configuration from failing at once, all of it and before
// anything is read.
func TestMistakesAreNotWaitedOut(t *testing.T) {
	t.Parallel()
	source := &changing{err: errors.New("connection refused")}
	backends := []bridge.Backend{
		{Name: "a", Conn: noConn{}, Descriptors: source, Deadline: -1, Expose: []string{"["}},
		{Name: "b", Conn: noConn{}, Descriptors: source, Hide: []string{"a/b"}, MaxMessageBytes: -1},
		{Name: "b", Conn: noConn{}, Descriptors: source, Headers: map[string][]string{"grpc-timeout": {"1S"}}},
		{Name: "c", Descriptors: source},
	}
	_, err := bridge.New(t.Context(), backends, bridge.WithReload(time.Second))
	if err == nil || source.loads.Load() > 0 {
		t.Fatalf("got %v after %d readings", err, source.loads.Load())
	}
	for _, want := range []string{
		`backend "a": deadline -1ns`, `backend "a": pattern "["`, `backend "b": pattern "a/b"`, `backend "b": message limit`,
		`two backends are called "b"`, "grpc-timeout", `backend "c" has no connection`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
}

// TestFailedStartLogsNothing: what is returned is not logged as well, and nothing is compiled that is not served.
func TestFailedStartLogsNothing(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	backends := []bridge.Backend{
		{Name: "bad", Conn: noConn{}, Descriptors: &changing{err: errors.New("connection refused")}},
		{Name: "worse", Conn: noConn{}, Descriptors: &changing{err: errors.New("connection refused")}},
	}
	for _, some := range [][]bridge.Backend{backends, backends[1:]} {
		if _, err := bridge.New(t.Context(), some, bridge.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))); err == nil {
			t.Error("no error")
		}
	}
	if log.Len() > 0 {
		t.Errorf("logged %q", log.String())
	}
}

// waiting is a source that answers only once as many loads are under way as its group was added.
type waiting struct{ arrived *sync.WaitGroup }

func (w waiting) Load(ctx context.Context) (*descriptor.Set, error) {
	w.arrived.Done()
	all := make(chan struct{})
	go func() {
		w.arrived.Wait()
		close(all)
	}()
	select {
	case <-all:
		return libraryOnly.Load(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestBackendsAreReadTogether: each of these backends hangs until all are being read.
func TestBackendsAreReadTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var arrived sync.WaitGroup
		arrived.Add(3)
		var backends []bridge.Backend
		for _, name := range []string{"a", "b", "c"} {
			backends = append(backends, bridge.Backend{Name: name, Descriptors: waiting{&arrived}})
		}
		if _, err := bridge.Inspect(ctx, backends); err != nil {
			t.Fatal(err)
		}
	})
}

// TestReloadUnderCalls reloads while calls run: each sees one catalog or the other, whole.
func TestReloadUnderCalls(t *testing.T) {
	t.Parallel()
	conn := startServices(t)
	source := &changing{source: libraryOnly}
	b := newBridge(t, []bridge.Backend{{Conn: conn, Descriptors: source}})
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() { callUntil(t, b, stop) })
	}
	for i := range 50 {
		source.set([]descriptor.Source{libraryOnly, descriptor.Reflection(conn)}[i%2], nil)
		if err := b.Reload(t.Context()); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	callers.Wait()
}

func callUntil(t *testing.T, b *bridge.Bridge, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		r, err := b.Call(t.Context(), "library_get_book", []byte(`{"name":"books/dune"}`))
		if err != nil || r.IsError {
			t.Errorf("%v %+v", err, r)
			return
		}
	}
}
