package backend_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

func protoName(s string) protoreflect.Name { return protoreflect.Name(s) }

// fail makes a call on a connection that fails it with err as the backend's answer.
func fail(t testing.TB, c backend.Config, method string, err error) *backend.Failure {
	t.Helper()
	c.Conn = stub{err: err, answered: true}
	_, f := newBackend(t, c).Unary(t.Context(), compile(t).method(protoName(method)), nil)
	if f == nil {
		t.Fatal("the call succeeded")
	}
	return f
}

// TestCodeName: the code has the name of the gRPC specification, also where Go
// writes it otherwise.
func TestCodeName(t *testing.T) {
	t.Parallel()
	for code, want := range map[codes.Code]string{
		codes.Canceled: "CANCELLED", codes.NotFound: "NOT_FOUND", codes.DataLoss: "DATA_LOSS", 99: "CODE(99)",
	} {
		if got := (&backend.Failure{Code: code}).CodeName(); got != want {
			t.Errorf("%d: got %s, want %s", code, got, want)
		}
	}
}

// TestTexts shows the whole text for each code that a backend can answer with.
func TestTexts(t *testing.T) {
	t.Parallel()
	const executed = "outcome: executed (the backend processed the call and answered with this error)\n"
	for _, tt := range []struct {
		code codes.Code
		want string
	}{
		{codes.Canceled, "CANCELLED: m\n" + executed + "retry: no, the same call is likely to fail again"},
		{codes.Unknown, "UNKNOWN: m\n" + executed + "retry: no, the same call is likely to fail again"},
		{codes.InvalidArgument, "INVALID_ARGUMENT: m\n" + executed + "retry: no, correct the arguments first"},
		{codes.DeadlineExceeded, "DEADLINE_EXCEEDED: m\n" + executed +
			"retry: after a wait, but look at the current state first, since the call may have had an effect"},
		{codes.NotFound, "NOT_FOUND: m\n" + executed + "retry: no, check the name or id first"},
		{codes.AlreadyExists, "ALREADY_EXISTS: m\n" + executed +
			"retry: no, it exists already; choose another name or use the existing one"},
		{codes.PermissionDenied, "PERMISSION_DENIED: m\n" + executed + "retry: no, this caller is not allowed to do this"},
		{codes.ResourceExhausted, "RESOURCE_EXHAUSTED: m\n" + executed + "retry: not as it is; ask for less, or wait"},
		{codes.FailedPrecondition, "FAILED_PRECONDITION: m\n" + executed + "retry: no, the state has to change first"},
		{codes.Aborted, "ABORTED: m\n" + executed + "retry: not as it is; read the current state again, then repeat the change"},
		{codes.OutOfRange, "OUT_OF_RANGE: m\n" + executed + "retry: no, correct the arguments first"},
		{codes.Unimplemented, "UNIMPLEMENTED: m\n" +
			"outcome: unknown (the backend answered that it does not implement this, most likely before it did anything)\n" +
			"retry: no, the backend does not implement this; use another tool"},
		{codes.Internal, "INTERNAL: m\n" + executed + "retry: no, the same call is likely to fail again"},
		{codes.Unavailable, "UNAVAILABLE: m\n" + executed +
			"retry: after a wait, but look at the current state first, since the call may have had an effect"},
		{codes.DataLoss, "DATA_LOSS: m\n" + executed + "retry: no, the same call is likely to fail again"},
		{codes.Unauthenticated, "UNAUTHENTICATED: m\n" + executed +
			"retry: no, the bridge's credentials for this backend were refused; its operator has to mend that"},
		{99, "CODE(99): m\n" + executed + "retry: no, the same call is likely to fail again"},
	} {
		t.Run(tt.code.String(), func(t *testing.T) {
			t.Parallel()
			f := fail(t, backend.Config{}, "Do", status.Error(tt.code, "m"))
			if got := string(f.AppendText(nil)); got != tt.want {
				t.Errorf("text:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

// TestRepeatableMethods: where the author says that a repetition does no harm, a failure that can pass is retryable.
func TestRepeatableMethods(t *testing.T) {
	t.Parallel()
	for code, want := range map[codes.Code]bool{
		codes.Unavailable: true, codes.DeadlineExceeded: true,
		codes.Canceled: false, codes.NotFound: false, codes.Internal: false, codes.ResourceExhausted: false,
	} {
		if f := fail(t, backend.Config{}, "Read", status.Error(code, "m")); f.Retryable != want {
			t.Errorf("%v: retryable %v, want %v", code, f.Retryable, want)
		}
	}
}

// TestWithoutEvidence is about connections that report neither headers nor peer: only the codes that no client library
// makes up prove an answer.
func TestWithoutEvidence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		code codes.Code
		want backend.Execution
		text string
	}{
		{"an application's code", status.Error(codes.NotFound, "no such book"), codes.NotFound, backend.Executed, "no such book"},
		{"a library's code", status.Error(codes.Internal, "odd"), codes.Internal, backend.Unknown, "INTERNAL: odd"},
		{"unavailable", status.Error(codes.Unavailable, "gone"), codes.Unavailable, backend.Unknown, "UNAVAILABLE: gone"},
		{"cancelled by the backend", status.Error(codes.Canceled, "x"), codes.Canceled, backend.Unknown, "CANCELLED: x"},
		{"no status", errors.New("plain"), codes.Unknown, backend.Unknown, "UNKNOWN: plain"},
		{
			"a context's error", fmt.Errorf("wrapped: %w", context.DeadlineExceeded), codes.DeadlineExceeded, backend.Unknown,
			"DEADLINE_EXCEEDED: wrapped: context deadline exceeded",
		},
		{"a wrapped status", fmt.Errorf("layer: %w", status.Error(codes.Aborted, "lost")), codes.Aborted, backend.Executed, "lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, backend.Config{Conn: stub{err: tt.err}})
			_, f := b.Unary(t.Context(), compile(t).method("Do"), nil)
			check(t, f, tt.code, tt.want)
			contains(t, f, tt.text)
			if !errors.Is(f, tt.err) {
				t.Errorf("the failure does not wrap %v", tt.err)
			}
		})
	}
}

// TestHiddenErrors: the client sees an incident id, the log has the original under it.
func TestHiddenErrors(t *testing.T) {
	t.Parallel()
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			log := newLog()
			f := fail(t, backend.Config{HideInternalErrors: true, Logger: log.Logger}, "Do", status.Error(code, "pq: relation missing"))
			text := string(f.AppendText(nil))
			hidden := code == codes.Internal || code == codes.Unknown || code == codes.DataLoss
			if hidden == strings.Contains(text, "relation") || hidden != (f.Incident != "") {
				t.Errorf("hidden %v, incident %q:\n%s", hidden, f.Incident, text)
			}
			if !hidden {
				return
			}
			for _, want := range []string{f.Incident, "pq: relation missing", "probe.v1.Probe.Do"} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("log lacks %q:\n%s", want, log)
				}
			}
			if !strings.Contains(text, f.Incident) {
				t.Errorf("text lacks the incident %q:\n%s", f.Incident, text)
			}
		})
	}
}

// TestLiteralFailure: a Failure made by hand, as other packages do in tests, is never mute.
func TestLiteralFailure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		f    backend.Failure
		want string
	}{
		{"empty message", backend.Failure{Code: codes.Internal}, "INTERNAL: the backend gave no reason\noutcome: unknown"},
		{
			"retry",
			backend.Failure{Code: codes.Unavailable, Execution: backend.NotExecuted, Retryable: true, RetryAfter: 5 * time.Second},
			"retry: yes, the same call may be repeated after 5s",
		},
		{"not executed", backend.Failure{Code: codes.Internal, Execution: backend.NotExecuted}, "nothing was done"},
		{
			"detail as JSON",
			backend.Failure{Code: codes.Internal, Details: []backend.Detail{{Type: "a.B", JSON: []byte(`{"c":1}`)}}},
			"\na.B: {\"c\":1}\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			contains(t, &tt.f, tt.want)
		})
	}
}

// TestEmptyMessage: an error is never shown as an empty text.
func TestEmptyMessage(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"", "  \n\t", "\u200b\u202e"} {
		f := fail(t, backend.Config{}, "Do", status.Error(codes.NotFound, message))
		if f.Message == "" || !strings.HasPrefix(f.Error(), "NOT_FOUND: the backend gave no reason") {
			t.Errorf("%q: %v", message, f)
		}
	}
}

// TestLongTextKeepsItsEnd: outcome and advice survive any number of details.
func TestLongTextKeepsItsEnd(t *testing.T) {
	t.Parallel()
	f := &backend.Failure{Code: codes.Internal, Message: strings.Repeat("m", 1024)}
	for range 100 {
		f.Details = append(f.Details, backend.Detail{Lines: []string{strings.Repeat("d", 200)}})
	}
	text := string(f.AppendText([]byte("before: ")))
	if len(text) > 4000+len("before: ") || !strings.HasPrefix(text, "before: INTERNAL: mmm") {
		t.Errorf("%d bytes: %.40s…", len(text), text)
	}
	contains(t, f, "(further details left out)\noutcome: unknown", "retry: not blindly")
}
