package rules_test

import (
	"errors"
	"iter"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/rules"
)

// TestCorpus checks requests of every method of a real API whose rules are of every kind, an empty one and one in which every
// message is set: all rules can be evaluated.
func TestCorpus(t *testing.T) {
	t.Parallel()
	set := rules.NewSet()
	methods, ruled, violating, violations := 0, 0, 0, 0
	for md := range requests(corpus(t, "buf_registry_protovalidate.binpb")) {
		methods++
		c := set.Checker(md)
		if c == nil {
			continue
		}
		ruled++
		if n := violated(t, c, md, nil); n > 0 {
			violating++
			violations += n
		}
		violated(t, c, md, full(t, md))
	}
	t.Logf("%d methods, %d with rules, %d of which refuse an empty request with %d violations", methods, ruled, violating, violations)
	if ruled == 0 || violating == 0 {
		t.Error("no rules were found in an API that has many")
	}
}

// violated counts what a request violates.
func violated(t *testing.T, c *rules.Checker, md protoreflect.MessageDescriptor, wire []byte) int {
	t.Helper()
	err := c.Check(t.Context(), wire)
	var v *rules.Violations
	if errors.As(err, &v) {
		return len(v.List)
	}
	if err != nil {
		t.Errorf("%s: %v", md.FullName(), err)
	}
	return 0
}

// full is a request in which every message is set, to some depth, and every scalar is zero.
func full(t *testing.T, md protoreflect.MessageDescriptor) []byte {
	t.Helper()
	m := dynamicpb.NewMessage(md)
	fill(m, 4)
	wire, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return wire
}

func fill(m protoreflect.Message, depth int) {
	for i := range m.Descriptor().Fields().Len() {
		fd := m.Descriptor().Fields().Get(i)
		switch {
		case depth == 0 || fd.IsMap():
		case fd.IsList() && fd.Message() != nil:
			fill(m.Mutable(fd).List().AppendMutable().Message(), depth-1)
		case fd.IsList():
			m.Mutable(fd).List().Append(m.NewField(fd).List().NewElement())
		case fd.Message() != nil:
			fill(m.Mutable(fd).Message(), depth-1)
		case fd.HasPresence():
			m.Set(fd, fd.Default())
		}
	}
}

// TestCorpusWithout: an API without rules has no checkers.
func TestCorpusWithout(t *testing.T) {
	t.Parallel()
	set := rules.NewSet()
	for md := range requests(corpus(t, "googleapis_pubsub_v1.binpb")) {
		if set.Checker(md) != nil {
			t.Errorf("%s has a checker", md.FullName())
		}
	}
}

// requests are the request types of all methods of an API.
func requests(files *protoregistry.Files) iter.Seq[protoreflect.MessageDescriptor] {
	return func(yield func(protoreflect.MessageDescriptor) bool) {
		files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
			for i := range file.Services().Len() {
				methods := file.Services().Get(i).Methods()
				for j := range methods.Len() {
					if !yield(methods.Get(j).Input()) {
						return false
					}
				}
			}
			return true
		})
	}
}
