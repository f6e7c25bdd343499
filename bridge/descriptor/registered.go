package descriptor

import (
	"context"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Registered returns the Source that takes the named services, and the files they need, from what generated Go code has
// registered in this program (protoregistry.GlobalFiles). None named means everything that is registered. Generated
// code carries no comments: see [Overlay]. A name that is not registered is a [Problem].
func Registered(services ...protoreflect.FullName) Source {
	return loader(func(context.Context) (*Set, error) {
		if len(services) == 0 {
			return build(registeredMaterial(), unlimited())
		}
		return build(registeredClosure(services), unlimited())
	})
}

func registeredMaterial() material {
	var m material
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		m.add(protodesc.ToFileDescriptorProto(file))
		return true
	})
	return m
}

func registeredClosure(services []protoreflect.FullName) material {
	m := material{services: services, silent: make(map[protoreflect.FullName]string)}
	reached := make(closure)
	for _, name := range services {
		found, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
		if err != nil {
			m.silent[name] = "not registered in this program: import the Go package generated for it"
			continue
		}
		reached.add(found.ParentFile(), protodesc.ToFileDescriptorProto)
	}
	for _, file := range reached {
		m.add(file)
	}
	return m
}

// closure holds files and everything they import, by path.
type closure map[string]*descriptorpb.FileDescriptorProto

// add enters a file and its imports, turning each into data with describe.
func (c closure) add(file protoreflect.FileDescriptor, describe func(protoreflect.FileDescriptor) *descriptorpb.FileDescriptorProto) {
	if file.IsPlaceholder() || c[file.Path()] != nil {
		return
	}
	c[file.Path()] = describe(file)
	for i := range file.Imports().Len() {
		c.add(file.Imports().Get(i).FileDescriptor, describe)
	}
}
