// Package transcode turns the JSON of a tool call into protobuf wire bytes and a reply's wire bytes into JSON.
//
// A [Codec] is compiled for one method and is bytes to bytes on both sides; what lies between is its own affair. Towards
// the backend it accepts all of ProtoJSON (https://protobuf.dev/programming-guides/json) and mends what models get wrong
// most often: objects and lists written as strings, enum names in another letter case, field masks in snake case or as a
// list. What it cannot mend is an [ArgumentError] that names the place, the fault and the way out, because a model reads
// it and tries again. Towards the client it writes canonical ProtoJSON, compact, with default values if asked to and
// without nulls; a value that has no JSON form is replaced and reported as a warning instead of failing the reply.
//
// On purpose it differs from protojson in this and nothing else. Arguments: strings that hold JSON, letter case of enum
// names, field masks in snake case, as a list or with "*", null for a list of Values, "type_url" for "@type", and a type
// URL without a host (which gets one) are accepted; required fields are demanded inside an Any too. Results: leaves
// without JSON are replaced. Both: nesting is bounded, names that shape had to change are changed, and a message that
// only bears a well-known type's name is an ordinary one. The tests compare the rest with protojson.
//
// Which property stands for which field is decided by package shape, so that the codec and the schemas agree.
package transcode
