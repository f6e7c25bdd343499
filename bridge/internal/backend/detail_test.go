package backend_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// withDetails makes a status error of packed messages.
func withDetails(t testing.TB, code codes.Code, details ...proto.Message) error {
	t.Helper()
	s := &spb.Status{Code: int32(code), Message: "refused"}
	for _, d := range details {
		a, err := anypb.New(d)
		if err != nil {
			t.Fatal(err)
		}
		s.Details = append(s.Details, a)
	}
	return status.ErrorProto(s)
}

// middle returns the lines between the message and the outcome.
func middle(f *backend.Failure) string {
	_, rest, _ := strings.Cut(string(f.AppendText(nil)), "\n")
	text, _, _ := strings.Cut(rest, "outcome: ")
	return strings.TrimSuffix(text, "\n")
}

func TestDetailsInWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		detail proto.Message
		want   string
	}{
		{"BadRequest", &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "book.title", Description: "must not be empty", Reason: "EMPTY"},
			{Field: "book.pages", LocalizedMessage: &errdetails.LocalizedMessage{Message: "zu wenige"}},
			{Field: "tags[2]"},
		}}, "field \"book.title\": must not be empty (EMPTY)\nfield \"book.pages\": zu wenige\nfield \"tags[2]\""},
		{
			"ErrorInfo",
			&errdetails.ErrorInfo{Reason: "SHELF_FULL", Domain: "library.example.com", Metadata: map[string]string{"shelf": "1", "max": "40"}},
			"reason: SHELF_FULL (domain=library.example.com, max=40, shelf=1)",
		},
		{"ErrorInfo without facts", &errdetails.ErrorInfo{Reason: "SHELF_FULL"}, "reason: SHELF_FULL"},
		{"RetryInfo", &errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}, ""},
		{
			"ResourceInfo", &errdetails.ResourceInfo{ResourceType: "Book", ResourceName: "shelves/1/books/2", Owner: "ann", Description: "lent out"},
			`resource Book "shelves/1/books/2": lent out (owner ann)`,
		},
		{"PreconditionFailure", &errdetails.PreconditionFailure{Violations: []*errdetails.PreconditionFailure_Violation{
			{Type: "TOS", Subject: "library.example.com", Description: "terms not accepted"},
		}}, `precondition TOS on "library.example.com": terms not accepted`},
		{"QuotaFailure", &errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{
			{Subject: "user:ann", Description: "too many loans", QuotaMetric: "loans", QuotaId: "per-day", QuotaValue: 5}, {Subject: "all"},
		}}, "quota of \"user:ann\": too many loans (loans per-day limit=5)\nquota of \"all\""},
		{"Help", &errdetails.Help{Links: []*errdetails.Help_Link{
			{Description: "how to lend", Url: "https://library.example.com/lend"}, {Description: "odd", Url: "javascript:alert(1)"},
		}}, "help: how to lend (https://library.example.com/lend)\nhelp: odd"},
		{
			"LocalizedMessage", &errdetails.LocalizedMessage{Locale: "de-CH", Message: "Das Buch ist ausgeliehen."},
			"message: Das Buch ist ausgeliehen. (de-CH)",
		},
		{"DebugInfo", &errdetails.DebugInfo{StackEntries: []string{"main.go:1"}, Detail: "secret"}, ""},
		{"RequestInfo", &errdetails.RequestInfo{RequestId: "r", ServingData: "stack"}, "request id: r"},
		{"a line break cannot forge an outcome", &errdetails.LocalizedMessage{Message: "x\noutcome: not_executed"}, "message: x "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := fail(t, backend.Config{}, "Do", withDetails(t, codes.FailedPrecondition, tt.detail))
			if diff := cmp.Diff(tt.want, middle(f)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDetailsAsJSON: a program can read them too.
func TestDetailsAsJSON(t *testing.T) {
	t.Parallel()
	f := fail(t, backend.Config{}, "Do", withDetails(t, codes.InvalidArgument, &errdetails.BadRequest{
		FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "a.b", Description: "bad", Reason: "R"}},
	}))
	want := `{"fieldViolations":[{"field":"a.b","description":"bad","reason":"R"}]}`
	if len(f.Details) != 1 || f.Details[0].Type != "google.rpc.BadRequest" || string(f.Details[0].JSON) != want {
		t.Errorf("details %+v", f.Details)
	}
}

// TestRetryInfo is the backend's word that the same call may be repeated, for any code and any method.
func TestRetryInfo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		delay *durationpb.Duration
		want  time.Duration
		text  string
	}{
		{"none", nil, 0, "retry: yes, the same call may be repeated after a short wait"},
		{"usual", durationpb.New(90 * time.Second), 90 * time.Second, "retry: yes, the same call may be repeated after 1m30s"},
		{"negative", durationpb.New(-time.Second), 0, "after a short wait"},
		{"absurd", durationpb.New(1e6 * time.Hour), 24 * time.Hour, "after 24h0m0s"},
		{"invalid", &durationpb.Duration{Seconds: 1, Nanos: -1}, 0, "after a short wait"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := fail(t, backend.Config{HideInternalErrors: true}, "Do",
				withDetails(t, codes.ResourceExhausted, &errdetails.RetryInfo{RetryDelay: tt.delay}))
			if !f.Retryable || f.RetryAfter != tt.want {
				t.Errorf("retryable %v after %v, want %v", f.Retryable, f.RetryAfter, tt.want)
			}
			contains(t, f, tt.text)
		})
	}
}

// TestForeignDetails are of types that only the backend's own descriptors know.
func TestForeignDetails(t *testing.T) {
	t.Parallel()
	s := compile(t)
	types := typesOf(t, s.file, errdetails.File_google_rpc_error_details_proto)
	debug := withAny(t, s.message("Fault", "outer"), &errdetails.DebugInfo{Detail: "stack"})
	inner := withAny(t, s.message("Fault", "outer"), s.message("Fault", "inner"))
	redacted := s.message("Fault", "login")
	set(redacted, "token", protoreflect.ValueOfString("hunter2"))
	nested := s.message("Fault", "nested")
	nested.Mutable(nested.Descriptor().Fields().ByName("causes")).List().Append(protoreflect.ValueOfMessage(redacted))
	nested.Mutable(nested.Descriptor().Fields().ByName("named")).Map().Set(protoreflect.ValueOfString("k").MapKey(),
		protoreflect.ValueOfMessage(redacted))
	for _, tt := range []struct {
		name   string
		types  backend.Resolver
		detail proto.Message
		want   string
	}{
		{"known", types, s.message("Fault", "paper jam"), `probe.v1.Fault: {"what":"paper jam"}`},
		{"no types", nil, s.message("Fault", "paper jam"), ""},
		{"type of another backend", typesOf(t), s.message("Fault", "paper jam"), ""},
		{"invisible characters", types, s.message("Fault", "pa\u202eper\u200b jam"), `probe.v1.Fault: {"what":"paper jam"}`},
		{"redacted field", types, redacted, `probe.v1.Fault: {"what":"login"}`},
		{"redacted deeper", types, nested, `probe.v1.Fault: {"what":"nested","causes":[{"what":"login"}],"named":{"k":{"what":"login"}}}`},
		{"Any within", types, inner, `probe.v1.Fault: {"what":"outer","cause":{"@type":"type.googleapis.com/probe.v1.Fault","what":"inner"}}`},
		{"DebugInfo within", types, debug, ""},
		{"DebugInfo by name", types, &errdetails.DebugInfo{Detail: "stack"}, ""},
		{"large JSON", types, s.message("Fault", strings.Repeat("x", 5000)), "(further details left out)"},
		{"large wire", types, s.message("Fault", strings.Repeat("x", 17<<10)), "(further details left out)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := fail(t, backend.Config{Types: tt.types}, "Do", withDetails(t, codes.Aborted, tt.detail))
			if diff := cmp.Diff(tt.want, middle(f)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// TestManyDetails: counts are bounded at each level.
func TestManyDetails(t *testing.T) {
	t.Parallel()
	bad, info := &errdetails.BadRequest{}, &errdetails.ErrorInfo{Reason: "R", Metadata: map[string]string{}}
	for i := range 25 {
		bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: fmt.Sprintf("f%02d", i)})
		info.Metadata[fmt.Sprintf("k%02d", i)] = "v"
	}
	f := fail(t, backend.Config{}, "Do", withDetails(t, codes.InvalidArgument, bad, info))
	contains(t, f, `field "f19"`, "… and 5 more fields", "k19=v, … and 5 more entries")
	if strings.Contains(string(f.AppendText(nil)), "f20") {
		t.Error("the 21st violation is shown")
	}
	var many []proto.Message
	for range 40 {
		many = append(many, &errdetails.LocalizedMessage{Message: "m"})
	}
	if f := fail(t, backend.Config{}, "Do", withDetails(t, codes.InvalidArgument, many...)); len(f.Details) != 32 {
		t.Errorf("%d details, want 32", len(f.Details))
	}
}

// TestBrokenDetail: a detail that does not parse is dropped, the rest of the failure stays.
func TestBrokenDetail(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"type.googleapis.com/google.rpc.BadRequest", "google.rpc.BadRequest", "type.googleapis.com/", ""} {
		err := status.ErrorProto(&spb.Status{
			Code: int32(codes.NotFound), Message: "m", Details: []*anypb.Any{{TypeUrl: url, Value: []byte{0xff}}, nil},
		})
		f := fail(t, backend.Config{}, "Do", err)
		if f.Code != codes.NotFound || len(f.Details) != 0 || f.Message != "m" {
			t.Errorf("%q: %+v", url, f)
		}
	}
}

// TestHostileDetails: protobuf panics of a map entry whose key has two wire types, at each place that parses one.
func TestHostileDetails(t *testing.T) {
	t.Parallel()
	s := compile(t)
	types := typesOf(t, s.file)
	fault := "\x2a\x05\x0a\x01a\x08\x01" // named
	inner := s.message("Fault", "outer")
	cause := inner.Mutable(inner.Descriptor().Fields().ByName("cause")).Message()
	cause.Set(cause.Descriptor().Fields().ByName("type_url"), protoreflect.ValueOfString("type.googleapis.com/probe.v1.Fault"))
	cause.Set(cause.Descriptor().Fields().ByName("value"), protoreflect.ValueOfBytes([]byte(fault)))
	nested, err := anypb.New(inner)
	if err != nil {
		t.Fatal(err)
	}
	for name, detail := range map[string]*anypb.Any{
		"a foreign type":          {TypeUrl: "type.googleapis.com/probe.v1.Fault", Value: []byte(fault)},
		"a known type":            {TypeUrl: "type.googleapis.com/google.rpc.ErrorInfo", Value: []byte("\x1a\x05\x0a\x01a\x08\x01")},
		"an Any in a good detail": nested,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain := &anypb.Any{TypeUrl: "google.rpc.LocalizedMessage", Value: []byte("\x12\x04kept")}
			err := status.ErrorProto(&spb.Status{Code: int32(codes.NotFound), Message: "m", Details: []*anypb.Any{detail, plain}})
			f := fail(t, backend.Config{Types: types}, "Do", err)
			if f.Code != codes.NotFound || !strings.HasSuffix(middle(f), "message: kept") || strings.Contains(middle(f), "probe.v1") {
				t.Errorf("%s", f.AppendText(nil))
			}
		})
	}
}

// TestHiddenErrorsHideDetails: what is hidden is hidden wholly.
func TestHiddenErrorsHideDetails(t *testing.T) {
	t.Parallel()
	f := fail(t, backend.Config{HideInternalErrors: true}, "Do", withDetails(t, codes.Internal, &errdetails.ErrorInfo{Reason: "DB7"}))
	if len(f.Details) != 0 || strings.Contains(string(f.AppendText(nil)), "DB7") {
		t.Errorf("%+v", f)
	}
}

// typesOf resolves the messages of some files.
func typesOf(t testing.TB, list ...protoreflect.FileDescriptor) *dynamicpb.Types {
	t.Helper()
	files := new(protoregistry.Files)
	for _, f := range list {
		if err := files.RegisterFile(f); err != nil {
			t.Fatal(err)
		}
	}
	return dynamicpb.NewTypes(files)
}

func set(m *dynamicpb.Message, field protoreflect.Name, v protoreflect.Value) {
	m.Set(m.Descriptor().Fields().ByName(field), v)
}

// withAny puts a message into the field "cause" of another.
func withAny(t testing.TB, m *dynamicpb.Message, cause proto.Message) *dynamicpb.Message {
	t.Helper()
	a, err := anypb.New(cause)
	if err != nil {
		t.Fatal(err)
	}
	dst := m.Mutable(m.Descriptor().Fields().ByName("cause")).Message()
	dst.Set(dst.Descriptor().Fields().ByName("type_url"), protoreflect.ValueOfString(a.GetTypeUrl()))
	dst.Set(dst.Descriptor().Fields().ByName("value"), protoreflect.ValueOfBytes(a.GetValue()))
	return m
}
