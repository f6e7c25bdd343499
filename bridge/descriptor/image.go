package descriptor

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"
)

const (
	// imageExtension is the field with which buf marks the files of an image: buf.alpha.image.v1.ImageFileExtension.
	imageExtension = 8042
	// imageIsImport is that message's boolean for a file which is there because another one imports it.
	imageIsImport = 1
)

// takeImportMark removes buf's image extension and reports whether it marked the file as an import. It also holds the
// commit a module was taken from, which must not make a difference to the digest.
func takeImportMark(file *descriptorpb.FileDescriptorProto) bool {
	var imported bool
	var kept []byte
	unknown := file.ProtoReflect().GetUnknown()
	for len(unknown) > 0 {
		number, kind, n := protowire.ConsumeField(unknown)
		if n < 0 {
			break // cannot be: Unmarshal has read it
		}
		if number == imageExtension && kind == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(unknown)
			mark, _ := protowire.ConsumeBytes(unknown[tag:])
			imported = imported || marksImport(mark)
		} else {
			kept = append(kept, unknown[:n]...)
		}
		unknown = unknown[n:]
	}
	file.ProtoReflect().SetUnknown(kept)
	return imported
}

// marksImport reads is_import out of an encoded ImageFileExtension.
func marksImport(mark []byte) bool {
	var imported bool
	for len(mark) > 0 {
		number, kind, n := protowire.ConsumeField(mark)
		if n < 0 {
			return false
		}
		if number == imageIsImport && kind == protowire.VarintType {
			_, _, tag := protowire.ConsumeTag(mark)
			value, _ := protowire.ConsumeVarint(mark[tag:])
			imported = protowire.DecodeBool(value)
		}
		mark = mark[n:]
	}
	return imported
}
