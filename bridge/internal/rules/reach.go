package rules

import (
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// reach remembers from which messages rules can be reached. The zero value is empty.
type reach struct {
	mu    sync.Mutex
	known map[protoreflect.MessageDescriptor]bool
}

// rules reports whether md, or a message that it can hold, has rules. All that is found out on the way is kept, so that
// the messages of a set are looked at once, cycles included.
func (r *reach) rules(md protoreflect.MessageDescriptor) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[protoreflect.MessageDescriptor]bool{}
	}
	if _, ok := r.known[md]; !ok {
		r.explore(md)
	}
	return r.known[md]
}

// explore finds out about md and all that is not known yet below it: first it goes down and notes who holds whom, then from
// the messages with rules back up.
func (r *reach) explore(md protoreflect.MessageDescriptor) {
	holders := map[protoreflect.MessageDescriptor][]protoreflect.MessageDescriptor{}
	var ruled []protoreflect.MessageDescriptor
	r.known[md] = false
	for open := []protoreflect.MessageDescriptor{md}; len(open) > 0; {
		next := open[len(open)-1]
		open = open[:len(open)-1]
		if hasRules(next) {
			ruled = append(ruled, next)
		}
		for _, held := range heldBy(next) {
			holders[held] = append(holders[held], next)
			has, met := r.known[held]
			if has {
				ruled = append(ruled, next)
			}
			if !met {
				r.known[held] = false
				open = append(open, held)
			}
		}
	}
	for len(ruled) > 0 {
		next := ruled[len(ruled)-1]
		ruled = ruled[:len(ruled)-1]
		if !r.known[next] {
			r.known[next] = true
			ruled = append(ruled, holders[next]...)
		}
	}
}

// heldBy returns the types of the message fields of md, those of the values of maps among them.
func heldBy(md protoreflect.MessageDescriptor) []protoreflect.MessageDescriptor {
	var held []protoreflect.MessageDescriptor
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		if fd.IsMap() {
			fd = fd.MapValue()
		}
		if fd.Message() != nil {
			held = append(held, fd.Message())
		}
	}
	return held
}

// reachable returns md and all messages that it can hold, each once, nearer ones first.
func reachable(md protoreflect.MessageDescriptor) []protoreflect.MessageDescriptor {
	met := map[protoreflect.MessageDescriptor]bool{md: true}
	all := []protoreflect.MessageDescriptor{md}
	for i := 0; i < len(all); i++ {
		for _, held := range heldBy(all[i]) {
			if !met[held] {
				met[held] = true
				all = append(all, held)
			}
		}
	}
	return all
}

// hasRules reports whether md itself, one of its fields or one of its oneofs has rules.
func hasRules(md protoreflect.MessageDescriptor) bool {
	if carries(md) {
		return true
	}
	for i := range md.Fields().Len() {
		if carries(md.Fields().Get(i)) {
			return true
		}
	}
	for i := range md.Oneofs().Len() {
		if carries(md.Oneofs().Get(i)) {
			return true
		}
	}
	return false
}

// ruleOption is the number of the extensions of buf.validate of MessageOptions, OneofOptions and FieldOptions.
const ruleOption = 1159

// carries reports whether the options of d have rules, be they read by whatever type of the extension or not at all.
func carries(d protoreflect.Descriptor) bool {
	if d.Options() == nil {
		return false
	}
	found := false
	options := d.Options().ProtoReflect()
	options.Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		found = fd.Number() == ruleOption
		return !found
	})
	for unknown := options.GetUnknown(); !found && len(unknown) > 0; {
		number, _, n := protowire.ConsumeField(unknown)
		if n < 0 {
			break
		}
		found = number == ruleOption
		unknown = unknown[n:]
	}
	return found
}
