package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/session"
)

var _ session.Journal = (*session.MemoryJournal)(nil)

// tape is a journal and a stream in it.
type tape struct {
	*session.MemoryJournal
	t       *testing.T
	session string
	stream  uint64
}

func newTape(t *testing.T, opts session.JournalOptions) tape {
	t.Helper()
	return tape{session.NewMemoryJournal(opts), t, "s", 1}.of("s", 1)
}

// of returns the tape of another stream in the same journal, and opens it.
func (p tape) of(session string, stream uint64) tape {
	p.t.Helper()
	p.session, p.stream = session, stream
	must(p.t, p.Open(context.Background(), session, stream))
	return p
}

func (p tape) add(data string, last bool) uint64 {
	p.t.Helper()
	n, err := p.Append(context.Background(), p.session, p.stream, []byte(data), last)
	must(p.t, err)
	return n
}

// read returns what there is after a number, without waiting: "1:a 2:b.", with a full stop at the end of the stream, "…"
// where it would wait, and "none" for ErrNoStream.
func (p tape) read(after uint64) string {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	events, ended, err := p.Read(ctx, p.session, p.stream, after)
	switch {
	case errors.Is(err, session.ErrNoStream):
		return "none"
	case errors.Is(err, context.Canceled):
		return "…"
	}
	must(p.t, err)
	return written(events, ended)
}

func written(events []session.Event, ended bool) string {
	var words []string
	for _, e := range events {
		words = append(words, fmt.Sprintf("%d:%s", e.Number, e.Data))
	}
	text := strings.Join(words, " ")
	if ended {
		text += "."
	}
	return text
}

func (p tape) want(after uint64, want string) {
	p.t.Helper()
	if got := p.read(after); got != want {
		p.t.Errorf("after %d: %q, want %q", after, got, want)
	}
}

func TestJournalKeepsWhatItIsGiven(t *testing.T) {
	t.Parallel()
	p := newTape(t, session.JournalOptions{})
	p.want(0, "…")
	data := []byte("a")
	_, err := p.Append(context.Background(), "s", 1, data, false)
	must(t, err)
	data[0] = 'X' // the journal has a copy of its own
	if n := p.add("b", false); n != 2 {
		t.Errorf("number %d", n)
	}
	must(t, p.Open(context.Background(), "s", 1)) // once more changes nothing
	p.want(0, "1:a 2:b")
	p.want(1, "2:b")
	p.want(2, "…")
	p.want(3, "none")
	p.add("c", true)
	p.want(0, "1:a 2:b 3:c.")
	p.want(3, ".")
	if _, err := p.Append(context.Background(), "s", 1, nil, false); !errors.Is(err, session.ErrNoStream) {
		t.Errorf("after the last: %v", err)
	}
	if _, err := p.Append(context.Background(), "s", 2, nil, false); !errors.Is(err, session.ErrNoStream) {
		t.Errorf("to a stream that is not open: %v", err)
	}
}

func TestJournalTellsStreamsApart(t *testing.T) {
	t.Parallel()
	p := newTape(t, session.JournalOptions{})
	q, r := p.of("s", 2), p.of("r", 1)
	for i, one := range []tape{p, q, r} {
		one.add(fmt.Sprint(i), true)
	}
	for i, one := range []tape{p, q, r} {
		one.want(0, fmt.Sprintf("1:%d.", i))
	}
	must(t, p.Forget(context.Background(), "s"))
	must(t, p.Forget(context.Background(), "unknown"))
	p.want(0, "none")
	q.want(0, "none")
	r.want(0, "1:2.")
}

// TestJournalBounds: what goes when there is too much, and in which order.
func TestJournalBounds(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 1000)
	t.Run("events of a stream", func(t *testing.T) {
		t.Parallel()
		p := newTape(t, session.JournalOptions{StreamEvents: 2})
		for _, data := range []string{"a", "b", "c"} {
			p.add(data, false)
		}
		p.want(0, "none")
		p.want(1, "2:b 3:c")
	})
	t.Run("bytes of a stream", func(t *testing.T) {
		t.Parallel()
		p := newTape(t, session.JournalOptions{StreamBytes: 2500})
		for range 3 {
			p.add(big, false)
		}
		p.want(0, "none")
		p.want(1, "2:"+big+" 3:"+big)
		p.add(strings.Repeat(big, 5), true) // more than all, and kept for it is the response
		p.want(2, "none")
		p.want(3, "4:"+strings.Repeat(big, 5)+".")
	})
	t.Run("bytes altogether", func(t *testing.T) {
		t.Parallel()
		p := newTape(t, session.JournalOptions{Bytes: 7_000})
		first, second, running := p.of("a", 1), p.of("b", 1), p.of("c", 1)
		first.add(big, true)
		second.add(big, true)
		running.add(big, false)
		running.add(big, false)
		running.want(0, "1:"+big+" 2:"+big)
		first.want(0, "1:"+big+".")
		running.add(big, false)
		first.want(0, "none")
		second.want(0, "1:"+big+".")
		for range 5 {
			running.add(big, false)
		}
		second.want(0, "1:"+big+".") // a response outlives what is not one
		running.want(1, "none")
		running.add("r", true)
		running.want(8, "9:r.")
	})
	t.Run("one event too large for all", func(t *testing.T) {
		t.Parallel()
		p := newTape(t, session.JournalOptions{Bytes: 2000})
		p.add(strings.Repeat(big, 3), false)
		p.want(0, "none")
		p.want(1, "…") // its name and number remain
		p.add("r", true)
		p.want(1, "2:r.")
	})
	t.Run("age", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			p := newTape(t, session.JournalOptions{})
			q := p.of("s", 2)
			p.add("a", true)
			q.add("b", false)
			time.Sleep(session.DefaultKeepEnded - time.Nanosecond)
			p.want(0, "1:a.")
			time.Sleep(time.Nanosecond)
			p.want(0, "none")
			time.Sleep(time.Hour)
			q.want(0, "1:b")
		})
	})
}

// TestJournalWakesReaders: a reader waits for what comes, and for the end of it.
func TestJournalWakesReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newTape(t, session.JournalOptions{})
		read := func(after uint64) <-chan string {
			got := make(chan string, 1)
			go func() {
				events, ended, err := p.Read(t.Context(), "s", 1, after)
				if err != nil {
					got <- err.Error()
					return
				}
				got <- written(events, ended)
			}()
			synctest.Wait()
			return got
		}
		one, two := read(0), read(0)
		p.add("a", false)
		for _, got := range []<-chan string{one, two} {
			if text := <-got; text != "1:a" {
				t.Errorf("got %q", text)
			}
		}
		end := read(1)
		p.add("", true)
		if text := <-end; text != "2:." {
			t.Errorf("at the end: %q", text)
		}
		p.of("s", 1)
		p = p.of("s", 3)
		other := make(chan error, 1)
		go func() { _, _, err := p.Read(t.Context(), "s", 3, 0); other <- err }()
		synctest.Wait()
		must(t, p.Forget(t.Context(), "s"))
		if err := <-other; !errors.Is(err, session.ErrNoStream) {
			t.Errorf("forgotten: %v", err)
		}
	})
}

// TestJournalByMany: writers and readers at once; each reader gets all of its stream, in order.
func TestJournalByMany(t *testing.T) {
	t.Parallel()
	const streams, events = 8, 200
	j := session.NewMemoryJournal(session.JournalOptions{})
	var group sync.WaitGroup
	for stream := range uint64(streams) {
		must(t, j.Open(t.Context(), "s", stream))
		group.Go(func() {
			for i := range events {
				if _, err := j.Append(t.Context(), "s", stream, fmt.Append(nil, i), i == events-1); err != nil {
					t.Error(err)
				}
			}
		})
		for range 2 {
			group.Go(func() {
				var got []uint64
				for ended := false; !ended; {
					more, end, err := j.Read(t.Context(), "s", stream, uint64(len(got)))
					if err != nil {
						t.Error(err)
						return
					}
					for _, e := range more {
						got = append(got, e.Number)
					}
					ended = end
				}
				want := make([]uint64, events)
				for i := range want {
					want[i] = uint64(i + 1)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
	group.Wait()
}
