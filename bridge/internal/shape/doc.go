// Package shape says how a protobuf message appears in JSON: which property name stands for which field, which spellings
// are accepted for it, which message types are not written as objects, and how those are wrapped where an object is
// demanded. Schema and transcode both ask it, so that what is advertised is what is read and written.
//
// Names follow ProtoJSON (https://protobuf.dev/programming-guides/json) except where a name would be refused by a model
// provider, or would stand for two fields; see [Of]. Nothing here keeps state: a shape is built from a descriptor, does
// not change, and may be shared by goroutines.
package shape
