package bridge

import (
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/library"
)

// TestFailedCompileIsTriedAgain: descriptors that could be read and not be compiled are not taken for what is served.
func TestFailedCompileIsTriedAgain(t *testing.T) {
	t.Parallel()
	s, err := newSettings(nil)
	if err != nil {
		t.Fatal(err)
	}
	loaders, err := newLoaders([]Backend{{Descriptors: descriptor.FileSetBytes("library.binpb", library.DescriptorSet())}}, false)
	if err != nil {
		t.Fatal(err)
	}
	b := assemble(s, loaders)
	recompiles(t, b)
	loaders[0].Descriptors = descriptor.FileSetBytes("echo.binpb", echo.DescriptorSet())
	recompiles(t, b)
}

// recompiles wants what the source has now to replace what is served: not while it cannot be compiled, then once.
func recompiles(t *testing.T, b *Bridge) {
	t.Helper()
	before := b.catalog.Load()
	b.loaders[0].Deadline = -1 // which newLoaders would have refused
	for range 2 {
		if err := b.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "deadline") || b.catalog.Load() != before {
			t.Fatalf("got %v, catalog %p, want %p", err, b.catalog.Load(), before)
		}
	}
	b.loaders[0].Deadline = 0
	for range 2 {
		if err := b.Reload(t.Context()); err != nil || b.catalog.Load() == before {
			t.Fatalf("got %v, catalog %p, as before", err, b.catalog.Load())
		}
	}
	served := b.catalog.Load()
	if err := b.Reload(t.Context()); err != nil || b.catalog.Load() != served {
		t.Errorf("got %v; the same descriptors were compiled again", err)
	}
}
