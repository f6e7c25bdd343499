package backend_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

func TestMessagesAreSanitised(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, message, want string }{
		{"plain", "no book is called „Ulysses“ 📚", "no book is called „Ulysses“ 📚"},
		{"white space", " a\tb\r\n\n  c\u2028d ", "a b c d"},
		{"controls", "a\x00b\x07c\x7fd\u009fe", "abcde"},
		{"terminal colours", "\x1b[31mred\x1b[0m and \x1b]0;title\x07rest", "red and rest"},
		{"unfinished terminal sequence", "a\x1b[", "a["},
		{"bidirectional", "user\u202e\u2066txt.exe\u2069", "usertxt.exe"},
		{"zero width", "a\u200bb\u200dc\ufeffd\u00ade\u2060f", "abcdef"},
		{"tag characters", "hi\U000e0041\U000e0042\U000e007f", "hi"},
		{"variation selectors above plane 0", "x\U000e0100", "x"},
		{"filler", "a\u3164b\u115fc", "abc"},
		{"invalid UTF-8", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"long", strings.Repeat("x", 2000), strings.Repeat("x", 1021) + "…"},
		{"long, cut at a character", strings.Repeat("x", 1020) + "ééé", strings.Repeat("x", 1020) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := fail(t, backend.Config{}, "Do", status.Error(codes.NotFound, tt.message))
			if f.Message != tt.want {
				t.Errorf("message %q, want %q", f.Message, tt.want)
			}
		})
	}
}

// fit fails the test unless a text may be shown to a model.
func fit(t interface{ Errorf(string, ...any) }, f *backend.Failure) {
	text := string(f.AppendText(nil))
	if !utf8.ValidString(text) || len(text) > 4000 || len(f.Message) > 1024 {
		t.Errorf("%d bytes, message of %d, valid %v", len(text), len(f.Message), utf8.ValidString(text))
	}
	for _, r := range text {
		if r != '\n' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r)) {
			t.Errorf("text has %U:\n%q", r, text)
		}
	}
	if strings.Count(text, "\noutcome: ") != 1 || strings.Count(text, "\nretry: ") != 1 || f.Message == "" {
		t.Errorf("outcome, retry or message is not there once:\n%s", text)
	}
}

// TestAnyMessageIsFit holds for whatever a backend writes.
func TestAnyMessageIsFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		code := codes.Code(rapid.Uint32Range(1, 20).Draw(rt, "code"))
		message := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(rt,
			"message")
		fit(rt, fail(t, backend.Config{}, "Do", status.Error(code, message)))
	})
}

// FuzzStatus feeds whole statuses, details included, as they come from the wire.
func FuzzStatus(f *testing.F) {
	for _, seed := range []*spb.Status{
		{Code: 5, Message: "no such book"},
		{Code: 3, Details: []*anypb.Any{{TypeUrl: "type.googleapis.com/google.rpc.BadRequest", Value: []byte("\n\x08\n\x01a\x12\x03bad")}}},
		{Code: 13, Details: []*anypb.Any{{TypeUrl: "type.googleapis.com/google.rpc.DebugInfo", Value: []byte("\x12\x06secret")}}},
		{Code: 9, Details: []*anypb.Any{{TypeUrl: "type.googleapis.com/probe.v1.Fault", Value: []byte("\n\x01x\x1a\x02\n\x00")}}},
		{Code: 9, Details: []*anypb.Any{{TypeUrl: "type.googleapis.com/probe.v1.Fault", Value: []byte("\x2a\x05\x0a\x01a\x08\x01")}}},
	} {
		b, err := proto.Marshal(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, false)
	}
	types := typesOf(f, compile(f).file)
	f.Fuzz(func(t *testing.T, wire []byte, hide bool) {
		var s spb.Status
		if proto.Unmarshal(wire, &s) != nil || s.GetCode() == 0 {
			t.Skip()
		}
		fit(t, fail(t, backend.Config{Types: types, HideInternalErrors: hide}, "Do", status.ErrorProto(&s)))
	})
}
