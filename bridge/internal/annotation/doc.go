// Package annotation reads what a protobuf descriptor says beyond its types: comments, the texts of openapiv2 and gnostic,
// google.api (field_behavior, http, resource, visibility), the rules of buf.validate and of protoc-gen-validate (PGV),
// bridge.v1 and the standard options.
//
// Options are read by number from their serialised form, so it makes no difference whether a descriptor was linked into
// the program, compiled from source, or came over reflection from a server whose extensions nobody here knows. Comments
// come from other people's files and end up in front of a language model; all prose that leaves this package has been
// through [Clean]. Only the values in a [Constraint] are exact.
//
// A [Reader] remembers what it has read. The functions are pure and keep no state. All may be called concurrently.
package annotation
