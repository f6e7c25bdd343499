package backend_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// overdue is what a model reads of a deadline of 30 s that passed, whoever noticed it first.
const overdue = "DEADLINE_EXCEEDED: backend \"probe\" gave no answer within the deadline of 30s (deadline of its backend, " +
	"or --deadline)\n" +
	"outcome: unknown (the backend may or may not have carried out the call)\n" +
	"retry: not blindly; the call may have taken effect, so look at the current state first"

// TestWhoseDeadline: near our deadline, the server's own timer makes no difference to what is told; long before it, the
// server's answer is one.
func TestWhoseDeadline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		after     time.Duration
		code      codes.Code
		execution backend.Execution
		text      string // "" for overdue
	}{
		{
			"a deadline of the server's own", time.Second, codes.DeadlineExceeded, backend.Executed,
			"DEADLINE_EXCEEDED: refused\noutcome: executed",
		},
		{"the server cancels", time.Second, codes.Canceled, backend.Executed, "CANCELLED: refused\noutcome: executed"},
		{"the server's timer is early", 29950 * time.Millisecond, codes.DeadlineExceeded, backend.Unknown, ""},
		{"the server cancels at its timer", 29950 * time.Millisecond, codes.Canceled, backend.Unknown, ""},
		{"both timers at once", 30 * time.Second, codes.DeadlineExceeded, backend.Unknown, ""},
		{"the server's answer is late", 31 * time.Second, codes.NotFound, backend.Unknown, ""},
		{"an answer at the last moment", 29950 * time.Millisecond, codes.NotFound, backend.Executed, "NOT_FOUND: refused\noutcome: executed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer := withDetails(t, tt.code, &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)})
			synctest.Test(t, func(t *testing.T) {
				l := memory()
				s := start(t, l, func(context.Context, *dynamicpb.Message) (proto.Message, error) {
					time.Sleep(tt.after)
					return nil, answer
				}, grpc.WaitForHandlers(true))
				_, f := newBackend(t, backend.Config{Conn: dial(t, l)}).Unary(t.Context(), s.method("Do"), nil)
				if tt.text != "" {
					check(t, f, tt.code, tt.execution)
					contains(t, f, tt.text)
					return
				}
				if text := string(f.AppendText(nil)); text != overdue || f.Retryable || f.Execution != tt.execution {
					t.Errorf("%s (retryable %v)\n%s", f.Execution, f.Retryable, text)
				}
			})
		})
	}
}

// TestDeadlineOnRealClocks lets the timers of both sides race, many times. A call is told to be unknown, or, on a machine
// so busy that the deadline passed before, not sent; and then it was not.
func TestDeadlineOnRealClocks(t *testing.T) {
	t.Parallel()
	const calls, deadline = 400, 20 * time.Millisecond
	l := loopback(t)
	s := start(t, l, func(ctx context.Context, _ *dynamicpb.Message) (proto.Message, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}, grpc.WaitForHandlers(true))
	b := newBackend(t, backend.Config{Conn: dial(t, l), Deadline: deadline})
	if _, f := b.Unary(t.Context(), s.method("Do"), nil); f == nil { // connects
		t.Fatal("the call succeeded")
	}
	before := s.executions.Load()
	outcomes := make(chan *backend.Failure, calls)
	var running sync.WaitGroup
	for range 16 {
		running.Go(func() {
			for range calls / 16 {
				_, f := b.Unary(t.Context(), s.method("Do"), nil)
				outcomes <- f
			}
		})
	}
	running.Wait()
	close(outcomes)
	sent := int64(0)
	for f := range outcomes {
		if f.Code != codes.DeadlineExceeded || f.Execution == backend.Executed {
			t.Fatalf("%s", f.AppendText(nil))
		}
		if f.Execution == backend.Unknown {
			sent++
			contains(t, f, `backend "probe" gave no answer within the deadline of 20ms`)
		}
	}
	s.Stop()
	if ran := s.executions.Load() - before; ran > sent {
		t.Errorf("%d calls were carried out and %d are said to have been sent", ran, sent)
	}
}

// late is a stub that takes its time.
type late struct {
	stub
	after time.Duration
}

func (l late) Invoke(ctx context.Context, path string, in, out any, o ...grpc.CallOption) error {
	time.Sleep(l.after)
	return l.stub.Invoke(ctx, path, in, out, o...)
}

// TestShortDeadlines: how early an answer may be to count as the deadline's shrinks with the deadline.
func TestShortDeadlines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		deadline, after time.Duration
		want            backend.Execution
	}{
		{10 * time.Millisecond, 8 * time.Millisecond, backend.Executed},
		{10 * time.Millisecond, 9 * time.Millisecond, backend.Unknown},
		{time.Second, 890 * time.Millisecond, backend.Executed},
		{time.Second, 900 * time.Millisecond, backend.Unknown},
		{time.Hour, time.Hour - time.Second, backend.Executed},
		{time.Hour, time.Hour - 100*time.Millisecond, backend.Unknown},
	} {
		synctest.Test(t, func(t *testing.T) {
			conn := late{stub{err: withDetails(t, codes.DeadlineExceeded), answered: true}, tt.after}
			_, f := newBackend(t, backend.Config{Conn: conn, Deadline: tt.deadline}).Unary(t.Context(), compile(t).method("Do"), nil)
			check(t, f, codes.DeadlineExceeded, tt.want)
		})
	}
}

// cancelling is a stub whose caller leaves while it answers.
type cancelling struct {
	stub
	cancel context.CancelFunc
}

func (c cancelling) Invoke(ctx context.Context, path string, in, out any, o ...grpc.CallOption) error {
	c.cancel()
	return c.stub.Invoke(ctx, path, in, out, o...)
}

// TestCancelledWhileAnswering: a status that may only echo the cancellation does not count as an answer.
func TestCancelledWhileAnswering(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{false, true} {
		for _, code := range []codes.Code{codes.Canceled, codes.DeadlineExceeded} {
			ctx, cancel := context.WithCancel(t.Context())
			conn := cancelling{stub{err: withDetails(t, code), answered: answered}, cancel}
			_, f := newBackend(t, backend.Config{Conn: conn}).Unary(ctx, compile(t).method("Read"), nil)
			check(t, f, codes.Canceled, backend.Unknown)
			if !f.Cancelled || f.Retryable || f.Message != `the call was cancelled before backend "probe" answered` {
				t.Errorf("answered=%v, %v: %+v", answered, code, f)
			}
		}
	}
}

// forbidden fails the test when a call reaches it.
type forbidden struct {
	stub
	t *testing.T
}

func (f forbidden) Invoke(context.Context, string, any, any, ...grpc.CallOption) error {
	f.t.Error("the call was made")
	return nil
}

// TestOverBeforeSending: whatever the connection, a call that is over before it begins is not begun.
func TestOverBeforeSending(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	for _, messages := range []bool{false, true} {
		b := newBackend(t, backend.Config{Conn: forbidden{t: t}, Messages: messages})
		_, f := b.Unary(cancelled, compile(t).method("Do"), nil)
		check(t, f, codes.Canceled, backend.NotExecuted)
		contains(t, f, `CANCELLED: the call was cancelled before it was sent to backend "probe"`, "nothing was done")
		_, f = b.Unary(late, compile(t).method("Do"), nil)
		check(t, f, codes.DeadlineExceeded, backend.NotExecuted)
		contains(t, f, `the call could not be sent to backend "probe" within the time that the caller allowed`)
	}
}

// TestDeadlineBeforeSending: a deadline that passes while the backend cannot be reached leaves nothing to doubt.
func TestDeadlineBeforeSending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := memory() // where nobody accepts
		_, f := newBackend(t, backend.Config{Conn: dial(t, l), Deadline: time.Second}).Unary(t.Context(), compile(t).method("Do"), nil)
		check(t, f, codes.DeadlineExceeded, backend.NotExecuted)
		contains(t, f, `the call could not be sent to backend "probe" within the deadline of 1s (deadline of its backend, or --deadline)`,
			"yes, the same call may be repeated")
	})
}
