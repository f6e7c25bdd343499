package task_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/mcpgrpc/bridge/bridge/ask"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/task"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a store in a bubble of its own time.
type bench struct {
	*task.Store
	t *testing.T
}

func inBubble(t *testing.T, opts task.Options, test func(b bench)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := bench{task.NewStore(opts), t}
		defer b.Close()
		test(b)
	})
}

// start begins a task of ada's and returns its id.
func (b bench) start(work func(ctx context.Context, t *task.Task)) string {
	b.t.Helper()
	created, err := b.Start(context.Background(), "ada", work)
	if err != nil {
		b.t.Fatal(err)
	}
	if created.Status != mcp.TaskWorking {
		b.t.Errorf("begins %v", created.Status)
	}
	synctest.Wait()
	return created.ID
}

// status returns how a task of ada's stands, or the error of asking.
func (b bench) status(id string) string {
	state, err := b.Get("ada", id)
	if err != nil {
		return err.Error()
	}
	words := []string{string(state.Status), state.StatusMessage, string(state.Result), string(state.Error)}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

func (b bench) want(id, want string) {
	b.t.Helper()
	synctest.Wait()
	if got := b.status(id); got != want {
		b.t.Errorf("it is %q, want %q", got, want)
	}
}

// until blocks until its context ends and tells the cause.
func until(causes chan<- error) func(context.Context, *task.Task) {
	return func(ctx context.Context, _ *task.Task) {
		<-ctx.Done()
		causes <- context.Cause(ctx)
	}
}

func TestLife(t *testing.T) {
	inBubble(t, task.Options{TTL: time.Minute, PollInterval: time.Second}, func(b bench) {
		type key struct{}
		step := make(chan bool)
		created, err := b.Start(context.WithValue(context.Background(), key{}, "kept"), "ada", func(ctx context.Context, t *task.Task) {
			<-step
			t.Say("half " + ctx.Value(key{}).(string))
			<-step
			t.Complete([]byte(`{"n":1}`))
			t.Fail(jsonrpc.Internal()) // too late
			t.Say("late")
		})
		if err != nil || created.TTL != time.Minute || created.PollInterval != time.Second || len(created.ID) < 26 {
			b.t.Fatalf("created %+v, %v", created, err)
		}
		b.want(created.ID, "working")
		time.Sleep(time.Second)
		step <- true
		b.want(created.ID, "working half kept")
		if state, _ := b.Get("ada", created.ID); !state.LastUpdatedAt.Equal(created.CreatedAt.Add(time.Second)) {
			b.t.Errorf("changed at %v, created at %v", state.LastUpdatedAt, created.CreatedAt)
		}
		step <- true
		b.want(created.ID, `completed half kept {"n":1}`)
		for _, stranger := range []string{"", "eve"} {
			if _, err := b.Get(stranger, created.ID); !errors.Is(err, task.ErrUnknown) {
				b.t.Errorf("%q sees it: %v", stranger, err)
			}
		}
		time.Sleep(time.Minute)
		b.want(created.ID, task.ErrUnknown.Error())
	})
}

func TestFailures(t *testing.T) {
	inBubble(t, task.Options{}, func(b bench) {
		failing := b.start(func(_ context.Context, t *task.Task) { t.Fail(jsonrpc.Errorf(-1, "no")) })
		b.want(failing, `failed no {"code":-1,"message":"no"}`)
		silent := b.start(func(context.Context, *task.Task) {})
		b.want(silent, `failed internal error: the bridge's log says more {"code":-32603,"message":"internal error: the bridge's log says more"}`)
	})
}

func TestCancel(t *testing.T) {
	inBubble(t, task.Options{}, func(b bench) {
		causes := make(chan error, 1)
		id := b.start(until(causes))
		if err := b.Cancel("eve", id); !errors.Is(err, task.ErrUnknown) {
			b.t.Errorf("a stranger: %v", err)
		}
		b.want(id, "working")
		for range 2 { // the second time it has ended
			if err := b.Cancel("ada", id); err != nil {
				b.t.Error(err)
			}
			b.want(id, "cancelled cancelled by the client")
		}
		if cause := <-causes; !errors.Is(cause, task.ErrCancelled) {
			b.t.Errorf("the cause is %v", cause)
		}
		done := b.start(func(_ context.Context, t *task.Task) { t.Complete([]byte(`{}`)) })
		if err := b.Cancel("ada", done); err != nil {
			b.t.Error(err)
		}
		b.want(done, "completed {}")
		halfway := b.start(func(ctx context.Context, t *task.Task) {
			t.Say("half")
			<-ctx.Done()
			t.Say("late")
		})
		if err := b.Cancel("ada", halfway); err != nil {
			b.t.Error(err)
		}
		b.want(halfway, "cancelled cancelled by the client; before that: half")
	})
}

func TestExpiry(t *testing.T) {
	inBubble(t, task.Options{TTL: time.Second}, func(b bench) {
		causes := make(chan error, 1)
		id := b.start(until(causes))
		time.Sleep(time.Second)
		if cause := <-causes; !errors.Is(cause, task.ErrExpired) {
			b.t.Errorf("the cause is %v", cause)
		}
		b.want(id, task.ErrUnknown.Error())
	})
}

// TestNoTTL: without a time to live, and with one below zero, a task has the default one, which its client is told.
func TestNoTTL(t *testing.T) {
	for _, ttl := range []time.Duration{0, -1, -time.Hour} {
		t.Run(ttl.String(), func(t *testing.T) {
			inBubble(t, task.Options{TTL: ttl}, func(b bench) {
				created, err := b.Start(context.Background(), "ada", until(make(chan error, 1)))
				if err != nil || created.TTL != task.DefaultTTL || b.TTL() != task.DefaultTTL {
					b.t.Fatalf("created %+v, %v", created, err)
				}
				time.Sleep(task.DefaultTTL - time.Millisecond)
				b.want(created.ID, "working")
				time.Sleep(time.Millisecond)
				b.want(created.ID, task.ErrUnknown.Error())
			})
		})
	}
}

// TestFull: those that have ended make room, those that have not do not.
func TestFull(t *testing.T) {
	inBubble(t, task.Options{Max: 2, MaxPerPrincipal: 2}, func(b bench) {
		causes := make(chan error, 2)
		running := b.start(until(causes))
		ended := b.start(func(_ context.Context, t *task.Task) { t.Complete([]byte(`{}`)) })
		again := b.start(until(causes))
		b.want(ended, task.ErrUnknown.Error())
		b.want(running, "working")
		if _, err := b.Start(context.Background(), "ada", until(causes)); !errors.Is(err, task.ErrFull) {
			b.t.Errorf("a third one: %v", err)
		}
		b.Close()
		if cause := <-causes; !errors.Is(cause, task.ErrStopped) {
			b.t.Errorf("the cause is %v", cause)
		}
		if _, err := b.Start(context.Background(), "ada", until(causes)); !errors.Is(err, task.ErrClosed) {
			b.t.Errorf("after the end: %v", err)
		}
		b.want(again, `failed internal error: the bridge's log says more {"code":-32603,"message":"internal error: the bridge's log says more"}`)
	})
}

// TestFullOfOne: one principal has its part of all places, where its own tasks alone make room; who cannot be told apart has
// all that are left.
func TestFullOfOne(t *testing.T) {
	inBubble(t, task.Options{Max: 8}, func(b bench) {
		causes := make(chan error, 8)
		begin := func(principal string, want error, work func(context.Context, *task.Task)) string {
			b.t.Helper()
			room := b.Room(principal)
			created, err := b.Start(context.Background(), principal, work)
			if !errors.Is(err, want) || !errors.Is(room, want) {
				b.t.Errorf("one of %q: %v, with room: %v", principal, err, room)
			}
			synctest.Wait()
			return created.ID
		}
		ends := func(_ context.Context, t *task.Task) { t.Complete([]byte(`{}`)) }
		eves := begin("eve", nil, ends)
		done := begin("ada", nil, ends)
		begin("ada", nil, until(causes))
		begin("ada", nil, until(causes))
		b.want(done, task.ErrUnknown.Error())
		if _, err := b.Get("eve", eves); err != nil {
			b.t.Errorf("eve's makes room for ada's: %v", err)
		}
		begin("ada", task.ErrFull, until(causes))
		for range 6 { // the last in place of eve's
			begin("", nil, until(causes))
		}
		for _, principal := range []string{"", "ada", "eve"} {
			begin(principal, task.ErrFull, until(causes))
		}
	})
}

// TestAsk: answers come one by one, those that do not fit are asked for again, and a key is never asked under twice.
func TestAsk(t *testing.T) {
	inBubble(t, task.Options{}, func(b bench) {
		requests, err := interaction.Read(&bridgev1.InputRequired{Requests: []*bridgev1.InputRequest{
			ask.Roots("r"), ask.Form("f", "m", ask.Bool("ok", ask.Required())),
		}})
		if err != nil {
			b.t.Fatal(err)
		}
		answers := make(chan []*bridgev1.InputResponse, 2)
		id := b.start(func(ctx context.Context, t *task.Task) {
			for range 2 {
				given, err := t.Ask(ctx, requests, mcp.Features{})
				if err != nil {
					return
				}
				answers <- given
			}
			t.Complete([]byte(`{}`))
		})
		b.asks(id, "r", "f")
		faults, err := b.Update("ada", id, []byte(`{"f":{"action":"accept","content":{"ok":1}},"r":{"roots":[]},"z":{}}`))
		if err != nil || !cmp.Equal(faults, []string{`the answer to "f": "ok" must be true or false`, `the answer to "z": there is no request with this key`}) {
			b.t.Errorf("faults %q, %v", faults, err)
		}
		b.asks(id, "f")
		if state, _ := b.Get("ada", id); !strings.Contains(string(state.Requests[0].Params), `was not taken: \"ok\" must be`) {
			b.t.Errorf("asks again with %s", state.Requests[0].Params)
		}
		if _, err := b.Update("eve", id, []byte(`{}`)); !errors.Is(err, task.ErrUnknown) {
			b.t.Errorf("a stranger: %v", err)
		}
		b.answer(id, `{"f":{"action":"decline"}}`)
		if given := <-answers; len(given) != 2 || given[0].GetKey() != "r" || given[1].GetKey() != "f" {
			b.t.Errorf("given %v", given)
		}
		b.asks(id, "r.2", "f.2")
		// An answer of the first time.
		if faults, err := b.Update("ada", id, []byte(`{"f":{"action":"accept"}}`)); err != nil || len(faults) != 1 {
			b.t.Errorf("faults %q, %v", faults, err)
		}
		b.answer(id, `{"f.2":{"action":"cancel"},"r.2":{"roots":[]}}`)
		if given := <-answers; len(given) != 2 || given[0].GetKey() != "r" {
			b.t.Errorf("given %v", given)
		}
		b.want(id, "completed {}")
		b.answer(id, `{"f.2":{"action":"cancel"}}`) // it asks for nothing any more
	})
}

func TestCancelWhileAsking(t *testing.T) {
	inBubble(t, task.Options{}, func(b bench) {
		requests, err := interaction.Read(&bridgev1.InputRequired{Requests: []*bridgev1.InputRequest{ask.Roots("r")}})
		if err != nil {
			b.t.Fatal(err)
		}
		causes := make(chan error, 1)
		id := b.start(func(ctx context.Context, t *task.Task) {
			_, err := t.Ask(ctx, requests, mcp.Features{})
			causes <- err
		})
		b.asks(id, "r")
		if err := b.Cancel("ada", id); err != nil {
			b.t.Error(err)
		}
		if cause := <-causes; !errors.Is(cause, task.ErrCancelled) {
			b.t.Errorf("the cause is %v", cause)
		}
		b.answer(id, `{"r":{"roots":[]}}`)
		b.want(id, "cancelled cancelled by the client")
	})
}

func (b bench) answer(id, answers string) {
	b.t.Helper()
	if faults, err := b.Update("ada", id, []byte(answers)); err != nil || len(faults) > 0 {
		b.t.Errorf("faults %q, %v", faults, err)
	}
	synctest.Wait()
}

// asks fails unless a task asks under these keys.
func (b bench) asks(id string, keys ...string) {
	b.t.Helper()
	synctest.Wait()
	state, err := b.Get("ada", id)
	if err != nil {
		b.t.Fatal(err)
	}
	var got []string
	for _, r := range state.Requests {
		got = append(got, r.Key)
	}
	if state.Status != mcp.TaskInputRequired || !cmp.Equal(got, keys) {
		b.t.Errorf("it is %s and asks for %q, want %q", state.Status, got, keys)
	}
}
