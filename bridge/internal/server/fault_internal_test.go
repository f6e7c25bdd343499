package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// heard keeps the messages of a client.
type heard []string

// Send implements Sink.
func (h *heard) Send(_ context.Context, message []byte) error {
	*h = append(*h, string(message))
	return nil
}

// TestFaultOfOurs: an error of no known kind is ours. The log has it, and no
// client, whatever it called: neither in the answer nor in its log.
func TestFaultOfOurs(t *testing.T) {
	t.Parallel()
	set, err := descriptor.Files([]string{"testdata"}, []string{"shelf.proto"}).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	offered, _ := catalog.Compile(nil, catalog.Options{})
	s := New(Config{
		Gate: lifecycle.NewGate(lifecycle.Config{}), Catalog: func() *catalog.Catalog { return offered },
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	client := &heard{}
	r := &request{ctx: t.Context(), scope: &lifecycle.Scope{LogLevel: mcp.LevelError}, out: client}
	call := r.start(target{method: set.Services()[0].Methods().Get(0)})
	fault := s.sort(t.Context(), &call.target, errors.New("the secret of the bridge"))
	call.failed(fault)
	if result := outcome(&catalog.Tool{}, nil, fault); result != nil {
		t.Errorf("a tool has the result %s", result.Text)
	}
	if e := fault.refusal(); e.Code != -32603 || strings.Contains(e.Message+string(e.Data), "secret") ||
		!strings.Contains(string(e.Data), `"outcome":"unknown"`) {
		t.Errorf("got %v", e)
	}
	if said := strings.Join(*client, "\n"); !strings.Contains(said, `"level":"error"`) || strings.Contains(said, "secret") {
		t.Errorf("the client's log has: %s", said)
	}
	if !strings.Contains(log.String(), "the secret of the bridge") {
		t.Errorf("the log has: %s", log.String())
	}
}

// TestRefusalsInLog: a session store that is full is no failure of the store.
func TestRefusalsInLog(t *testing.T) {
	t.Parallel()
	for cause, want := range map[error]string{
		&session.FullError{}:   `level=WARN msg="no room for sessions" method=initialize`,
		errors.New("dial: no"): `level=ERROR msg="session store failed" method=initialize error="dial: no"`,
		nil:                    "",
	} {
		var log bytes.Buffer
		s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
		call := &Call{server: s, name: "initialize", request: request{ctx: t.Context()}}
		call.refuse(jsonrpc.ID{}, &lifecycle.Refusal{Error: jsonrpc.Internal(), Cause: cause})
		if got := log.String(); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
