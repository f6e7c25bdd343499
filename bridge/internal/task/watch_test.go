package task_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/task"
)

// TestWatch: each change of a task is told to those who watch it, of its own principal, until they stop.
func TestWatch(t *testing.T) {
	inBubble(t, task.Options{}, func(b bench) {
		next := make(chan string)
		id := b.start(func(_ context.Context, t *task.Task) {
			for said := range next {
				t.Say(said)
			}
			t.Complete([]byte(`{}`))
		})
		other := b.start(func(context.Context, *task.Task) {})
		var told []string
		watched, stop := b.Watch("ada", []string{"none", id, id}, func(id string) { told = append(told, id) })
		if !slices.Equal(watched, []string{id}) {
			b.t.Errorf("watched are %q", watched)
		}
		stranger, stopStranger := b.Watch("eve", []string{id}, func(string) { b.t.Error("a stranger is told") })
		if stranger != nil {
			b.t.Errorf("a stranger watches %q", stranger)
		}
		defer stopStranger()
		var also int
		_, stopAlso := b.Watch("ada", []string{id, other}, func(string) { also++ })
		defer stopAlso()
		next <- "a"
		synctest.Wait()
		if diff := cmp.Diff([]string{id}, told); diff != "" || also != 1 {
			b.t.Errorf("told to %d others too: %s", also, diff)
		}
		stop()
		next <- "b"
		close(next)
		synctest.Wait()
		if len(told) != 1 || also != 3 {
			b.t.Errorf("told %d times after the end, to the other %d", len(told), also)
		}
	})
}
