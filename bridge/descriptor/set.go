package descriptor

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Set is an immutable, self-contained collection of descriptors plus a report of what could not be built. Every file in
// it was built from data, also those that this program has linked, so its descriptors are never the ones of generated
// Go types. Safe for concurrent use.
type Set struct {
	files    *protoregistry.Files
	types    *dynamicpb.Types
	services []protoreflect.ServiceDescriptor
	problems []Problem
	digest   string
	sealed   map[string]sealed // what files was built from, by path
	listed   bool              // the source itself says which services there are, whatever its files declare
	mute     bool              // an overlay's text could not be loaded
}

// New builds a Set from file descriptors in any order. The files are copied.
//
// Each file is built on its own, after its imports. One that cannot be built, or needs one that cannot, is a [Problem]
// and not an error; so are the members of an import cycle, and the file later in that order of two that declare the
// same symbol. Files of google/protobuf, google/api, google/rpc, google/type and buf/validate that are imported but not
// given are taken from what is linked into the program. An import that is nowhere to be found is a Problem, and the
// files that used it for options alone are built without it.
//
// Services names the services the Set offers; nil means all that the files declare, except in files that buf marked as
// mere imports of an image. A name that no built file declares is a Problem.
//
// The error is for a nil file and for files over the [Limits] of [WithLimits], of which the time-out does not apply
// here.
func New(files []*descriptorpb.FileDescriptorProto, services []protoreflect.FullName, opts ...Option) (*Set, error) {
	m := material{services: services}
	for i, file := range files {
		if file == nil {
			return nil, fmt.Errorf("descriptor set: file %d of %d is nil", i+1, len(files))
		}
		m.add(file)
	}
	return build(m, newOptions(opts).limits)
}

// Files returns all files that were built, imports included. Callers must not register more with it.
func (s *Set) Files() *protoregistry.Files {
	return s.files
}

// Services returns the services on offer, sorted by full name. Reflection and health services are among them if the
// source lists them: what to do with these is for the catalog to decide. The slice is the caller's.
func (s *Set) Services() []protoreflect.ServiceDescriptor {
	return slices.Clone(s.services)
}

// Types returns a resolver of messages, by name or by the URL of an Any, and of extensions, for dynamicpb, proto and
// protojson. It knows the Set's own types alone.
func (s *Set) Types() *dynamicpb.Types {
	return s.types
}

// Problems returns what was left out and why, sorted by name. The slice is the caller's.
func (s *Set) Problems() []Problem {
	return slices.Clone(s.problems)
}

// Digest returns a SHA-256 in hexadecimal over everything that the Set says: its files with options and comments, the
// names of the services, and the problems. Two loads with equal digests are interchangeable; the order in which files
// came in makes no difference.
func (s *Set) Digest() string {
	return s.digest
}

// serviceNames returns the full names of the services on offer. It is never nil, which would mean all.
func (s *Set) serviceNames() []protoreflect.FullName {
	names := make([]protoreflect.FullName, 0, len(s.services))
	for _, service := range s.services {
		names = append(names, service.FullName())
	}
	return names
}

// fingerprint is the value of [Set.Digest]. Every part is preceded by its length, so that no two Sets have one encoding.
func (s *Set) fingerprint() string {
	sum := sha256.New()
	writeCount(sum, len(s.sealed))
	for _, path := range slices.Sorted(maps.Keys(s.sealed)) {
		writePart(sum, s.sealed[path].bytes)
	}
	writeCount(sum, len(s.services))
	for _, service := range s.services {
		writePart(sum, []byte(service.FullName()))
	}
	for _, problem := range s.problems {
		writePart(sum, []byte(problem.Name))
		writePart(sum, []byte(problem.Reason))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func writeCount(sum hash.Hash, n int) {
	sum.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
}

func writePart(sum hash.Hash, part []byte) {
	writeCount(sum, len(part))
	sum.Write(part)
}

// encode writes a file descriptor so that equal descriptors have equal bytes.
func encode(file *descriptorpb.FileDescriptorProto) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(file)
}
