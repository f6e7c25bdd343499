package interaction

import "google.golang.org/protobuf/reflect/protoreflect"

// resembles reports whether theirs is ours: it has the name, at least one of the
// fields, and no field whose number is ours and whose type is not. seen keeps it
// from going round in types that contain themselves.
func resembles(theirs, ours protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) bool {
	if theirs.FullName() != ours.FullName() || theirs.IsPlaceholder() {
		return false
	}
	if seen[ours.FullName()] {
		return true
	}
	seen[ours.FullName()] = true
	shared := 0
	for i := range theirs.Fields().Len() {
		fd := theirs.Fields().Get(i)
		own := ours.Fields().ByNumber(fd.Number())
		if own == nil {
			continue
		}
		if fd.Kind() != own.Kind() || fd.Cardinality() != own.Cardinality() || fd.IsMap() != own.IsMap() {
			return false
		}
		if own.Message() != nil && !resembles(fd.Message(), own.Message(), seen) {
			return false
		}
		shared++
	}
	return shared > 0 || ours.Fields().Len() == 0
}

// isOurs reports whether a message is of a type of ours.
func isOurs(theirs protoreflect.MessageDescriptor, ours protoreflect.ProtoMessage) bool {
	return theirs != nil && resembles(theirs, ours.ProtoReflect().Descriptor(), map[protoreflect.FullName]bool{})
}
