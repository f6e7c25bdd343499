package library

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

// fixedFields are the fields of a book that no caller changes: they are passed
// over wherever a mask names them, as AIP-203 asks.
var fixedFields = map[string]bool{"name": true, "create_time": true, "update_time": true}

// maskPaths returns the paths that an update changes: those of the mask, every
// field for "*", and every field that is set when there is no mask (AIP-134).
func maskPaths(req *libraryv1.UpdateBookRequest) ([]string, error) {
	asked := req.GetUpdateMask().GetPaths()
	switch {
	case len(asked) == 0:
		asked = fieldNames(req.GetBook().ProtoReflect().Has)
	case len(asked) == 1 && asked[0] == "*":
		asked = fieldNames(func(protoreflect.FieldDescriptor) bool { return true })
	}
	paths := make([]string, 0, len(asked))
	for _, path := range asked {
		if path == "*" {
			return nil, violation.Error(violation.Field("update_mask", "\"*\" stands alone or not at all"))
		}
		if !(&fieldmaskpb.FieldMask{Paths: []string{path}}).IsValid(&libraryv1.Book{}) {
			return nil, violation.Error(violation.Field("update_mask", "a book has no field %q; its fields are %s",
				path, strings.Join(fieldNames(func(protoreflect.FieldDescriptor) bool { return true }), ", ")))
		}
		if !fixedFields[path] {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// fieldNames returns the names of the fields of a book that keep wants, in the
// order of their declaration and without the fixed ones.
func fieldNames(keep func(protoreflect.FieldDescriptor) bool) []string {
	fields := (*libraryv1.Book)(nil).ProtoReflect().Descriptor().Fields()
	var names []string
	for i := range fields.Len() {
		if fd := fields.Get(i); keep(fd) && !fixedFields[string(fd.Name())] {
			names = append(names, string(fd.Name()))
		}
	}
	return names
}

// copyFields gives the fields at paths in dst the values that they have in src,
// none included. dst and src share submessages afterwards.
func copyFields(dst, src *libraryv1.Book, paths []string) {
	for _, path := range paths {
		copyField(dst.ProtoReflect(), src.ProtoReflect(), strings.Split(path, "."))
	}
}

func copyField(dst, src protoreflect.Message, path []string) {
	fd := dst.Descriptor().Fields().ByName(protoreflect.Name(path[0]))
	switch {
	case len(path) > 1 && (src.Has(fd) || dst.Has(fd)):
		copyField(dst.Mutable(fd).Message(), src.Get(fd).Message(), path[1:])
	case len(path) > 1:
	case src.Has(fd):
		dst.Set(fd, src.Get(fd))
	default:
		dst.Clear(fd)
	}
}
