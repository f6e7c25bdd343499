package descriptor

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// standardFolders holds the files that everybody imports, that many servers and descriptor sets leave out, and that
// never change in a way that matters; the bridge's own options are among them. What else happens to be linked into the
// program is no substitute for what a server did not send.
var standardFolders = []string{"google/protobuf/", "google/api/", "google/rpc/", "google/type/", "buf/validate/", "bridge/v1/"}

// isStandard reports whether a path is that of a standard file.
func isStandard(path string) bool {
	return slices.ContainsFunc(standardFolders, func(folder string) bool { return strings.HasPrefix(path, folder) })
}

// linkedProto returns the description of a standard file that is linked into the program, or nil.
func linkedProto(path string) *descriptorpb.FileDescriptorProto {
	if !isStandard(path) {
		return nil
	}
	file, err := protoregistry.GlobalFiles.FindFileByPath(path)
	if err != nil {
		return nil
	}
	return protodesc.ToFileDescriptorProto(file)
}

// linkedStandard returns the same as an import ready to be built, or nil.
func linkedStandard(path string) *draft {
	file := linkedProto(path)
	if file == nil {
		return nil
	}
	d, err := newDraft(file)
	if err != nil {
		return nil
	}
	return d
}
