package backend_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// TestStreamEndsFromThisSide: whatever ends a stream on this side ends it at the backend too, and comes out as what it is.
func TestStreamEndsFromThisSide(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	const soon, long = 200 * time.Millisecond, time.Minute
	for name, tt := range map[string]struct {
		deadline time.Duration
		receive  func(ctx context.Context, cancel func()) error
		code     codes.Code // OK: no failure
		cause    error
		text     string
	}{
		"enough":           {long, func(context.Context, func()) error { return backend.ErrStop }, codes.OK, nil, ""},
		"enough, wrapped":  {long, func(context.Context, func()) error { return errors.Join(backend.ErrStop) }, codes.OK, nil, ""},
		"error of receive": {long, func(context.Context, func()) error { return full }, codes.Canceled, full, "given up after a reply: full"},
		"deadline": {
			soon, func(context.Context, func()) error { return nil }, codes.DeadlineExceeded, nil, "did not end within the deadline of 200ms",
		},
		"deadline in receive": {soon, awaitDeadline(soon), codes.DeadlineExceeded, context.DeadlineExceeded, "did not end within"},
		"caller leaves":       {long, leave(false), codes.Canceled, nil, "was cancelled before the stream"},
		"left in receive":     {long, leave(true), codes.Canceled, context.Canceled, "was cancelled before the stream"},
	} {
		for _, method := range []protoreflect.Name{"StreamingOutputCall", "FullDuplexCall"} {
			t.Run(name+"/"+string(method), func(t *testing.T) {
				t.Parallel()
				ended := make(chan time.Time, 1)
				hang := func(ctx context.Context) error {
					<-ctx.Done()
					ended <- time.Now()
					return ctx.Err()
				}
				s := &service{out: func(g testgrpc.TestService_StreamingOutputCallServer) error {
					_ = g.Send(reply(1))
					return hang(g.Context())
				}, both: func(g testgrpc.TestService_FullDuplexCallServer) error {
					_ = g.Send(reply(1))
					return hang(g.Context())
				}}
				b := s.backend(t, backend.Config{Deadline: tt.deadline})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				f := b.Stream(ctx, kind(method), [][]byte{nil}, func([]byte) error { return tt.receive(ctx, cancel) })
				over := time.Now()
				t.Logf("the backend's context ended %v after the call", (<-ended).Sub(over))
				if tt.code == codes.OK {
					if f != nil {
						t.Fatal(f)
					}
					return
				}
				check(t, f, tt.code, backend.Unknown)
				contains(t, f, tt.text)
				left := errors.Is(ctx.Err(), context.Canceled)
				if tt.cause != nil && !errors.Is(f, tt.cause) || f.Cancelled != left || f.Retryable {
					t.Errorf("got %+v", f)
				}
			})
		}
	}
}

// awaitDeadline returns at the deadline of the call as one does that hands over to a client.
func awaitDeadline(d time.Duration) func(context.Context, func()) error {
	return func(ctx context.Context, _ func()) error {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		<-ctx.Done()
		return ctx.Err()
	}
}

// leave has the caller leave, and receive notice or not.
func leave(notice bool) func(context.Context, func()) error {
	return func(ctx context.Context, cancel func()) error {
		cancel()
		if notice {
			return ctx.Err()
		}
		return nil
	}
}

// TestStreamNeverBegun: what cannot be sent is not sent, and what is over already is not begun.
func TestStreamNeverBegun(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx      context.Context
		config   backend.Config
		requests [][]byte
		code     codes.Code
	}{
		"over":        {over, backend.Config{}, [][]byte{nil}, codes.Canceled},
		"too large":   {t.Context(), backend.Config{MaxMessageBytes: 10}, [][]byte{nil, make([]byte, 11), nil}, codes.ResourceExhausted},
		"no messages": {t.Context(), backend.Config{Messages: true}, [][]byte{nil, {0xff}}, codes.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &service{}
			f := s.backend(t, tt.config).Stream(tt.ctx, kind("StreamingInputCall"), tt.requests, func([]byte) error { return nil })
			check(t, f, tt.code, backend.NotExecuted)
			if n := s.calls.Load(); n != 0 {
				t.Errorf("%d calls arrived", n)
			}
		})
	}
}
