package rules

import (
	"fmt"
	"strings"
	"sync"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// sieve finds the rules that cannot be compiled, each message's once. It is safe for concurrent use; see [newSieve].
type sieve struct {
	// court is made at the first trial.
	court func() (*court, error)

	mu    sync.Mutex
	known map[protoreflect.MessageDescriptor]*sifted
}

// sifted are the rules of a message and of its fields without those that cannot be compiled.
type sifted struct {
	// message and fields, by their index, are nil and absent where there is nothing to leave out.
	message *validate.MessageRules
	fields  map[int]*validate.FieldRules
	// broken says what is left out and why.
	broken []string
}

// newSieve makes a sieve with a validator of its own, because what is compiled for a trial is compiled in vain.
func newSieve(extensions *extensions) *sieve {
	return &sieve{
		known: map[protoreflect.MessageDescriptor]*sifted{},
		court: sync.OnceValues(func() (*court, error) {
			v, err := newValidator(extensions)
			return &court{validator: v, renew: func() (protovalidate.Validator, error) { return newValidator(extensions) }}, err
		}),
	}
}

// sift tries the rules of md, its fields' among them, but not those of the types of its fields.
func (s *sieve) sift(md protoreflect.MessageDescriptor) (*sifted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.known[md]; known != nil {
		return known, nil
	}
	found := &sifted{fields: map[int]*validate.FieldRules{}}
	if hasRules(md) {
		court, err := s.court()
		if err != nil {
			return nil, err
		}
		found.siftMessage(court, md)
		for i := range md.Fields().Len() {
			found.siftField(court, md.Fields().Get(i))
		}
	}
	s.known[md] = found
	return found, nil
}

func (s *sifted) siftMessage(c *court, md protoreflect.MessageDescriptor) {
	rules, err := protovalidate.ResolveMessageRules(md)
	if err != nil || rules == nil || c.message(md, rules) == nil {
		return
	}
	s.message = judge(s, md,
		func(w *walk) *validate.MessageRules { return w.message(rules) },
		func(some *validate.MessageRules) error { return c.message(md, some) })
}

func (s *sifted) siftField(c *court, fd protoreflect.FieldDescriptor) {
	rules, err := protovalidate.ResolveFieldRules(fd)
	if err != nil || rules == nil || c.field(fd, rules) == nil {
		return
	}
	s.fields[fd.Index()] = judge(s, fd,
		func(w *walk) *validate.FieldRules { return w.field(rules, -1) },
		func(some *validate.FieldRules) error { return c.field(fd, some) })
}

// judge tries each unit of the rules of d by itself, notes those that fail, and returns the rules without them.
func judge[R any](s *sifted, d protoreflect.Descriptor, walked func(*walk) R, try func(R) error) R {
	all := walk{keep: func(int) bool { return true }}
	walked(&all)
	guilty := make([]bool, len(all.units))
	for n, u := range all.units {
		if u.within >= 0 && guilty[u.within] {
			guilty[n] = true
			continue
		}
		if err := try(walked(&walk{keep: func(k int) bool { return all.needs(n, k) }})); err != nil {
			guilty[n] = true
			s.broken = append(s.broken, brokenText(d, u.name, err))
		}
	}
	return walked(&walk{keep: func(n int) bool { return !guilty[n] }})
}

// brokenText is one line: what the compiler says, and the line of the expression at which it draws an arrow.
func brokenText(d protoreflect.Descriptor, name string, err error) string {
	why, more, _ := strings.Cut(strings.TrimPrefix(err.Error(), "compilation error: "), "\n")
	if source, _, _ := strings.Cut(more, "\n"); strings.HasPrefix(source, " | ") {
		why += ", in " + strings.TrimPrefix(source, " | ")
	}
	name = oneLine(jsonrpc.Clip(name, maxKey))
	return jsonrpc.Clip(fmt.Sprintf("%s: the rule %s cannot be compiled: %s", d.FullName(), name, oneLine(why)), maxReason)
}
