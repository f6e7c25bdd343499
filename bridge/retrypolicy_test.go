package bridge_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/bridge"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// down is a connection to a server that has no time, and allows to ask again at once.
type down struct {
	grpc.ClientConnInterface // none: nothing but unary calls are made
	calls                    atomic.Int32
}

func (d *down) Invoke(_ context.Context, _ string, _, _ any, options ...grpc.CallOption) error {
	d.calls.Add(1)
	for _, o := range options {
		if trailer, ok := o.(grpc.TrailerCallOption); ok {
			*trailer.TrailerAddr = metadata.Pairs("grpc-retry-pushback-ms", "0")
		}
	}
	return status.Error(codes.Unavailable, "down")
}

// attempts calls a tool and returns how often its backend was called.
func (d *down) attempts(t *testing.T, b *bridge.Bridge, tool, arguments string) int32 {
	t.Helper()
	before := d.calls.Load()
	if r, err := b.Call(t.Context(), tool, []byte(arguments)); err != nil || !r.IsError {
		t.Errorf("%s: error %v, %+v", tool, err, r)
	}
	return d.calls.Load() - before
}

// The tools of the library, one of each level of idempotency, with arguments.
const (
	getBook, getArguments       = "library_get_book", `{"name":"books/dune"}`
	deleteBook                  = "library_delete_book" // with the same
	createBook, createArguments = "library_create_book", `{"book":{"title":"Dune","author":"Frank Herbert"}}`
)

// TestRetryPolicy: a call is made again where its method is declared to be idempotent, by the descriptors or by the settings, as
// often as these say.
func TestRetryPolicy(t *testing.T) {
	t.Parallel()
	hint := func(method string, idempotent bool) map[string]*bridgev1.Tool {
		return map[string]*bridgev1.Tool{"library.v1.LibraryService." + method: {Hints: &bridgev1.Hints{Idempotent: &idempotent}}}
	}
	for name, tt := range map[string]struct {
		policy              bridge.RetryPolicy
		tools               map[string]*bridgev1.Tool
		get, remove, create int32
	}{
		"as declared":   {get: 3, remove: 3, create: 1},
		"once":          {policy: bridge.RetryPolicy{MaxAttempts: 1}, get: 1, remove: 1, create: 1},
		"five times":    {policy: bridge.RetryPolicy{MaxAttempts: 5}, get: 5, remove: 5, create: 1},
		"more methods":  {policy: bridge.RetryPolicy{Idempotent: []string{"*.Create*", "*.Up*"}}, get: 3, remove: 3, create: 3},
		"hints":         {tools: hint("CreateBook", true), get: 3, remove: 3, create: 3},
		"hints against": {tools: hint("GetBook", false), get: 1, remove: 3, create: 1},
		"hints over patterns": {
			policy: bridge.RetryPolicy{Idempotent: []string{"*"}},
			tools:  hint("CreateBook", false), get: 3, remove: 3, create: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, call := range []struct {
				tool, arguments string
				want            int32
			}{{getBook, getArguments, tt.get}, {deleteBook, getArguments, tt.remove}, {createBook, createArguments, tt.create}} {
				conn := &down{}
				b := newBridge(t, []bridge.Backend{{Conn: conn, Descriptors: libraryOnly, Retry: tt.policy, Tools: tt.tools}})
				if got := conn.attempts(t, b, call.tool, call.arguments); got != call.want {
					t.Errorf("%s: %d attempts, want %d", call.tool, got, call.want)
				}
			}
		})
	}
}

// TestRetryPolicyReplaced: another policy holds from the next call on, and that the backend fails for everybody is remembered
// beyond reloads and other settings, for as long as the connection is the same.
func TestRetryPolicyReplaced(t *testing.T) {
	t.Parallel()
	source := &changing{source: libraryOnly}
	conn, other := &down{}, &down{}
	backend := func(conn *down, attempts int) []bridge.Backend {
		return []bridge.Backend{{Conn: conn, Descriptors: source, Retry: bridge.RetryPolicy{MaxAttempts: attempts}}}
	}
	b := newBridge(t, backend(conn, 1))
	var got []int32
	call := func(conn *down) { got = append(got, conn.attempts(t, b, getBook, getArguments)) }
	replace := func(backends []bridge.Backend) {
		if err := b.Replace(t.Context(), backends); err != nil {
			t.Fatal(err)
		}
	}
	call(conn)
	replace(backend(conn, 2))
	call(conn)
	source.set(conformanceOnly, nil)
	if err := b.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	source.set(libraryOnly, nil)
	if err := b.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	replace(backend(conn, 5))
	call(conn) // two more, and half of the ten tokens are gone
	call(conn)
	replace(backend(other, 5))
	call(other)
	if want := []int32{1, 2, 2, 1, 5}; !slices.Equal(got, want) {
		t.Errorf("attempts %v, want %v", got, want)
	}
}

// TestWrongRetryPolicy: what cannot be is refused, and what is misspelt reported.
func TestWrongRetryPolicy(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]bridge.RetryPolicy{
		`backend "default": 6 attempts at a call: give a number from 1, which is no retry, to 5`: {MaxAttempts: 6},
		`backend "default": -1 attempts at a call`:                                               {MaxAttempts: -1},
		`pattern "a/b" has a slash`:                                                              {Idempotent: []string{"a/b"}},
	} {
		_, err := bridge.Inspect(t.Context(), []bridge.Backend{{Descriptors: libraryOnly, Retry: p}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	r, err := bridge.Inspect(t.Context(), []bridge.Backend{{
		Descriptors: libraryOnly,
		Retry:       bridge.RetryPolicy{Idempotent: []string{"*.CreateBook", "*.CreateBok"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	const reason = "retry.idempotent pattern matches no method"
	if len(r.Omitted) != 1 || r.Omitted[0].Method != "*.CreateBok" || !strings.Contains(r.Omitted[0].Reason, reason) {
		t.Errorf("omitted are %+v", r.Omitted)
	}
}
