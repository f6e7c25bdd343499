// Package schema describes protobuf messages as JSON Schemas: what a model is invited to send ([Generator.Input]) and what
// a result may look like ([Generator.Output]).
//
// The two are made separately and never shared. An input schema is narrow: one spelling of each value, the fields that a
// caller is to set, what is required, and in words what rules demand. An output schema is wide: it admits everything that
// the transcoder can emit, unknown enum numbers and NaN included, because clients refuse a whole result that does not fit.
// What is accepted is neither: the transcoder takes all of ProtoJSON, whatever was advertised.
//
// The portable profile keeps to the keywords that every known client and model provider takes: no references, no
// combinations but a nested anyOf for google.protobuf.Value, one type a node on input. Messages are therefore written
// inline, breadth first, until a budget is used up; what did not fit is an open object whose description names its fields.
// A model reads all the tools of a listing before it calls one, so the more a request holds, the shorter it is told: the
// comments of the root in their first sentence, those one message further down shorter, deeper ones not at all. Messages
// without which no call can be made count as part of what holds them, and have more room. [Schema] says what was cut, and
// [Generator.Full] tells more to a reader that asks for one tool alone.
//
// No schema names what google.api.visibility hides, nor holds texts of rules with markup or characters that nobody sees: where
// such a text is left out, words say so.
//
// Schemas are compact JSON in declaration order, valid under draft-07 and 2020-12 alike, and depend on nothing but the
// descriptors, so they are the same bytes every time. All functions may be called concurrently.
package schema
