package task_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/ask"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/task"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestRoomOfCancelled: a task that is given up makes room for others once its function has returned.
func TestRoomOfCancelled(t *testing.T) {
	inBubble(t, task.Options{Max: 1}, func(b bench) {
		id := b.start(func(ctx context.Context, _ *task.Task) {
			<-ctx.Done()
			time.Sleep(time.Second) // it has to clear up
		})
		if err := b.Cancel("ada", id); err != nil {
			b.t.Error(err)
		}
		if _, err := b.Start(context.Background(), "ada", func(context.Context, *task.Task) {}); !errors.Is(err, task.ErrFull) {
			b.t.Errorf("another one: %v", err)
		}
		time.Sleep(2 * time.Second)
		b.want(id, "cancelled cancelled by the client")
		b.start(func(context.Context, *task.Task) {})
		b.want(id, task.ErrUnknown.Error())
	})
}

// TestBytes: the results that are kept are bounded together; those of whoever ended first go first, and the last one stays.
func TestBytes(t *testing.T) {
	inBubble(t, task.Options{MaxBytes: 100}, func(b bench) {
		result := func(n int) []byte { return []byte(`"` + strings.Repeat("x", n-2) + `"`) }
		var ids []string
		for _, n := range []int{40, 40, 40, 30} {
			ids = append(ids, b.start(func(_ context.Context, t *task.Task) { t.Complete(result(n)) }))
		}
		synctest.Wait()
		b.want(ids[0], task.ErrUnknown.Error())
		b.want(ids[1], task.ErrUnknown.Error())
		b.want(ids[2], "completed "+string(result(40)))
		large := b.start(func(_ context.Context, t *task.Task) { t.Complete(result(500)) })
		b.want(ids[3], task.ErrUnknown.Error())
		b.want(large, "completed "+string(result(500)))
	})
}

// TestUpdateAtOnce: answers that come at once, each to its own question and some twice, are all taken, and none is lost.
func TestUpdateAtOnce(t *testing.T) {
	t.Parallel()
	s := task.NewStore(task.Options{})
	defer s.Close()
	var asked []*bridgev1.InputRequest
	for i := range 20 {
		asked = append(asked, ask.Roots(fmt.Sprintf("r%d", i)))
	}
	requests, err := interaction.Read(&bridgev1.InputRequired{Requests: asked})
	if err != nil {
		t.Fatal(err)
	}
	taken := make(chan []*bridgev1.InputResponse, 1)
	began, err := s.Start(t.Context(), "ada", func(ctx context.Context, work *task.Task) {
		given, _ := work.Ask(ctx, requests, mcp.Features{})
		taken <- given
	})
	if err != nil {
		t.Fatal(err)
	}
	for state := began; state.Status != mcp.TaskInputRequired; {
		if state, err = s.Get("ada", began.ID); err != nil {
			t.Fatal(err)
		}
	}
	var answering sync.WaitGroup
	for i := range 40 {
		answering.Go(func() {
			if _, err := s.Update("ada", began.ID, fmt.Appendf(nil, `{"r%d":{"roots":[]}}`, i%20)); err != nil {
				t.Error(err)
			}
		})
	}
	answering.Wait()
	given := <-taken
	if len(given) != 20 {
		t.Fatalf("taken are %v", given)
	}
	for i, answer := range given {
		if answer.GetKey() != fmt.Sprintf("r%d", i) {
			t.Errorf("the answer %d is to %s", i, answer.GetKey())
		}
	}
}
