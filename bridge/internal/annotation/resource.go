package annotation

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Numbers of google/api/resource.proto: the extensions of MessageOptions and FileOptions, which are the same, and of
// FieldOptions; of ResourceDescriptor, and of ResourceReference.
const (
	extensionResource  protowire.Number = 1053
	extensionReference protowire.Number = 1055

	resourceType      = 1
	resourcePattern   = 2
	resourceNameField = 3

	referenceType  = 1
	referenceChild = 2
)

// index is what only a look at all files can tell.
type index struct {
	// patterns are those of the types of resources that can be shown.
	patterns   map[string][]string
	predefined predefined
}

// indexOf goes through the files in the order of their paths. Of two declarations of one resource the first with patterns that
// can be shown counts, definitions of a file before its messages.
func (r *Reader) indexOf(files *protoregistry.Files) index {
	x := index{patterns: map[string][]string{}, predefined: predefined{}}
	if files == nil {
		return x
	}
	var all []protoreflect.FileDescriptor
	files.RangeFiles(func(fd protoreflect.FileDescriptor) bool {
		all = append(all, fd)
		return true
	})
	slices.SortFunc(all, func(a, b protoreflect.FileDescriptor) int { return cmp.Compare(a.Path(), b.Path()) })
	for _, fd := range all {
		for _, definition := range r.optionsOf(fd).all(extensionResource) {
			x.resource(definition.bytes)
		}
		x.look(fd, r)
	}
	return x
}

// look leaves out the resources of messages that may not be seen.
func (x index) look(in scope, r *Reader) {
	x.predefined.add(in.Extensions())
	for i := range in.Messages().Len() {
		md := in.Messages().Get(i)
		if r.Hidden(md) == "" {
			x.resource(r.optionsOf(md).message(extensionResource))
		}
		x.look(md, r)
	}
}

func (x index) resource(declared record) {
	if len(declared) == 0 {
		return
	}
	if name := declared.text(resourceType); len(x.patterns[name]) == 0 {
		x.patterns[name] = presentable(declared.texts(resourcePattern))
	}
}

// resource returns the patterns for the values of a field.
func (r *Reader) resource(fd protoreflect.FieldDescriptor) []string {
	if fd.Kind() != protoreflect.StringKind {
		return nil
	}
	if reference := r.optionsOf(fd).message(extensionReference); len(reference) > 0 {
		if child := reference.text(referenceChild); child != "" {
			return presentable(parents(r.index().patterns[child]))
		}
		return r.index().patterns[reference.text(referenceType)]
	}
	if r.Hidden(fd) != "" {
		return nil
	}
	own := r.optionsOf(fd.ContainingMessage()).message(extensionResource)
	if len(own) == 0 || fd.IsList() || string(fd.Name()) != cmp.Or(own.text(resourceNameField), "name") {
		return nil
	}
	return presentable(own.texts(resourcePattern))
}

// parents are the patterns without the collection and the identifier that they end in (AIP-122).
func parents(patterns []string) []string {
	var found []string
	for _, pattern := range patterns {
		segments := strings.Split(pattern, "/")
		n := len(segments)
		if n > 2 && strings.HasPrefix(segments[n-1], "{") && !strings.HasPrefix(segments[n-2], "{") {
			found = append(found, strings.Join(segments[:n-2], "/"))
		}
	}
	return found
}

// patternLimit is the length in bytes of the longest pattern that is shown.
const patternLimit = 200

// presentable leaves out what says nothing (`*`), what is there already, and what is no pattern but prose.
func presentable(patterns []string) []string {
	var kept []string
	for _, p := range patterns {
		prose := strings.ContainsAny(p, " \n") || Clean(p) != p || len(p) > patternLimit
		if p != "" && p != "*" && !prose && !slices.Contains(kept, p) {
			kept = append(kept, p)
		}
	}
	return kept
}
