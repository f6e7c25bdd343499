package server

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/sourcecontextpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// collecting is a collection of messages of one string, of which result and items have bounds.
func collecting(t testing.TB, stream catalog.Stream, maxResult int) *collection {
	t.Helper()
	md := (&sourcecontextpb.SourceContext{}).ProtoReflect().Descriptor()
	codec, err := transcode.Compile(md, md, nil, transcode.Options{MaxResult: maxResult})
	if err != nil {
		t.Fatal(err)
	}
	stream.Server, stream.Events = true, interaction.EventsOf(md)
	b, err := backend.New(backend.Config{Name: "b"})
	if err != nil {
		t.Fatal(err)
	}
	c := &call{
		request: &request{scope: &lifecycle.Scope{}}, target: target{codec: codec, output: content.OfOutput(md), stream: &stream, backend: b},
	}
	s := &Server{streamMessages: DefaultStreamMessages, streamBytes: DefaultStreamBytes}
	return s.collect(c, &catalog.Tool{Stream: &stream}, new([]byte))
}

// worded is a message with a text.
func worded(text string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), text)
}

// TestBoundsOfCollection: each bound ends the stream, and what is within it is there.
func TestBoundsOfCollection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stream  catalog.Stream
		result  int
		message string
		sent    int
		want    string
	}{
		"exactly as many": {catalog.Stream{MaxMessages: 2}, 0, "a", 2, `{"items":[{"fileName":"a"},{"fileName":"a"}]}`},
		"one too many": {
			catalog.Stream{MaxMessages: 2},
			0, "a", 3,
			`{"items":[{"fileName":"a"},{"fileName":"a"}],"truncated":true,"reason":"messages","left":"the stream went on after 2 messages, ` +
				`which is the most, and was ended"}`,
		},
		"exactly the size": {catalog.Stream{MaxBytes: 33}, 0, "a", 2, `{"items":[{"fileName":"a"},{"fileName":"a"}]}`},
		"too large": {
			catalog.Stream{MaxBytes: 32},
			0, "a", 2,
			`{"items":[{"fileName":"a"}],"truncated":true,"reason":"bytes","left":"the message after 1 message would have made more than 32 ` +
				`bytes of JSON, and the stream was ended"}`,
		},
		"result's bound": {
			catalog.Stream{MaxBytes: 1000},
			20, "a", 2,
			`{"items":[{"fileName":"a"}],"truncated":true,"reason":"bytes","left":"the message after 1 message would have made more than 20 ` +
				`bytes of JSON, and the stream was ended"}`,
		},
		"last alone": {catalog.Stream{LastOnly: true, MaxMessages: 2}, 0, "a", 5, `{"fileName":"a"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := collecting(t, c.stream, c.result)
			stopped := false
			for range c.sent {
				if err := k.receive(worded(c.message)); err != nil {
					stopped = errors.Is(err, backend.ErrStop)
				}
			}
			result, err := k.conclude(nil)
			if err != nil || string(result.Structured) != c.want {
				t.Errorf("got %+v, %v", result, err)
			}
			if stopped != strings.Contains(c.want, "truncated") {
				t.Errorf("stopped: %v", stopped)
			}
		})
	}
}

// TestFirstMessageTooLarge: with nothing to show, it is a failure of which nobody knows how far the backend came.
func TestFirstMessageTooLarge(t *testing.T) {
	t.Parallel()
	k := collecting(t, catalog.Stream{}, 20)
	if err := k.receive(worded("a text that is too long")); !errors.Is(err, transcode.ErrTooLarge) {
		t.Fatalf("got %v", err)
	}
	_, err := k.conclude(&backend.Failure{Code: codes.Canceled})
	s := &Server{}
	f := s.sort(t.Context(), &k.call.target, err)
	if text := string(outcome(k.tool, nil, f).Text); f.kind != faultTooLarge ||
		!strings.Contains(text, "outcome: unknown (the stream was ended") {
		t.Errorf("got %v, %s", err, text)
	}
}

// TestLastMessageTooLarge: the stream has ended by itself, so that the backend has carried the call out; and what the backend says at
// its end is not lost.
func TestLastMessageTooLarge(t *testing.T) {
	t.Parallel()
	for want, ended := range map[string]error{
		"outcome: executed":                nil,
		"PERMISSION_DENIED: not for you\n": &backend.Failure{Code: codes.PermissionDenied, Message: "not for you", Execution: backend.Executed},
	} {
		k := collecting(t, catalog.Stream{LastOnly: true}, 20)
		if err := k.receive(worded("a text that is too long")); err != nil {
			t.Fatal(err)
		}
		_, err := k.conclude(ended)
		text := string(outcome(k.tool, nil, (&Server{}).sort(t.Context(), &k.call.target, err)).Text)
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want %s", text, want)
		}
	}
}

// TestCollectionMemory: events and messages that are not kept leave nothing behind, so that a stream of a million of them takes no
// more memory than one.
func TestCollectionMemory(t *testing.T) {
	k := collecting(t, catalog.Stream{LastOnly: true}, 0)
	message := worded("some text")
	if n := testing.AllocsPerRun(1000, func() { _ = k.receive(message) }); n > 0 {
		t.Errorf("%v allocations for each message", n)
	}
	k = collecting(t, catalog.Stream{MaxMessages: 1 << 30, MaxBytes: 1 << 30}, 1<<20)
	for k.reason == "" {
		_ = k.receive(message)
	}
	if size := cap(k.out); size > 4<<20 {
		t.Errorf("%d bytes for a result of 1 MiB", size)
	}
}
