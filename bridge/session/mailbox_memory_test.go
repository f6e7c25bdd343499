package session_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpgrpc/bridge/bridge/session"
)

var _ session.Mailbox = (*session.MemoryMailbox)(nil)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestMailbox tells what each step of a question's life finds.
func TestMailbox(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		steps string // one letter each: see below
		want  string // what the last step returns
	}{
		"an answer is taken":                 {"o p t", "a"},
		"an answer is taken once":            {"o p t t", "none"},
		"a second answer is none":            {"o p P", "none"},
		"the first answer stays":             {"o p P t", "a"},
		"an answer to a taken question":      {"o p t p", "none"},
		"an answer to no question":           {"p", "none"},
		"an answer of another session":       {"o f", "none"},
		"one of another session leaves it":   {"o f p t", "a"},
		"an answer to a closed question":     {"o c p", "none"},
		"an answer that was there is closed": {"o p c t", "none"},
		"all of a session":                   {"o e t", "none"},
		"none of another session":            {"o E p t", "a"},
		"nothing is taken of nothing":        {"t", "none"},
		"closing nothing":                    {"c e", "ok"},
		"opened twice":                       {"o o", "question id \"q\" is in use: make a new one for each question"},
		"opened again":                       {"o p t o p t", "a"},
		"an empty answer is one":             {"o 0 P", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := session.NewMemoryMailbox(session.MailboxOptions{})
			got := ""
			for _, step := range tt.steps {
				if step != ' ' {
					got = mailboxStep(m, step)
				}
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// mailboxStep makes a step and returns what it says.
func mailboxStep(m *session.MemoryMailbox, step rune) string {
	ctx := context.Background()
	var text []byte
	var err error
	switch step {
	case 'o':
		err = m.Open(ctx, "s", "q")
	case 'p':
		err = m.Put(ctx, "s", "q", []byte("a"))
	case 'P':
		err = m.Put(ctx, "s", "q", []byte("b"))
	case '0':
		err = m.Put(ctx, "s", "q", nil)
	case 'f':
		err = m.Put(ctx, "foreign", "q", []byte("f"))
	case 't':
		text, err = m.Take(ctx, "s", "q")
	case 'c':
		err = m.Close(ctx, "s", "q", "another")
	case 'e':
		err = m.Close(ctx, "s")
	case 'E':
		err = m.Close(ctx, "another")
	}
	switch {
	case errors.Is(err, session.ErrNoQuestion):
		return "none"
	case err != nil:
		return err.Error()
	case text == nil:
		return "ok"
	}
	return string(text)
}

// TestMailboxTakeWaits ends the waiting in each of the ways there are.
func TestMailboxTakeWaits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(m *session.MemoryMailbox, cancel func())
		want error
		open int
	}{
		"answer":  {func(m *session.MemoryMailbox, _ func()) { _ = m.Put(context.Background(), "s", "q", []byte("a")) }, nil, 0},
		"closed":  {func(m *session.MemoryMailbox, _ func()) { _ = m.Close(context.Background(), "s", "q") }, session.ErrNoQuestion, 0},
		"session": {func(m *session.MemoryMailbox, _ func()) { _ = m.Close(context.Background(), "s") }, session.ErrNoQuestion, 0},
		"context": {func(_ *session.MemoryMailbox, cancel func()) { cancel() }, context.Canceled, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := session.NewMemoryMailbox(session.MailboxOptions{})
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				must(t, m.Open(ctx, "s", "q"))
				var got error
				var done sync.WaitGroup
				done.Go(func() { _, got = m.Take(ctx, "s", "q") })
				synctest.Wait() // it waits
				tt.end(m, cancel)
				done.Wait()
				if !errors.Is(got, tt.want) {
					t.Errorf("Take = %v, want %v", got, tt.want)
				}
				if m.Len() != tt.open {
					t.Errorf("%d questions are open, want %d", m.Len(), tt.open)
				}
			})
		})
	}
}

// TestMailboxKeepsNoReference changes what was put.
func TestMailboxKeepsNoReference(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := session.NewMemoryMailbox(session.MailboxOptions{})
	must(t, m.Open(ctx, "s", "q"))
	text := []byte("a")
	must(t, m.Put(ctx, "s", "q", text))
	text[0] = 'x'
	if got, err := m.Take(ctx, "s", "q"); string(got) != "a" || err != nil {
		t.Errorf("Take = %q, %v", got, err)
	}
}

// TestMailboxBounds fills each bound, and makes room again.
func TestMailboxBounds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, opts := range map[string]session.MailboxOptions{
		"of a session": {SessionQuestions: 2},
		"of all":       {Questions: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := session.NewMemoryMailbox(opts)
			must(t, m.Open(ctx, "s", "1"))
			must(t, m.Open(ctx, "s", "2"))
			if err := m.Open(ctx, "s", "3"); !errors.Is(err, session.ErrMailboxFull) {
				t.Errorf("a third question: %v", err)
			}
			if err := m.Open(ctx, "other", "1"); (err == nil) != (opts.SessionQuestions > 0) {
				t.Errorf("a question of another session: %v", err)
			}
			must(t, m.Close(ctx, "s", "1"))
			must(t, m.Close(ctx, "other"))
			must(t, m.Open(ctx, "s", "3"))
		})
	}
	t.Run("of answers", func(t *testing.T) {
		t.Parallel()
		m := session.NewMemoryMailbox(session.MailboxOptions{Bytes: 3})
		must(t, m.Open(ctx, "s", "1"))
		must(t, m.Open(ctx, "s", "2"))
		must(t, m.Put(ctx, "s", "1", []byte("ab")))
		if err := m.Put(ctx, "s", "2", []byte("cd")); !errors.Is(err, session.ErrMailboxFull) {
			t.Errorf("an answer too much: %v", err)
		}
		_, err := m.Take(ctx, "s", "1")
		must(t, err)
		must(t, m.Put(ctx, "s", "2", []byte("cd"))) // it can still be answered
	})
}

// TestMailboxFlood has many answer the same questions at once: each has one answer, and nothing is left of the others.
func TestMailboxFlood(t *testing.T) {
	t.Parallel()
	const questions, clients = 50, 8
	ctx := context.Background()
	m := session.NewMemoryMailbox(session.MailboxOptions{})
	for q := range questions {
		must(t, m.Open(ctx, "s", fmt.Sprint(q)))
	}
	var taken, kept atomic.Int64
	var all sync.WaitGroup
	for q := range questions {
		all.Go(func() {
			if _, err := m.Take(ctx, "s", fmt.Sprint(q)); err == nil {
				taken.Add(1)
			}
		})
	}
	for range clients {
		all.Go(func() {
			for q := range 2 * questions { // the latter half is not asked
				if m.Put(ctx, "s", fmt.Sprint(q), []byte("a")) == nil {
					kept.Add(1)
				}
			}
		})
	}
	all.Wait()
	if taken.Load() != questions || kept.Load() != questions || m.Len() != 0 {
		t.Errorf("%d taken, %d kept, %d open; want %d, %d, 0", taken.Load(), kept.Load(), m.Len(), questions, questions)
	}
}
