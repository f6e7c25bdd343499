package echo_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	"github.com/mcpgrpc/bridge/services/echo"
)

// TestDelay runs in a bubble whose clock moves only when everybody waits.
func TestDelay(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		delay   time.Duration
		timeout time.Duration // 0: none
		cancel  bool
		code    codes.Code
	}{
		"waits":             {delay: 90 * time.Second},
		"not at all":        {},
		"deadline":          {delay: time.Hour, timeout: time.Second, code: codes.DeadlineExceeded},
		"caller goes away":  {delay: time.Hour, cancel: true, code: codes.Canceled},
		"longer than rules": {delay: 2 * time.Hour, code: codes.InvalidArgument},
		"negative":          {delay: -time.Second, code: codes.InvalidArgument},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				if tt.timeout > 0 {
					ctx, cancel = context.WithTimeout(ctx, tt.timeout)
				}
				defer cancel()
				if tt.cancel {
					time.AfterFunc(time.Second, cancel)
				}
				res, err := echo.New().Delay(ctx, &echov1.DelayRequest{Delay: durationpb.New(tt.delay)})
				requireCode(t, err, tt.code)
				if err == nil && res.GetWaited().AsDuration() != tt.delay {
					t.Errorf("waited %v, want %v", res.GetWaited().AsDuration(), tt.delay)
				}
			})
		})
	}
}

func TestFail(t *testing.T) {
	t.Parallel()
	resource := &errdetails.ResourceInfo{ResourceType: "shelf", ResourceName: "shelves/1"}
	other, err := anypb.New(&echov1.Nested{Id: 1})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		request *echov1.FailRequest
		code    codes.Code
		details []*anypb.Any
	}{
		"ok is no failure": {&echov1.FailRequest{Message: "unused"}, codes.OK, nil},
		"code and message": {&echov1.FailRequest{Code: code.Code_NOT_FOUND, Message: "no \"such\" shelf\n"}, codes.NotFound, nil},
		"unknown code":     {&echov1.FailRequest{Code: 99, Message: "what"}, codes.Code(99), nil},
		"a google detail": {
			&echov1.FailRequest{Code: code.Code_ABORTED, Details: []*echov1.Detail{{Detail: &echov1.Detail_ResourceInfo{ResourceInfo: resource}}}},
			codes.Aborted,
			[]*anypb.Any{packed(t, resource)},
		},
		"another detail": {
			&echov1.FailRequest{Code: code.Code_ABORTED, Details: []*echov1.Detail{{Detail: &echov1.Detail_Other{Other: other}}}}, codes.Aborted,
			[]*anypb.Any{other},
		},
		"an unknown detail": {
			&echov1.FailRequest{Code: code.Code_ABORTED, Details: []*echov1.Detail{{Detail: &echov1.Detail_Unknown{Unknown: []byte{1}}}}},
			codes.Aborted,
			[]*anypb.Any{{TypeUrl: "type.googleapis.com/nobody.v1.Unknown", Value: []byte{1}}},
		},
	}
	client := dial(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client.Fail(t.Context(), tt.request)
			requireCode(t, err, tt.code)
			if err == nil {
				return
			}
			got := status.Convert(err).Proto()
			if got.GetMessage() != tt.request.GetMessage() {
				t.Errorf("message = %q, want %q", got.GetMessage(), tt.request.GetMessage())
			}
			if diff := cmp.Diff(tt.details, got.GetDetails(), protocmp.Transform()); diff != "" {
				t.Errorf("details (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFailCarriesEveryDetail sets each member of Detail in turn.
func TestFailCarriesEveryDetail(t *testing.T) {
	t.Parallel()
	client := dial(t)
	members := (&echov1.Detail{}).ProtoReflect().Descriptor().Fields()
	for i := range members.Len() {
		fd := members.Get(i)
		if fd.Message() == nil || fd.Name() == "other" {
			continue
		}
		t.Run(string(fd.Name()), func(t *testing.T) {
			t.Parallel()
			detail := &echov1.Detail{}
			detail.ProtoReflect().Mutable(fd)
			_, err := client.Fail(t.Context(), &echov1.FailRequest{Code: code.Code_INTERNAL, Details: []*echov1.Detail{detail}})
			details := status.Convert(err).Proto().GetDetails()
			if len(details) != 1 || details[0].MessageName() != fd.Message().FullName() {
				t.Errorf("details = %v, want one %s", details, fd.Message().FullName())
			}
		})
	}
}

func packed(t *testing.T, message proto.Message) *anypb.Any {
	t.Helper()
	a, err := anypb.New(message)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestExecutions counts what was executed under a key, whatever became of it.
func TestExecutions(t *testing.T) {
	t.Parallel()
	client := dial(t)
	executions := func(key string) int64 {
		res, err := client.Executions(t.Context(), &echov1.ExecutionsRequest{Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return res.GetExecutions()
	}
	fail := &echov1.FailRequest{Code: code.Code_UNAVAILABLE, Key: "a", Times: 2}
	for n, want := range []codes.Code{codes.Unavailable, codes.Unavailable, codes.OK} {
		res, err := client.Fail(t.Context(), fail)
		requireCode(t, err, want)
		if err == nil && res.GetExecutions() != 3 {
			t.Errorf("executions in the answer = %d, want 3", res.GetExecutions())
		}
		if got := executions("a"); got != int64(n+1) {
			t.Errorf("executions after call %d = %d", n+1, got)
		}
	}
	if _, err := client.Delay(t.Context(), &echov1.DelayRequest{Key: "b"}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Delay(t.Context(), &echov1.DelayRequest{}); err != nil {
		t.Fatal(err)
	}
	if a, b, c := executions("a"), executions("b"), executions("c"); a != 3 || b != 1 || c != 0 {
		t.Errorf("executions = %d, %d, %d, want 3, 1, 0", a, b, c)
	}
}
