// Package rules holds requests against the rules of buf.validate that their descriptors carry, before a backend is called,
// so that a model learns of all that is wrong at once and the backend is spared.
//
// A [Set] makes a [Checker] for each method whose requests can come upon a rule, and none for the others, whose calls cost
// nothing more. The rules are those of descriptors that this program was not built with: options held as unknown fields, by
// types of the descriptors' own, or by the linked ones all work, predefined rules of the API's own among them. Evaluating is
// the affair of buf.build/go/protovalidate; here it is decided who is checked, when rules are compiled (at the first call,
// not when an API is loaded) and what a model reads: paths as package shape names them and as package transcode writes them.
//
// A rule that cannot be compiled is left out alone: each is tried by itself, and the request is checked by descriptors made
// anew without those that fail. That happens when a check comes upon one, or somebody asks for them ([Checker.Broken]).
//
// A check is bounded in memory whatever is sent, and in time but for one expression in CEL, which cannot be interrupted: one that
// nests three loops over a few hundred items takes seconds. It ends with its context, which is asked at each field, and a few
// go on at once. Of requests with more than 1,000 items, those of all lists and maps together, what an API demands in CEL of its
// own is left to the backend; the rules of buf.validate itself still hold. All violations are told that are among the first
// 2,000 fields, oneofs and messages, else the first.
//
// What clients may not see is not checked, and no reason names it.
//
// The check is a service to the client and no guard of the backend, which has to check by itself: what cannot be checked
// here is let through.
package rules
