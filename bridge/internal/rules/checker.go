package rules

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// Set makes the checkers of one set of descriptors, which share what they have compiled. It is safe for concurrent use.
// Descriptors of another set, in which the same names may mean something else, belong in a Set of their own.
type Set struct {
	// Hide names fields that clients may not see. What is wrong with them, or below them, is not told: nobody could mend it, and
	// the backend judges it all the same. Set it before the first check; it is asked from any goroutine. Nil hides nothing.
	Hide func(protoreflect.FieldDescriptor) bool

	reach      reach
	extensions extensions
	// validator is made at the first check: the milliseconds that it takes would be for nothing in most programs.
	validator func() (protovalidate.Validator, error)
}

// NewSet makes an empty set.
func NewSet() *Set {
	s := &Set{}
	s.validator = sync.OnceValues(func() (protovalidate.Validator, error) {
		return protovalidate.New(protovalidate.WithExtensionTypeResolver(&s.extensions), protovalidate.WithAllowUnknownFields())
	})
	return s
}

// Checker makes the checker of requests of type md; nil where neither md nor any message that it can hold has rules. Nothing
// is compiled yet: it takes time linear in the descriptors that this Set has not met before. What an Any holds, and
// extensions, are not followed, as the validator follows neither.
func (s *Set) Checker(md protoreflect.MessageDescriptor) *Checker {
	if !s.reach.rules(md) {
		return nil
	}
	s.extensions.admit(md.ParentFile())
	return &Checker{set: s, input: md}
}

// Checker checks the requests of one method. It is safe for concurrent use. A nil Checker finds no fault with anything.
type Checker struct {
	set     *Set
	input   protoreflect.MessageDescriptor
	faulted atomic.Bool
}

// fullCheck is the largest request, in bytes, of which all violations are told. Of a larger one it is the first, because
// each may take a hundred times the memory of the two bytes that bring it about.
const fullCheck = 64 << 10

// Check holds a request in wire form against the rules. What violates them is a *[Violations]; any other error is of the
// rules themselves, which cannot be compiled or evaluated: the request is then for the backend to judge. Rules of a newer
// version of buf.validate than this one are passed over, because a request that breaks another rule is wrong all the same.
//
// The rules are compiled at the first check of their messages, while other first checks of the set wait. Of a request of
// more than 64 KiB only the first violation is told.
func (c *Checker) Check(wire []byte) (err error) {
	if c == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil { // descriptors are foreign: number 1159 may be anything
			err = c.fault(fmt.Errorf("panic: %v", p))
		}
	}()
	validator, err := c.set.validator()
	if err != nil {
		return c.fault(err)
	}
	m := dynamicpb.NewMessage(c.input)
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: new(protoregistry.Types)}).Unmarshal(wire, m); err != nil {
		return c.fault(err)
	}
	var options []protovalidate.ValidationOption
	if len(wire) > fullCheck {
		options = append(options, protovalidate.WithFailFast())
	}
	var broken *protovalidate.ValidationError
	switch err := validator.Validate(m, options...); {
	case err == nil:
		return nil
	case errors.As(err, &broken):
		teller := teller{hide: c.set.Hide, shapes: map[protoreflect.MessageDescriptor]*shape.Message{}}
		if v := teller.violations(c.input, broken.Violations); len(v.List) > 0 {
			return v
		}
		return nil
	default:
		return c.fault(err)
	}
}

func (c *Checker) fault(err error) error {
	return fmt.Errorf("the rules of %s cannot be checked: %w", c.input.FullName(), err)
}

// Faulted reports whether it has been called before. Whoever learns of rules that cannot be checked asks it, to tell the
// operator once and not at each call.
func (c *Checker) Faulted() bool { return c.faulted.Swap(true) }
