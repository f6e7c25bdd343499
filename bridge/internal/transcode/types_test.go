package transcode_test

import (
	"google.golang.org/protobuf/reflect/protoreflect"
)

// everyType returns all message types of a world but those of map entries, nested ones too, and whether a method has it as its
// request or response.
func (w world) everyType() map[protoreflect.MessageDescriptor]bool {
	types := map[protoreflect.MessageDescriptor]bool{}
	var add func(protoreflect.MessageDescriptors)
	add = func(list protoreflect.MessageDescriptors) {
		for i := range list.Len() {
			if md := list.Get(i); !md.IsMapEntry() {
				types[md] = false
				add(md.Messages())
			}
		}
	}
	w.files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		add(file.Messages())
		return true
	})
	for _, md := range w.methodTypes() {
		types[md] = true
	}
	return types
}
