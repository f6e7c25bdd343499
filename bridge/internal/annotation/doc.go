// Package annotation reads what a protobuf descriptor says beyond its types: comments, google.api.field_behavior,
// google.api.http, buf.validate, bridge.v1 and the standard options.
//
// Options are read by number from their serialised form, so it makes no difference whether a descriptor was linked into
// the program, compiled from source, or came over reflection from a server whose extensions nobody here knows. Comments
// come from other people's files and end up in front of a language model; everything that leaves this package as text has
// been through [Clean].
//
// All functions are pure, keep no state and may be called concurrently.
package annotation
