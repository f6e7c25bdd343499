package interaction_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/ask"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

func sealer(t testing.TB, keys ...string) *interaction.Sealer {
	t.Helper()
	all := make([][]byte, len(keys))
	for i, key := range keys {
		all[i] = bytes.Repeat([]byte(key), interaction.MinKeyBytes)
	}
	s, err := interaction.NewSealer(all, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// call is the call that the states of these tests belong to.
func call() *interaction.Binding {
	return &interaction.Binding{Principal: "ada", Method: "tools/call", Target: "orders/x", Arguments: interaction.Digest([]byte(`{"a":1}`))}
}

func state() *interaction.State {
	return &interaction.State{
		Asked:       &bridgev1.InputRequired{Requests: []*bridgev1.InputRequest{ask.Roots("r")}, State: []byte("mine")},
		Given:       []*bridgev1.InputResponse{{Key: "q"}},
		Round:       3,
		TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	}
}

// TestSeal: what was sealed for a call opens for it, with the key of another replica and with one that is old, and for no
// other call.
func TestSeal(t *testing.T) {
	t.Parallel()
	text, err := sealer(t, "a").Seal(state(), call())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "mine") {
		t.Error("the state can be read")
	}
	for name, s := range map[string]*interaction.Sealer{"another replica": sealer(t, "a"), "a new key before": sealer(t, "b", "a")} {
		got, err := s.Open(text, call())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := state()
		if !proto.Equal(got.Asked, want.Asked) || len(got.Given) != 1 || got.Round != want.Round || got.TraceParent != want.TraceParent {
			t.Errorf("%s: opened %v", name, got)
		}
	}
	others := map[string]func(b *interaction.Binding){
		"principal": func(b *interaction.Binding) { b.Principal = "eve" },
		"method":    func(b *interaction.Binding) { b.Method = "prompts/get" },
		"target":    func(b *interaction.Binding) { b.Target = "orders/y" },
		"arguments": func(b *interaction.Binding) { b.Arguments = interaction.Digest([]byte(`{"a":2}`)) },
		"borders":   func(b *interaction.Binding) { b.Principal, b.Method = "adatools", "/call" },
	}
	for name, change := range others {
		b := call()
		change(b)
		if _, err := sealer(t, "a").Open(text, b); !errors.Is(err, interaction.ErrState) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := sealer(t).Open(text, call()); !errors.Is(err, interaction.ErrState) {
		t.Errorf("a key of its own opens it: %v", err)
	}
}

// TestTampered changes a sealed text at every place.
func TestTampered(t *testing.T) {
	t.Parallel()
	s := sealer(t, "a")
	text, err := s.Seal(state(), call())
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		changed := []byte(text)
		changed[i] ^= 1
		if _, err := s.Open(string(changed), call()); !errors.Is(err, interaction.ErrState) {
			t.Fatalf("opens with the byte %d changed: %v", i, err)
		}
	}
	for _, changed := range []string{"", "x", text + "-TAMPERED", text[1:], text[:len(text)-1], strings.Repeat("A", 2<<20)} {
		if _, err := s.Open(changed, call()); !errors.Is(err, interaction.ErrState) {
			t.Errorf("opens: %v", err)
		}
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sealer(t, "a")
		text, err := s.Seal(state(), call())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(interaction.DefaultStateLifetime)
		if _, err := s.Open(text, call()); err != nil {
			t.Errorf("at the end of its time: %v", err)
		}
		time.Sleep(2 * time.Second)
		if _, err := s.Open(text, call()); !errors.Is(err, interaction.ErrExpired) {
			t.Errorf("after it: %v", err)
		}
	})
}

func TestShortKey(t *testing.T) {
	t.Parallel()
	_, err := interaction.NewSealer([][]byte{make([]byte, 32), make([]byte, 31)}, 0)
	if err == nil || !strings.Contains(err.Error(), "key 2 that seals states has 31 bytes: take at least 32") {
		t.Error(err)
	}
}

// TestLargestOpens: what is sealed of the most that a backend can ask opens.
func TestLargestOpens(t *testing.T) {
	t.Parallel()
	page := `{"type":"object","properties":{"a":{"type":"string","description":"` + strings.Repeat("d", 60<<10) + `"}}}`
	in := asked(ask.FormSchema("a", "m", page), ask.FormSchema("b", "m", page), ask.FormSchema("c", "m", page), ask.FormSchema("d", "m", page))
	if _, err := interaction.Read(in); err != nil {
		t.Fatal(err)
	}
	s := sealer(t, "a")
	text, err := s.Seal(&interaction.State{Asked: in, Round: 1}, call())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(text, call()); err != nil || len(text) > 512<<10 {
		t.Errorf("%d characters: %v", len(text), err)
	}
}

// FuzzSealed: no text makes a panic, and none opens that was not sealed.
func FuzzSealed(f *testing.F) {
	s := sealer(f, "a")
	text, err := s.Seal(state(), &interaction.Binding{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := s.Open(text, call()); err == nil {
			t.Errorf("opened %v", got)
		}
	})
}
