package bridge_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

const (
	libraryService = protoreflect.FullName("library.v1.LibraryService")
	echoService    = protoreflect.FullName("echo.v1.EchoService")
)

// described is a source that lists services and describes those whose files it is given, without comments.
type described struct {
	files  []descriptor.Source
	listed []protoreflect.FullName
}

func (d described) Load(ctx context.Context) (*descriptor.Set, error) {
	files := map[string]*descriptorpb.FileDescriptorProto{}
	for _, source := range d.files {
		set, err := source.Load(ctx)
		if err != nil {
			return nil, err
		}
		set.Files().RangeFiles(func(fd protoreflect.FileDescriptor) bool {
			files[fd.Path()] = protodesc.ToFileDescriptorProto(fd)
			files[fd.Path()].SourceCodeInfo = nil
			return true
		})
	}
	var all []*descriptorpb.FileDescriptorProto
	for _, file := range files {
		all = append(all, file)
	}
	return descriptor.New(all, d.listed)
}

// list makes a source that lists and describes each service but the silent ones, which it only lists.
func list(services []protoreflect.FullName, silent ...protoreflect.FullName) descriptor.Source {
	d := described{listed: services}
	for name, source := range map[protoreflect.FullName]descriptor.Source{libraryService: libraryOnly, echoService: echoOnly} {
		if slices.Contains(services, name) && !slices.Contains(silent, name) {
			d.files = append(d.files, source)
		}
	}
	return d
}

// logbook keeps what is logged from any goroutine until it is read.
type logbook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// read returns what was logged since the last time.
func (l *logbook) read() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// reloads steps a bridge through what its source says at each interval.
type reloads struct {
	bridge *bridge.Bridge
	log    *logbook
}

func startReloads(t *testing.T, backends ...bridge.Backend) reloads {
	t.Helper()
	log := new(logbook)
	b, err := bridge.New(t.Context(), backends, bridge.WithReload(time.Second), bridge.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return reloads{b, log}
}

// step waits for a reload and wants an error logged that holds all of want, or none where want is empty.
func (r reloads) step(t *testing.T, serves string, want ...string) {
	t.Helper()
	r.log.read()
	time.Sleep(time.Second)
	synctest.Wait()
	if got := prefixes(r.bridge); got != serves {
		t.Errorf("serves %q, want %q", got, serves)
	}
	text := r.log.read()
	if failed := strings.Contains(text, "level=ERROR"); failed != (len(want) > 0) {
		t.Errorf("logged %q", text)
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("logged %q, which lacks %q", text, w)
		}
	}
}

// TestReloadKeepsWhatCannotBeDescribed: a service that the server still lists keeps its tools when it cannot be
// described any more; one that it lists no more goes, even then.
func TestReloadKeepsWhatCannotBeDescribed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		both := []protoreflect.FullName{echoService, libraryService}
		source := &changing{source: list(both)}
		r := startReloads(t, bridge.Backend{Name: "all", Conn: noConn{}, Descriptors: source})
		complaint := []string{`backend \"all\"`, "incomplete", string(echoService)}
		r.step(t, "echo library")
		source.set(list(both, echoService), nil)
		r.step(t, "echo library", complaint...)
		r.step(t, "echo library") // the same again is no news
		if err := r.bridge.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), string(echoService)) {
			t.Errorf("Reload returned %v", err)
		}
		source.set(list(both[:1], echoService), nil)
		r.step(t, "echo", complaint...)
		source.set(list(both), nil)
		r.step(t, "echo library")
		source.set(list(both[1:]), nil)
		r.step(t, "library")
		source.set(list(both, echoService), nil)
		r.step(t, "library") // a service that comes and cannot be described was not there before
	})
}

// TestReloadKeepsComments: when comments cannot be read any more, descriptions stay what they were, in what there still
// is.
func TestReloadKeepsComments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		both := []protoreflect.FullName{echoService, libraryService}
		base, text := &changing{source: list(both)}, &changing{err: errors.New("no such file")}
		r := startReloads(t, bridge.Backend{Conn: noConn{}, Descriptors: descriptor.Overlay(base, text)})
		if got := describes(r.bridge); !strings.HasPrefix(got, "Calls library.v1.") {
			t.Errorf("without comments it is described as %q", got)
		}
		r.step(t, "echo library") // what has never been there is reported and not an error
		text.set(libraryOnly, nil)
		r.step(t, "echo library")
		want := describes(r.bridge)
		if strings.HasPrefix(want, "Calls library.v1.") {
			t.Fatalf("with comments it is described as %q", want)
		}
		text.set(nil, errors.New("the disk is gone"))
		r.step(t, "echo library", "incomplete", "comments: not loaded: the disk is gone")
		base.set(list(both[1:]), nil)
		r.step(t, "library", "the disk is gone")
		if got := describes(r.bridge); got != want {
			t.Errorf("it is now described as %q", got)
		}
		text.set(libraryOnly, nil)
		r.step(t, "library")
	})
}

// describes returns the description of library_get_book.
func describes(b *bridge.Bridge) string {
	for _, tool := range b.Report().Tools {
		if tool.Name == "library_get_book" {
			return tool.Description
		}
	}
	return ""
}

// TestManyLosses: an error tells of the first losses and counts the others.
func TestManyLosses(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e"}
	var files []*descriptorpb.FileDescriptorProto
	var services []protoreflect.FullName
	for _, name := range names {
		files = append(files, &descriptorpb.FileDescriptorProto{
			Name: new(name + ".proto"), Package: new(name), Service: []*descriptorpb.ServiceDescriptorProto{{Name: new("S")}},
		})
		services = append(services, protoreflect.FullName(name+".S"))
	}
	whole, err := descriptor.New(files, services)
	if err != nil {
		t.Fatal(err)
	}
	source := &changing{source: given{whole}}
	b := newBridge(t, []bridge.Backend{{Conn: noConn{}, Descriptors: source}})
	source.set(described{listed: services}, nil)
	err = b.Reload(t.Context())
	if err == nil || !strings.Contains(err.Error(), "c.S: ") || strings.Contains(err.Error(), "d.S") ||
		!strings.Contains(err.Error(), "and 2 more") {
		t.Errorf("got %v", err)
	}
}

// given is a source of one set, which may be nil.
type given struct{ set *descriptor.Set }

func (g given) Load(context.Context) (*descriptor.Set, error) { return g.set, nil }

// TestSourceOfNothing: a source that breaks its contract is an error and no crash.
func TestSourceOfNothing(t *testing.T) {
	t.Parallel()
	_, err := bridge.Inspect(t.Context(), []bridge.Backend{{Name: "x", Descriptors: given{}}})
	if err == nil || !strings.Contains(err.Error(), `backend "x"`) {
		t.Errorf("got %v", err)
	}
}
