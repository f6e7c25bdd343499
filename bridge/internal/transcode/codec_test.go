package transcode_test

import (
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	md := features(t).message(t, "t3.All")
	if _, err := transcode.Compile(nil, md, nil, transcode.Options{}); err == nil {
		t.Error("a missing request type was accepted")
	}
	if _, err := transcode.Compile(md, missing{md}, nil, transcode.Options{}); err == nil || !strings.Contains(err.Error(), "t3.All") {
		t.Errorf("error %v, want one that names the type that was not found", err)
	}
}

// missing is a type that was referred to and never found.
type missing struct{ protoreflect.MessageDescriptor }

func (missing) IsPlaceholder() bool { return true }

// Without a resolver everything works but what needs one.
func TestNoResolver(t *testing.T) {
	t.Parallel()
	c := compile(t, features(t).message(t, "t3.All"), nil, transcode.Options{})
	if got, warnings := roundTrip(t, c, `{"fInt32":1,"any":{}}`); got != `{"fInt32":1,"any":{}}` || warnings != nil {
		t.Errorf("result %s, warnings %q", got, warnings)
	}
	refused(t, c, `{"any":{"@type":"x/t3.Sub"}}`)
}

// One codec serves all calls of its method at once, from the first on.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	c := features(t).codec(t, "t3.All", transcode.Options{EmitDefaults: true})
	var wg sync.WaitGroup
	results := make([]string, 8)
	for i := range results {
		wg.Go(func() {
			wire, err := c.AppendWire(nil, []byte(`{"all":{"sub":{"n":1},"struct":{"a":1},"any":{"@type":"x/t3.Typed"}}}`))
			if err != nil {
				t.Error(err)
				return
			}
			out, _, err := c.AppendJSON(nil, wire)
			if err != nil {
				t.Error(err)
			}
			results[i] = string(out)
		})
	}
	wg.Wait()
	for _, got := range results[1:] {
		if got != results[0] {
			t.Errorf("results differ:\n%s\n%s", results[0], got)
		}
	}
}
