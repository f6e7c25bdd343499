// Package transcode turns the JSON of a tool call into protobuf wire bytes and a reply's wire bytes into JSON.
//
// A [Codec] is compiled for one method and is bytes to bytes on both sides; what lies between is its own affair. Towards
// the backend it accepts all of ProtoJSON (https://protobuf.dev/programming-guides/json) and mends what models get wrong
// most often: objects and lists written as strings, enum names in another letter case, field masks in snake case or as a
// list. What it cannot mend is an [ArgumentError] that names the place, the fault and the way out, because a model reads
// it and tries again. Towards the client it writes canonical ProtoJSON, compact, with default values if asked to and
// without nulls; a value that has no JSON form is replaced and reported as a warning instead of failing the reply.
//
// There are two ways through it. The direct one goes by plans, flat tables made of a message type when it is first met, from
// bytes to bytes without a message or an allocation. It declines, before anything is written for good, what is rare (the
// comments of directWire and directJSON list it), needs a warning or is wrong; the reference path then does all of it once more
// by way of a dynamicpb message, and it alone says what is wrong. Both give the same results; the tests hold one against the
// other. [Codec.Declined] counts what was valid and had to take the second. The same bytes of arguments give the same wire
// bytes, but fields stand in the order of the members or of their numbers, not always that of a deterministic marshal.
//
// On purpose it differs from protojson in this and nothing else. Arguments: strings that hold JSON, letter case of enum
// names, field masks in snake case, as a list or with "*", null for a list of Values or NullValues and for the arguments
// as a whole, "type_url" for "@type", and a type URL without a host (which gets one) are accepted; required fields are
// demanded inside an Any too, and what Anys in each other add up to is bounded. Results: leaves without JSON are replaced,
// and groups directly in each other are bounded. Both: nesting is bounded, names that shape had to change are changed, and
// a message that only bears a well-known type's name is an ordinary one. The tests compare the rest with protojson, both ways.
//
// Which property stands for which field is decided by package shape, so that the codec and the schemas agree.
package transcode
