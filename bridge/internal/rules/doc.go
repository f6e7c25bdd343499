// Package rules holds requests against the rules of buf.validate that their descriptors carry, before a backend is called,
// so that a model learns of all that is wrong at once and the backend is spared.
//
// A [Set] makes a [Checker] for each method whose requests can come upon a rule, and none for the others, whose calls cost
// nothing more. The rules are those of descriptors that this program was not built with: options held as unknown fields, by
// types of the descriptors' own, or by the linked ones all work, predefined rules of the API's own among them. Evaluating is
// the affair of buf.build/go/protovalidate; here it is decided who is checked, when rules are compiled (at the first call,
// not when an API is loaded) and what a model reads: paths as package shape names them and as package transcode writes them.
//
// The check is a service to the client and no guard of the backend, which has to check by itself: what cannot be checked
// here is let through.
package rules
