package annotation

import "google.golang.org/protobuf/reflect/protoreflect"

// responsesName is the type of the field in which the answers to what a backend has asked travel.
const responsesName = "bridge.v1.InputResponses"

// IsResponses says whether a field is one in which the bridge gives a backend the answers to its questions: a single one of
// type bridge.v1.InputResponses, told by the name and the form of the type, so that an older or newer copy of its file will do.
func IsResponses(fd protoreflect.FieldDescriptor) bool {
	return fd.Cardinality() != protoreflect.Repeated && areResponses(fd.Message())
}

// HoldsResponses says whether a field has values of that type, one or many. What clients say there would pass for answers, so no
// client may set or see one, wherever it stands.
func HoldsResponses(fd protoreflect.FieldDescriptor) bool {
	if fd.IsMap() {
		fd = fd.MapValue()
	}
	return areResponses(fd.Message())
}

// areResponses recognises the type; nil is none.
func areResponses(md protoreflect.MessageDescriptor) bool {
	if md == nil || md.FullName() != responsesName || md.IsPlaceholder() {
		return false
	}
	responses, state := md.Fields().ByNumber(1), md.Fields().ByNumber(2)
	return responses != nil && responses.IsList() && responses.Message() != nil &&
		(state == nil || state.Kind() == protoreflect.BytesKind && !state.IsList())
}
