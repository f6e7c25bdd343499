package server

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/sourcecontextpb"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// TestWireOfKeepsNothing: a request stays as it was when later ones have used, and a
// poisoned one has filled, the buffer that it was made in.
func TestWireOfKeepsNothing(t *testing.T) {
	t.Parallel()
	md := (&sourcecontextpb.SourceContext{}).ProtoReflect().Descriptor()
	codec, err := transcode.Compile(md, md, protoregistry.GlobalTypes, transcode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{}
	for _, size := range []int{0, 10, longArguments, 10_000, maxScratch, 2 * maxScratch} {
		name := strings.Repeat("a", size)
		wire, err := s.wireOf(codec, []byte(`{"fileName":"`+name+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.wireOf(codec, []byte(`{"fileName":"`+strings.Repeat("b", size)+`"}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.wireOf(codec, []byte(`{"fileName":7,"x":"`+name+`"}`)); err == nil {
			t.Error("arguments that do not fit are made a request")
		}
		scratch := s.borrow()
		poison := (*scratch)[:cap(*scratch)]
		for i := range poison {
			poison[i] = 0xa5
		}
		s.giveBack(scratch)
		var got sourcecontextpb.SourceContext
		if err := proto.Unmarshal(wire, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(name, got.GetFileName()); diff != "" {
			t.Errorf("%d bytes: %s", size, diff)
		}
	}
}
