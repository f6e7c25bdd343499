// Package descriptor finds out what a gRPC service offers: it loads protobuf descriptors from wherever they are and
// turns them into one immutable [Set].
//
// A [Source] says where: [Reflection] asks a running server, [FileSet] reads what buf or protoc wrote, [Files] compiles
// .proto sources, [Registered] takes what is linked into this program, and [Overlay] lays the comments of one source
// over the types of another, because reflection usually carries none.
//
// One bad part never takes the rest down. A file that cannot be built, a service that a server lists and cannot
// describe, an import that nobody serves: each is a [Problem] of the Set, and everything that does not need it is
// there. Only a source that yields nothing at all, or one that goes over its [Limits], is an error.
//
// Options are parsed with the extensions linked into the program, so google.api.http or buf.validate are typed messages
// when their Go packages are imported anywhere, and unknown fields that still hold every byte when they are not.
package descriptor
