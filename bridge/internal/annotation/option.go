package annotation

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// extensionBridge is the number of the extensions of bridge/v1/annotations.proto, the same in all three messages.
const extensionBridge protowire.Number = 76411

// Flaws are what is wrong with the bridge.v1 option of a method, a service or a field, as sentences without a full stop.
type Flaws struct {
	// Ignored are the parts that cannot be read, each by its path, and count as not set; or the option as a whole, where the
	// number is that of somebody else's.
	Ignored []string
	// Closed says why it cannot be told whether, and to whom, the method or the service may be offered; "" where it can.
	Closed string
}

// MethodOptions reads the option (bridge.v1.method) of md, however the descriptor was loaded and whoever's copy of the
// file it was compiled with. Never nil: what is not set, or cannot be read (see [FlawsOf]), is empty, and the rest is not.
func MethodOptions(md protoreflect.MethodDescriptor) *bridgev1.MethodOptions {
	return optionIn(md, &bridgev1.MethodOptions{}, declared)
}

// MethodOptions is the function of that name for many descriptors: a file is searched once for what it declares, not once for
// each option in it.
func (r *Reader) MethodOptions(md protoreflect.MethodDescriptor) *bridgev1.MethodOptions {
	return optionIn(md, &bridgev1.MethodOptions{}, r.declared)
}

// ServiceOptions reads the option (bridge.v1.service) of sd; otherwise as [MethodOptions].
func ServiceOptions(sd protoreflect.ServiceDescriptor) *bridgev1.ServiceOptions {
	return optionIn(sd, &bridgev1.ServiceOptions{}, declared)
}

// ServiceOptions is the function of that name for many descriptors: a file is searched once for what it declares, not once for
// each option in it.
func (r *Reader) ServiceOptions(sd protoreflect.ServiceDescriptor) *bridgev1.ServiceOptions {
	return optionIn(sd, &bridgev1.ServiceOptions{}, r.declared)
}

// FieldOptions reads the option (bridge.v1.field) of fd; otherwise as [MethodOptions].
func FieldOptions(fd protoreflect.FieldDescriptor) *bridgev1.FieldOptions {
	return optionIn(fd, &bridgev1.FieldOptions{}, declared)
}

// FieldOptions is the function of that name for many descriptors: a file is searched once for what it declares, not once for
// each option in it.
func (r *Reader) FieldOptions(fd protoreflect.FieldDescriptor) *bridgev1.FieldOptions {
	return optionIn(fd, &bridgev1.FieldOptions{}, r.declared)
}

// FlawsOf says what cannot be read of the bridge.v1 option of a method, a service or a field. Other descriptors have none.
func FlawsOf(d protoreflect.Descriptor) Flaws { return flawsOf(d, declared) }

// FlawsOf is the function of that name for many descriptors, as [Reader.MethodOptions] is.
func (r *Reader) FlawsOf(d protoreflect.Descriptor) Flaws { return flawsOf(d, r.declared) }

func flawsOf(d protoreflect.Descriptor, declared declaredFunc) Flaws {
	switch d.(type) {
	case protoreflect.MethodDescriptor:
		return readOption(d, &bridgev1.MethodOptions{}, declared)
	case protoreflect.ServiceDescriptor:
		return readOption(d, &bridgev1.ServiceOptions{}, declared)
	case protoreflect.FieldDescriptor:
		return readOption(d, &bridgev1.FieldOptions{}, declared)
	}
	return Flaws{}
}

// optionIn reads an option into an empty message and returns that.
func optionIn[M proto.Message](d protoreflect.Descriptor, into M, declared declaredFunc) M {
	readOption(d, into, declared)
	return into
}

// ours are the extensions by the messages that are their values.
var ours = map[protoreflect.FullName]protoreflect.FullName{
	"bridge.v1.MethodOptions":  "bridge.v1.method",
	"bridge.v1.ServiceOptions": "bridge.v1.service",
	"bridge.v1.FieldOptions":   "bridge.v1.field",
}

// mend is what an author can do about an option that cannot be read.
const mend = "compile it with the bridge's own bridge/v1/annotations.proto"

// readOption merges the occurrences of the option into an empty message, as a parser would.
func readOption(d protoreflect.Descriptor, into proto.Message, declared declaredFunc) Flaws {
	message := into.ProtoReflect()
	name := ours[message.Descriptor().FullName()]
	r := optionReader{option: name, vital: vital[name]}
	found, resolved, err := occurrences(d)
	if err != nil {
		r.close(fmt.Sprintf("its option (%s) cannot be encoded: %s", name, mend))
		return r.flaws
	}
	if len(found) == 0 {
		return r.flaws
	}
	if stranger := strangerOf(d, name, resolved, declared); stranger != "" {
		r.ignore(fmt.Sprintf("its option %d is %s and no %s, so it is not followed: give it a number of its own, or %s",
			extensionBridge, stranger, name, mend))
		return r.flaws
	}
	for _, v := range found {
		if v.bytes == nil {
			r.ignore(fmt.Sprintf("its option %d is no %s, so it is not followed: %s", extensionBridge, message.Descriptor().FullName(), mend))
			continue
		}
		r.message(v.bytes, message, "")
	}
	return r.flaws
}

// occurrences returns what d has under the number, and the name of the extension that its options hold as a known one, be
// it generated or made at run time.
func occurrences(d protoreflect.Descriptor) (found []value, resolved protoreflect.FullName, err error) {
	o := d.Options()
	if o == nil || !o.ProtoReflect().IsValid() {
		return nil, "", nil
	}
	m := o.ProtoReflect()
	var wire record
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if !fd.IsExtension() || fd.Number() != extensionBridge {
			return true
		}
		resolved = fd.FullName()
		alone := m.New()
		alone.Set(fd, v)
		wire, err = proto.MarshalOptions{AllowPartial: true}.Marshal(alone.Interface())
		return false
	})
	if err != nil {
		return nil, "", err
	}
	return slices.Concat(wire.all(extensionBridge), record(m.GetUnknown()).all(extensionBridge)), resolved, nil
}

// strangerOf returns the name of the extension that d's file sees under the number if it is another one than name, else "".
// What the file sees counts more than how the options were read: a reader that knows ours takes any bytes for it.
func strangerOf(d protoreflect.Descriptor, name, resolved protoreflect.FullName, declared declaredFunc) protoreflect.FullName {
	seen := declared(d.ParentFile(), d.Options().ProtoReflect().Descriptor().FullName())
	if len(seen) == 0 && resolved != "" {
		seen = []protoreflect.FullName{resolved}
	}
	if len(seen) == 0 || slices.Contains(seen, name) {
		return ""
	}
	return seen[0]
}
