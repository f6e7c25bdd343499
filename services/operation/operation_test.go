package operation_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/mcpgrpc/bridge/services/operation"
)

// bench is a store in a bubble of its own time.
type bench struct {
	*operation.Store
	t *testing.T
}

func inBubble(t *testing.T, test func(b bench)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := bench{operation.New(), t}
		defer b.Close()
		test(b)
	})
}

// start begins work and returns the name of its operation.
func (b bench) start(work operation.Work) string {
	b.t.Helper()
	op, err := b.Start(work)
	if err != nil {
		b.t.Fatal(err)
	}
	if op.GetDone() || op.GetResult() != nil {
		b.t.Errorf("begins as %v", op)
	}
	return op.GetName()
}

// state returns an operation as it stands when all that can go on has.
func (b bench) state(name string) *longrunningpb.Operation {
	b.t.Helper()
	synctest.Wait()
	op, err := b.GetOperation(b.t.Context(), &longrunningpb.GetOperationRequest{Name: name})
	if err != nil {
		b.t.Fatal(err)
	}
	return op
}

// wait returns an operation after at most so long, and how long that took.
func (b bench) wait(ctx context.Context, name string, atMost time.Duration) (*longrunningpb.Operation, time.Duration) {
	b.t.Helper()
	began, req := time.Now(), &longrunningpb.WaitOperationRequest{Name: name}
	if atMost > 0 {
		req.Timeout = durationpb.New(atMost)
	}
	op, err := b.WaitOperation(ctx, req)
	if err != nil {
		b.t.Fatal(err)
	}
	return op, time.Since(began)
}

func packed(t *testing.T, m proto.Message) *anypb.Any {
	t.Helper()
	a, err := anypb.New(m)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// hour takes an hour, or as long as it may.
func hour(ctx context.Context, _ func(proto.Message) error) (proto.Message, error) {
	select {
	case <-time.After(time.Hour):
		return &emptypb.Empty{}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// done has nothing to do.
func done(context.Context, func(proto.Message) error) (proto.Message, error) {
	return &emptypb.Empty{}, nil
}

// TestLife: an operation says how far it has come, and then what it came to.
func TestLife(t *testing.T) {
	inBubble(t, func(b bench) {
		name := b.start(func(_ context.Context, say func(proto.Message) error) (proto.Message, error) {
			time.Sleep(time.Second)
			if err := say(wrapperspb.Int32(1)); err != nil {
				return nil, err
			}
			time.Sleep(time.Second)
			return wrapperspb.String("all"), nil
		})
		want := &longrunningpb.Operation{Name: name}
		for _, step := range []func(){
			func() {},
			func() { want.Metadata = packed(b.t, wrapperspb.Int32(1)) },
			func() {
				want.Done, want.Result = true, &longrunningpb.Operation_Response{Response: packed(b.t, wrapperspb.String("all"))}
			},
		} {
			step()
			if diff := cmp.Diff(want, b.state(name), protocmp.Transform()); diff != "" {
				b.t.Errorf("-want +got:\n%s", diff)
			}
			time.Sleep(time.Second)
		}
		if other := b.start(done); other == name {
			b.t.Errorf("two operations are called %s", name)
		}
	})
}

// TestFailures: what ends work is the error of its operation, with a code that says what it was.
func TestFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want codes.Code
	}{
		"a status":   {status.Error(codes.DataLoss, "it is gone"), codes.DataLoss},
		"no status":  {errors.New("it is gone"), codes.Unknown},
		"its end":    {context.Canceled, codes.Canceled},
		"its time":   {context.DeadlineExceeded, codes.DeadlineExceeded},
		"no message": {nil, codes.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(b bench) {
				op := b.state(b.start(func(context.Context, func(proto.Message) error) (proto.Message, error) { return nil, tt.err }))
				failure, ok := op.GetResult().(*longrunningpb.Operation_Error)
				if !op.GetDone() || !ok || codes.Code(failure.Error.GetCode()) != tt.want || failure.Error.GetMessage() == "" {
					b.t.Errorf("got %v, want an error %v", op, tt.want)
				}
			})
		})
	}
}

// TestUnpackable: metadata that is none is refused to the work that gives it.
func TestUnpackable(t *testing.T) {
	inBubble(t, func(b bench) {
		said := make(chan error, 1)
		op := b.state(b.start(func(_ context.Context, say func(proto.Message) error) (proto.Message, error) {
			said <- say(nil)
			return &emptypb.Empty{}, nil
		}))
		if err := <-said; err == nil || op.GetMetadata() != nil || op.GetResponse() == nil {
			b.t.Errorf("metadata of nothing: %v, the operation is %v", err, op)
		}
	})
}

// TestCancel: an operation that was cancelled ends as such, and one that has ended stays as it is.
func TestCancel(t *testing.T) {
	inBubble(t, func(b bench) {
		running, ended := b.start(hour), b.start(done)
		synctest.Wait()
		for _, name := range []string{running, running, ended} {
			if _, err := b.CancelOperation(b.t.Context(), &longrunningpb.CancelOperationRequest{Name: name}); err != nil {
				b.t.Error(err)
			}
			synctest.Wait()
		}
		if op := b.state(running); !op.GetDone() || op.GetError().GetCode() != int32(codes.Canceled) {
			b.t.Errorf("cancelled, it is %v", op)
		}
		if op := b.state(ended); op.GetResponse() == nil {
			b.t.Errorf("cancelled after its end, it is %v", op)
		}
	})
}

// TestWait: it is over with the operation, the time of the request or that of the call, whichever is first.
func TestWait(t *testing.T) {
	inBubble(t, func(b bench) {
		name := b.start(hour)
		if op, took := b.wait(b.t.Context(), name, time.Minute); op.GetDone() || took != time.Minute {
			b.t.Errorf("the time of the request: %v after %v", op, took)
		}
		ctx, cancel := context.WithTimeout(b.t.Context(), time.Second)
		defer cancel()
		if op, took := b.wait(ctx, name, time.Minute); op.GetDone() || took != time.Second {
			b.t.Errorf("the time of the call: %v after %v", op, took)
		}
		if op, took := b.wait(b.t.Context(), name, 0); !op.GetDone() || took != time.Hour-time.Minute-time.Second {
			b.t.Errorf("the end: %v after %v", op, took)
		}
		if op, took := b.wait(b.t.Context(), name, time.Minute); !op.GetDone() || took != 0 {
			b.t.Errorf("after the end: %v after %v", op, took)
		}
	})
}

// TestNotFound: each method says that it does not know an operation.
func TestNotFound(t *testing.T) {
	inBubble(t, func(b bench) {
		ctx := b.t.Context()
		_, got := b.GetOperation(ctx, &longrunningpb.GetOperationRequest{Name: "operations/9"})
		_, cancelled := b.CancelOperation(ctx, &longrunningpb.CancelOperationRequest{Name: "operations/9"})
		_, waited := b.WaitOperation(ctx, &longrunningpb.WaitOperationRequest{Name: "operations/9"})
		for _, err := range []error{got, cancelled, waited} {
			if st := status.Convert(err); st.Code() != codes.NotFound || !strings.Contains(st.Message(), `"operations/9"`) {
				b.t.Errorf("got %v, want NOT_FOUND", err)
			}
		}
	})
}

// TestFull: as long as all go on there is no room; those that have ended make some, the oldest first, and are kept for an
// hour else.
func TestFull(t *testing.T) {
	inBubble(t, func(b bench) {
		first, second := b.start(done), b.start(done)
		for range 98 {
			b.start(hour)
		}
		b.state(second)
		b.start(hour)
		if _, err := b.GetOperation(b.t.Context(), &longrunningpb.GetOperationRequest{Name: first}); status.Code(err) != codes.NotFound {
			b.t.Errorf("the oldest: %v", err)
		}
		b.state(second)
		b.start(hour)
		_, err := b.Start(hour)
		st := status.Convert(err)
		if details := st.Details(); st.Code() != codes.ResourceExhausted || len(details) != 1 {
			b.t.Fatalf("one too many: %v", err)
		} else if _, ok := details[0].(*errdetails.QuotaFailure); !ok {
			b.t.Errorf("the detail is %v", details[0])
		}
		time.Sleep(time.Hour)
		last := b.start(done) // the others have just ended
		b.state(last)
		time.Sleep(time.Hour + time.Second)
		b.start(done)
		if _, err := b.GetOperation(b.t.Context(), &longrunningpb.GetOperationRequest{Name: last}); status.Code(err) != codes.NotFound {
			b.t.Errorf("after more than an hour: %v", err)
		}
	})
}

// TestClose ends what goes on and waits for it, and what begins after it ends at once.
func TestClose(t *testing.T) {
	inBubble(t, func(b bench) {
		before := b.start(hour)
		b.Close()
		for _, name := range []string{before, b.start(hour)} {
			if op := b.state(name); op.GetError().GetCode() != int32(codes.Canceled) {
				b.t.Errorf("%s is %v", name, op)
			}
		}
	})
}

// TestRegister: a server serves google.longrunning.Operations.
func TestRegister(t *testing.T) {
	t.Parallel()
	server, store := grpc.NewServer(), operation.New()
	defer server.Stop()
	defer store.Close()
	store.Register(server)
	if _, ok := server.GetServiceInfo()["google.longrunning.Operations"]; !ok {
		t.Errorf("it serves %v", server.GetServiceInfo())
	}
}
