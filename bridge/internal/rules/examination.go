package rules

import (
	"context"
	"errors"
	"math"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// turns bounds how many checks go on at once; it holds one value for each.
type turns chan struct{}

// take waits for a turn. Its error is that of ctx.
func (t turns) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// give ends a turn.
func (t turns) give() { <-t }

// examination is one check of one request.
type examination struct {
	ctx       context.Context
	validator protovalidate.Validator
	hide      func(protoreflect.FieldDescriptor) bool // nil hides nothing
	teller    *teller
	large     bool // only the first violation is told
}

// at returns the violations of m, nil for none. Where those among the first fields cannot be all, and there are none, it goes
// over the whole for the first. What is told nobody does not stand in its way: the validator goes over it again without.
func (x *examination) at(m protoreflect.Message) (*Violations, error) {
	aside := map[protoreflect.FullName]bool{}
	if !x.large {
		p := &pass{ctx: x.ctx, hide: x.hide, left: maxVisits}
		v, _, err := x.judged(x.validator.Validate(m.Interface(), protovalidate.WithFilter(p)), aside)
		if v != nil || err != nil || p.left >= 0 {
			return v, err
		}
	}
	for x.ctx.Err() == nil {
		p := &pass{ctx: x.ctx, hide: x.hide, left: math.MaxInt, aside: aside}
		v, more, err := x.judged(x.validator.Validate(m.Interface(), protovalidate.WithFilter(p), protovalidate.WithFailFast()), aside)
		if v != nil || err != nil || !more {
			return v, err
		}
	}
	return nil, x.ctx.Err()
}

// judged makes what the validator says violations, and adds to aside what is not told; more says that something was new.
func (x *examination) judged(said error, aside map[protoreflect.FullName]bool) (v *Violations, more bool, err error) {
	broken, ok := errors.AsType[*protovalidate.ValidationError](said)
	if !ok {
		return nil, false, said
	}
	v, names := x.teller.violations(broken.Violations)
	for _, name := range names {
		more = more || !aside[name]
		aside[name] = true
	}
	return v, more, nil
}

// pass decides what the validator looks at, going over a request once.
type pass struct {
	ctx  context.Context
	hide func(protoreflect.FieldDescriptor) bool // nil hides nothing
	// left is how many fields, oneofs and messages may still be looked at; below 0 there were more.
	left int
	// aside are messages and fields whose rules are passed over.
	aside map[protoreflect.FullName]bool
}

// ShouldValidate implements protovalidate.Filter: what it refuses of a field is refused of all that the field holds.
func (p *pass) ShouldValidate(_ protoreflect.Message, d protoreflect.Descriptor) bool {
	if p.left < 0 || p.ctx.Err() != nil {
		return false
	}
	if p.left--; p.left < 0 || len(p.aside) > 0 && p.aside[d.FullName()] {
		return false
	}
	switch d := d.(type) {
	case protoreflect.FieldDescriptor:
		return p.hide == nil || !p.hide(d)
	case protoreflect.OneofDescriptor:
		return p.shows(d.Fields())
	}
	return true
}

// shows reports whether clients may see one of the fields.
func (p *pass) shows(fields protoreflect.FieldDescriptors) bool {
	for i := range fields.Len() {
		if p.hide == nil || !p.hide(fields.Get(i)) {
			return true
		}
	}
	return false
}

// holdsMore reports whether the lists and maps of m, at all depths together, hold more than limit items.
func holdsMore(m protoreflect.Message, limit int) bool {
	n := tally{left: limit}
	n.message(m)
	return n.left < 0
}

// tally counts items down.
type tally struct{ left int }

// message counts what m holds and reports whether it is worth going on.
func (n *tally) message(m protoreflect.Message) bool {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap():
			return n.entries(fd, v.Map())
		case fd.IsList():
			return n.items(fd, v.List())
		case fd.Message() != nil:
			return n.message(v.Message())
		}
		return true
	})
	return n.left >= 0
}

func (n *tally) items(fd protoreflect.FieldDescriptor, list protoreflect.List) bool {
	n.left -= list.Len()
	for i := 0; fd.Message() != nil && i < list.Len() && n.left >= 0; i++ {
		n.message(list.Get(i).Message())
	}
	return n.left >= 0
}

func (n *tally) entries(fd protoreflect.FieldDescriptor, entries protoreflect.Map) bool {
	n.left -= entries.Len()
	if fd.MapValue().Message() != nil && n.left >= 0 {
		entries.Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { return n.message(v.Message()) })
	}
	return n.left >= 0
}
