package backend_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// TestFailureData: a failure as data, with each of the details that have a meaning of their own.
func TestFailureData(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"plain": {
			status.Error(codes.NotFound, "no \"such\" thing"),
			`{"code":"NOT_FOUND","message":"no \"such\" thing","outcome":"executed","retryable":false}`,
		},
		"asked to wait": {
			detailed(t, codes.ResourceExhausted, &errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)}),
			`{"code":"RESOURCE_EXHAUSTED","message":"so it is","outcome":"executed","retryable":true,"retryAfter":"1.5s",` +
				`"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}]}`,
		},
		"details": {
			detailed(t, codes.InvalidArgument,
				&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "age", Description: "is negative"}}},
				&errdetails.DebugInfo{Detail: "a stack"},
				&errdetails.ErrorInfo{Reason: "AGE", Domain: "shop"},
				&errdetails.PreconditionFailure{Violations: []*errdetails.PreconditionFailure_Violation{{Type: "TOS", Subject: "you"}}},
				&errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{{Subject: "you", Description: "10 a day"}}},
				&errdetails.LocalizedMessage{Locale: "de", Message: "geht nicht"},
				&errdetails.Help{Links: []*errdetails.Help_Link{{Description: "more", Url: "https://a.example"}}},
				&errdetails.ResourceInfo{ResourceType: "order", ResourceName: "7"}),
			`{"code":"INVALID_ARGUMENT","message":"so it is","outcome":"executed","retryable":false,"details":[` +
				`{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"age","description":"is negative"}]},` +
				`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"AGE","domain":"shop"},` +
				`{"@type":"type.googleapis.com/google.rpc.PreconditionFailure","violations":[{"type":"TOS","subject":"you"}]},` +
				`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"you","description":"10 a day"}]},` +
				`{"@type":"type.googleapis.com/google.rpc.LocalizedMessage","locale":"de","message":"geht nicht"},` +
				`{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"more","url":"https://a.example"}]},` +
				`{"@type":"type.googleapis.com/google.rpc.ResourceInfo","resourceType":"order","resourceName":"7"}]}`,
		},
		"empty detail": {
			detailed(t, codes.Aborted, &errdetails.ErrorInfo{}),
			`{"code":"ABORTED","message":"so it is","outcome":"executed","retryable":false,` +
				`"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memory()
			s := start(t, l, func(context.Context, *dynamicpb.Message) (proto.Message, error) { return nil, tt.err })
			_, f := newBackend(t, backend.Config{Conn: dial(t, l)}).Unary(t.Context(), s.method("Do"), nil)
			if got := string(f.AppendData(nil)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestFailureDataIsBounded: many large details are left out, and what is there is JSON all the same.
func TestFailureDataIsBounded(t *testing.T) {
	t.Parallel()
	st := status.New(codes.Aborted, strings.Repeat("m", 5000))
	for range 20 {
		var err error
		if st, err = st.WithDetails(&errdetails.ErrorInfo{Reason: strings.Repeat("r", 3000)}); err != nil {
			t.Fatal(err)
		}
	}
	_, f := newBackend(t, backend.Config{Conn: stub{err: st.Err()}}).Unary(t.Context(), compile(t).method("Do"), nil)
	got := f.AppendData([]byte("before "))
	data, ok := strings.CutPrefix(string(got), "before ")
	if !ok || !json.Valid([]byte(data)) || len(data) > 20<<10 || !strings.Contains(data, `"details":[`) {
		t.Errorf("%d bytes: %.100s", len(data), data)
	}
}
