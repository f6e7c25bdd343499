package rules

import (
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// extensions finds predefined rules: extensions of the messages of buf.validate that an API declares in its own files (from
// number 1160 up) and uses like the built-in ones. A file that uses one imports its declaration, so that they are found
// from the files of the requests. It is a protoregistry.ExtensionTypeResolver; the zero value is empty.
type extensions struct {
	mu      sync.Mutex
	pending []protoreflect.FileDescriptor // not looked through yet
	seen    map[string]bool               // paths of files
	types   protoregistry.Types
}

// admit has what a file declares and imports be found from now on. It is looked through only when something is looked for.
func (e *extensions) admit(file protoreflect.FileDescriptor) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pending = append(e.pending, file)
}

// FindExtensionByName finds a predefined rule by its full name.
func (e *extensions) FindExtensionByName(field protoreflect.FullName) (protoreflect.ExtensionType, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.look()
	return e.types.FindExtensionByName(field)
}

// FindExtensionByNumber finds a predefined rule by the message of rules that it extends and its number n there.
func (e *extensions) FindExtensionByNumber(rules protoreflect.FullName, n protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.look()
	return e.types.FindExtensionByNumber(rules, n)
}

// look goes through the files that are pending and all that they import; the caller holds mu.
func (e *extensions) look() {
	for len(e.pending) > 0 {
		file := e.pending[len(e.pending)-1]
		e.pending = e.pending[:len(e.pending)-1]
		if file == nil || e.seen[file.Path()] {
			continue
		}
		if e.seen == nil {
			e.seen = map[string]bool{}
		}
		e.seen[file.Path()] = true
		e.collect(file)
		for i := range file.Imports().Len() {
			e.pending = append(e.pending, file.Imports().Get(i).FileDescriptor)
		}
	}
}

// scope is a file or a message, in which extensions can be declared.
type scope interface {
	Extensions() protoreflect.ExtensionDescriptors
	Messages() protoreflect.MessageDescriptors
}

func (e *extensions) collect(in scope) {
	for i := range in.Extensions().Len() {
		xd := in.Extensions().Get(i)
		if strings.HasPrefix(string(xd.ContainingMessage().FullName()), "buf.validate.") {
			_ = e.types.RegisterExtension(dynamicpb.NewExtensionType(xd)) // the second of a number or name is not usable
		}
	}
	for i := range in.Messages().Len() {
		e.collect(in.Messages().Get(i))
	}
}
