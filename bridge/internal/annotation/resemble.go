package annotation

import "google.golang.org/protobuf/reflect/protoreflect"

// Resembles reports whether a backend's message is one of ours: it has the name, at least one of the fields where ours has any,
// and no field whose number is ours and whose kind, cardinality or type is not. So a backend may have an older or newer copy of
// our file, and a stranger with the name of ours is none.
func Resembles(theirs, ours protoreflect.MessageDescriptor) bool {
	return theirs != nil && resembles(theirs, ours, map[protoreflect.FullName]bool{})
}

// resembles is Resembles within a type; seen are those of ours that are being looked at, since a type may contain itself.
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
