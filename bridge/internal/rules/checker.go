package rules

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Set makes the checkers of one set of descriptors, which share what they have compiled. It is safe for concurrent use.
// Descriptors of another set, in which the same names may mean something else, belong in a Set of their own.
type Set struct {
	// Hide names fields that clients may not see. Neither they nor what is below them is checked, not even whether they are
	// there: nobody could mend it, and the backend judges it all the same. The like holds of a rule of the API's own that
	// names one. Set it before the first check; it is asked from any goroutine, about copies of the set's descriptors too.
	// Nil hides nothing.
	Hide func(protoreflect.FieldDescriptor) bool
	// HideValue names values of enums that clients may not see: no reason lists them. It is set and asked like Hide.
	HideValue func(protoreflect.EnumValueDescriptor) bool

	reach      reach
	extensions extensions
	sieve      *sieve
	// sound are the descriptors without rules that cannot be compiled, standard those without rules of the API's own, and
	// soundStandard those without either.
	sound, standard, soundStandard remade
	// turns has room for the checks that go on at once.
	turns turns
	// validator is made at the first check: the milliseconds that it takes would be for nothing in most programs.
	validator func() (protovalidate.Validator, error)
}

// NewSet makes an empty set. At most GOMAXPROCS checks of it go on at once, and two at least; others wait.
func NewSet() *Set {
	s := &Set{turns: make(turns, max(2, runtime.GOMAXPROCS(0)))}
	s.validator = sync.OnceValues(func() (protovalidate.Validator, error) { return newValidator(&s.extensions) })
	s.sieve = newSieve(&s.extensions)
	s.sound.replace = s.sieve.sift
	s.standard.replace = standardOf
	s.soundStandard.replace = func(md protoreflect.MessageDescriptor) (*sifted, error) {
		found, err := s.sieve.sift(md)
		if err != nil {
			return nil, err
		}
		return found.standard(md)
	}
	return s
}

func newValidator(extensions *extensions) (protovalidate.Validator, error) {
	return protovalidate.New(protovalidate.WithExtensionTypeResolver(extensions), protovalidate.WithAllowUnknownFields())
}

// Checker makes the checker of requests of type md; nil where neither md nor any message that it can hold has rules. Nothing
// is compiled yet: it takes time linear in the descriptors that this Set has not met before. What an Any holds, and
// extensions, are not followed, as the validator follows neither.
func (s *Set) Checker(md protoreflect.MessageDescriptor) *Checker {
	if !s.reach.rules(md) {
		return nil
	}
	s.extensions.admit(md.ParentFile())
	c := &Checker{set: s, input: md}
	c.full = edition{
		given: func() (protoreflect.MessageDescriptor, error) { return md, nil },
		mend:  func() (protoreflect.MessageDescriptor, error) { return s.sound.input(md) },
	}
	c.standard = edition{
		given: func() (protoreflect.MessageDescriptor, error) { return s.standard.input(md) },
		mend:  func() (protoreflect.MessageDescriptor, error) { return s.soundStandard.input(md) },
	}
	return c
}

// Checker checks the requests of one method. It is safe for concurrent use. A nil Checker finds no fault with anything.
type Checker struct {
	set     *Set
	input   protoreflect.MessageDescriptor
	faulted atomic.Bool
	told    atomic.Bool
	// full has all rules, standard those of buf.validate alone.
	full, standard edition
}

// The bounds of a check. Up to maxItems items of lists and entries of maps, at all depths together, a request is held against
// the rules of the API's own too, whose expressions may go over lists within lists. All violations are told that are among the
// first maxVisits fields, oneofs and messages; each takes a hundred times the memory of the two bytes that can bring it about.
const maxItems, maxVisits = 1000, 2000

// Check holds a request in wire form against the rules. What violates them is a *[Violations]. Where ctx ends before the check
// does, the error is that of ctx, and nothing is known of the request. Any other error is of the rules themselves, which
// cannot be evaluated: the request is then for the backend to judge. A rule that cannot be compiled is left out, alone, and
// [Checker.LeftOut] tells of it. Rules of a newer version of buf.validate than this one are passed over too, because a
// request that breaks another rule is wrong all the same.
//
// The rules are compiled at the first check of their messages, while other first checks of the set wait. A request of more
// than 1,000 items, those of all lists and maps together, is held against the rules of buf.validate alone and not against
// those that the API has in CEL, and only its first violation is told. Of another one all violations are told that are
// among its first 2,000 fields, oneofs and messages; where these have none, the first. A single expression in CEL is not
// interrupted by ctx.
func (c *Checker) Check(ctx context.Context, wire []byte) (err error) {
	if c == nil {
		return nil
	}
	if err := c.set.turns.take(ctx); err != nil {
		return err
	}
	defer c.set.turns.give()
	defer func() {
		if p := recover(); p != nil { // descriptors are foreign: number 1159 may be anything
			err = c.fault(fmt.Errorf("panic: %v", p))
		}
	}()
	v, err := c.examine(ctx, wire)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return c.fault(err)
	case v != nil:
		return v
	}
	return nil
}

// examine decides by which rules a request is checked.
func (c *Checker) examine(ctx context.Context, wire []byte) (*Violations, error) {
	m, err := decode(wire, c.full.known(c.input))
	if err != nil {
		return nil, err
	}
	validator, err := c.set.validator()
	if err != nil {
		return nil, err
	}
	look := examination{
		ctx: ctx, validator: validator, hide: c.set.Hide, large: holdsMore(m, maxItems),
		teller: &teller{hide: c.set.Hide, hideValue: c.set.HideValue, input: c.input},
	}
	rules := &c.full
	if look.large {
		rules = &c.standard
	}
	return rules.check(func(md protoreflect.MessageDescriptor) (*Violations, error) {
		if md != m.Descriptor() {
			if m, err = decode(wire, md); err != nil {
				return nil, err
			}
		}
		return look.at(m)
	})
}

func decode(wire []byte, md protoreflect.MessageDescriptor) (*dynamicpb.Message, error) {
	m := dynamicpb.NewMessage(md)
	return m, proto.UnmarshalOptions{AllowPartial: true, Resolver: new(protoregistry.Types)}.Unmarshal(wire, m)
}

func (c *Checker) fault(err error) error {
	return fmt.Errorf("the rules of %s cannot be checked: %w", c.input.FullName(), err)
}

// Faulted reports whether it has been called before. Whoever learns of rules that cannot be checked asks it, to tell the
// operator once and not at each call.
func (c *Checker) Faulted() bool { return c.faulted.Swap(true) }

// Broken compiles all rules that requests can come upon and returns those that cannot be, a line for each of at most 400 bytes:
// "shop.Order.count: the rule int32.odd cannot be compiled: …". They are in the order in which messages are reached and
// fields are declared; nil where there are none. It takes milliseconds for each message with rules that is new to the set.
func (c *Checker) Broken() []string {
	if c == nil {
		return nil
	}
	var broken []string
	for _, md := range reachable(c.input) {
		found, err := c.set.sieve.sift(md)
		if err != nil {
			return append(broken, c.fault(err).Error())
		}
		broken = append(broken, found.broken...)
	}
	return broken
}

// LeftOut returns what [Checker.Broken] does, once: nil before a check has come upon such a rule, and ever after it has been
// returned, so that the operator is told once and not at each call.
func (c *Checker) LeftOut() []string {
	if c == nil || !c.full.isMended() && !c.standard.isMended() || c.told.Swap(true) {
		return nil
	}
	return c.Broken()
}
