package host

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"
	v1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	v1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Described returns service together with its descriptors, a google.protobuf.FileDescriptorSet in binary form. [Serve]
// then has the reflection service answer with these, comments included, which those in generated code lack.
func Described(service Service, set []byte) Service { return described{service, set} }

type described struct {
	Service

	set []byte
}

// registerReflection adds both versions of the reflection service.
func registerReflection(server *grpc.Server, services []Service) error {
	found, err := resolve(services)
	if err != nil {
		return err
	}
	options := reflection.ServerOptions{Services: newListing(server, services), DescriptorResolver: found}
	v1.RegisterServerReflectionServer(server, reflection.NewServerV1(options))
	v1alpha.RegisterServerReflectionServer(server, reflection.NewServer(options))
	return nil
}

// resolve collects the descriptors that services bring along.
func resolve(services []Service) (resolver, error) {
	all := &descriptorpb.FileDescriptorSet{}
	seen := map[string]bool{}
	for _, service := range services {
		d, ok := service.(described)
		if !ok {
			continue
		}
		set := &descriptorpb.FileDescriptorSet{}
		if err := proto.Unmarshal(d.set, set); err != nil {
			return resolver{}, fmt.Errorf("descriptors of a service: %w", err)
		}
		for _, file := range set.GetFile() {
			if !seen[file.GetName()] {
				seen[file.GetName()] = true
				all.File = append(all.File, file)
			}
		}
	}
	files, err := protodesc.NewFiles(all)
	if err != nil {
		return resolver{}, fmt.Errorf("descriptors of a service: %w", err)
	}
	return resolver{files}, nil
}

// resolver looks into the descriptors brought along first, then into those of generated code.
type resolver struct{ own *protoregistry.Files }

// FindFileByPath implements protodesc.Resolver.
func (r resolver) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if file, err := r.own.FindFileByPath(path); err == nil {
		return file, nil
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

// FindDescriptorByName implements protodesc.Resolver.
func (r resolver) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if d, err := r.own.FindDescriptorByName(name); err == nil {
		return d, nil
	}
	return protoregistry.GlobalFiles.FindDescriptorByName(name)
}
