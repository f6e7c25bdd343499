package annotation

import "google.golang.org/protobuf/reflect/protoreflect"

// declared returns the names of the extensions of the number that a file can use for the options of a kind: its own, those
// of its imports, and of what these import publicly (language guide, "Importing Definitions").
func declared(file protoreflect.FileDescriptor, options protoreflect.FullName) []protoreflect.FullName {
	if file == nil {
		return nil
	}
	s := sight{options: options, seen: map[string]bool{}}
	s.look(file)
	for i := range file.Imports().Len() {
		s.imported(file.Imports().Get(i))
	}
	return s.names
}

// declaredFunc is [declared], or one that remembers.
type declaredFunc func(file protoreflect.FileDescriptor, options protoreflect.FullName) []protoreflect.FullName

// sightKey is a file, by its path, and a kind of options.
type sightKey struct {
	path    string
	options protoreflect.FullName
}

// declared is the function of that name, remembered: it goes through all messages that a file sees.
func (r *Reader) declared(file protoreflect.FileDescriptor, options protoreflect.FullName) []protoreflect.FullName {
	if file == nil {
		return nil
	}
	return r.sights.get(sightKey{file.Path(), options}, func() []protoreflect.FullName { return declared(file, options) })
}

// sight collects the extensions that one file sees.
type sight struct {
	options protoreflect.FullName
	names   []protoreflect.FullName
	seen    map[string]bool // paths of files
}

func (s *sight) imported(file protoreflect.FileDescriptor) {
	if s.seen[file.Path()] {
		return
	}
	s.seen[file.Path()] = true
	s.look(file)
	for i := range file.Imports().Len() {
		if next := file.Imports().Get(i); next.IsPublic {
			s.imported(next)
		}
	}
}

// scope is a file or a message, in which extensions can be declared.
type scope interface {
	Extensions() protoreflect.ExtensionDescriptors
	Messages() protoreflect.MessageDescriptors
}

func (s *sight) look(in scope) {
	for i := range in.Extensions().Len() {
		if x := in.Extensions().Get(i); x.Number() == extensionBridge && x.ContainingMessage().FullName() == s.options {
			s.names = append(s.names, x.FullName())
		}
	}
	for i := range in.Messages().Len() {
		s.look(in.Messages().Get(i))
	}
}
