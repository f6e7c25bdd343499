package bridge_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/services/echo"
)

// TestHealth: a connection at rest is opened; one of which nothing is known works; one that leads nowhere does not.
func TestHealth(t *testing.T) {
	t.Parallel()
	up, away := newSite(t), newSite(t)
	defer up.serve(t, echo.New())()
	b := newBridge(t, []bridge.Backend{
		{Name: "up", Conn: up.conn, Descriptors: echoOnly},
		{Name: "away", Conn: away.conn, Descriptors: libraryOnly},
		{Name: "double", Conn: noConn{}, Descriptors: conformanceOnly},
	})
	h := b.Health(t.Context())
	for i, want := range []bool{true, false, true} {
		if got := h.Backends[i]; got.Up() != want || !got.Described || (got.Reason == "") != want {
			t.Errorf("got %+v, want up: %v", got, want)
		}
	}
	if h.Draining {
		t.Error("it drains before anybody has said so")
	}
}

// TestDrainingIsTold: by each of the ways to say it, and calls go on until the end.
func TestDrainingIsTold(t *testing.T) {
	t.Parallel()
	for name, drain := range map[string]func(*bridge.Bridge){
		"BeginDrain": (*bridge.Bridge).BeginDrain,
		"Drain":      (*bridge.Bridge).Drain,
		"Close":      func(b *bridge.Bridge) { b.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBridge(t, []bridge.Backend{{Conn: startServices(t)}})
			drain(b)
			if !b.Health(t.Context()).Draining {
				t.Error("not told")
			}
			r, err := b.Call(t.Context(), "echo_metadata", nil)
			if taken := err == nil && !r.IsError; taken != (name != "Close") {
				t.Errorf("a call came to %v %+v", err, r)
			}
		})
	}
}

// TestHealthWaitsForNoReading: while descriptors are being read, it says so at once.
func TestHealthWaitsForNoReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, err := bridge.New(t.Context(), []bridge.Backend{{Name: "late", Conn: noConn{}, Descriptors: slow{time.Hour, libraryOnly}}},
			bridge.WithReload(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		began := time.Now()
		if got := b.Health(t.Context()).Backends[0]; got.Described || got.Reason == "" || time.Since(began) > 0 {
			t.Errorf("got %+v after %v", got, time.Since(began))
		}
	})
}
