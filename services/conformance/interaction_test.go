package conformance_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	conformancev1 "github.com/mcpgrpc/bridge/gen/conformance/v1"
	"github.com/mcpgrpc/bridge/services/conformance"
)

// ended returns an operation when it has ended.
func (i *interactions) ended(op *longrunningpb.Operation) *longrunningpb.Operation {
	i.t.Helper()
	op, err := i.operations.WaitOperation(i.t.Context(), &longrunningpb.WaitOperationRequest{Name: op.GetName()})
	if err != nil {
		i.t.Fatal(err)
	}
	if !op.GetDone() {
		i.t.Fatalf("it goes on: %v", op)
	}
	return op
}

// TestInBand: logs and progress come in the order in which they are said, and then the text.
func TestInBand(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{
		"ToolWithLogging":  "log Tool execution started; log Tool processing data; log Tool execution completed; Three lines were logged.",
		"ToolWithProgress": "progress 0 of 100; progress 50 of 100; progress 100 of 100; All is done.",
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sent, err := newInteractions(t).make(t.Context(), call{method: method})
				if got := told(sent); err != nil || got != want {
					t.Errorf("got %s, %v, want %s", got, err, want)
				}
			})
		})
	}
}

// TestGone: a caller that has gone is told no more, and the call says why it ended.
func TestGone(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"ToolWithLogging", "ToolWithProgress", "FailingJob"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				defer cancel()
				sent, err := newInteractions(t).make(ctx, call{method: method})
				if status.Code(err) != codes.DeadlineExceeded || len(sent) > 1 {
					t.Errorf("got %s, %v, want DEADLINE_EXCEEDED", told(sent), err)
				}
			})
		})
	}
}

// logs is the stream of Logging.
type logs struct {
	stream
	levels []bridgev1.LogLevel
	text   string
}

func (l *logs) Send(m *conformancev1.LoggingResponse) error {
	if line := m.GetLog(); line != nil {
		l.levels = append(l.levels, line.GetLevel())
	}
	l.text = m.GetContent().GetText().GetText()
	return nil
}

// TestLogging: there is a line of each level, and then a text.
func TestLogging(t *testing.T) {
	t.Parallel()
	s := conformance.New()
	defer s.Close()
	var l logs
	if err := s.Logging(nil, &l); err != nil {
		t.Fatal(err)
	}
	var want []bridgev1.LogLevel
	for level := bridgev1.LogLevel_LOG_LEVEL_DEBUG; level <= bridgev1.LogLevel_LOG_LEVEL_EMERGENCY; level++ {
		want = append(want, level)
	}
	if diff := cmp.Diff(want, l.levels); diff != "" || len(want) != 8 || l.text != "The call was logged." {
		t.Errorf("then %q; -want +got:\n%s", l.text, diff)
	}
}

func TestFailingJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := newInteractions(t).make(t.Context(), call{method: "FailingJob"})
		if status.Code(err) != codes.Internal || time.Since(began) != time.Second {
			t.Errorf("got %v after %v, want INTERNAL after 1s", err, time.Since(began))
		}
	})
}

// TestSlowCompute: it takes the seconds that it is given, says how many are left, and is done at once where there are none.
func TestSlowCompute(t *testing.T) {
	t.Parallel()
	for request, takes := range map[string]time.Duration{`"label":"a"`: 0, `"label":"a","seconds":3`: 3 * time.Second} {
		t.Run(takes.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				i, began := newInteractions(t), time.Now()
				sent, err := i.make(t.Context(), call{method: "SlowCompute", request: request})
				if err != nil {
					t.Fatal(err)
				}
				op := sent[0].(*longrunningpb.Operation)
				if op.GetDone() != (takes == 0) {
					t.Fatalf("it begins as %v", op)
				}
				if takes > 0 {
					op = i.ended(op)
					var left conformancev1.OperationMetadata
					if err := op.GetMetadata().UnmarshalTo(&left); err != nil || left.GetSecondsLeft() != 1 {
						t.Errorf("at last, %v are left, %v", left.GetSecondsLeft(), err)
					}
				}
				var computed conformancev1.SlowComputeResponse
				if err := op.GetResponse().UnmarshalTo(&computed); err != nil || computed.GetText() != "Computed a." || time.Since(began) != takes {
					t.Errorf("got %v, %v after %v", op, err, time.Since(began))
				}
			})
		})
	}
}

// TestSlowComputeRefuses what takes less than nothing or longer than an hour.
func TestSlowComputeRefuses(t *testing.T) {
	t.Parallel()
	for _, request := range []string{`"seconds":-1`, `"seconds":3601`} {
		sent, err := newInteractions(t).make(t.Context(), call{method: "SlowCompute", request: request})
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: got %v, %v, want INVALID_ARGUMENT", request, sent, err)
		}
	}
}
