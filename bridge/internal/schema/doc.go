// Package schema describes protobuf messages as JSON Schemas: what a model is invited to send ([Input]) and what a result
// may look like ([Output]).
//
// The two are made separately and never shared. An input schema is narrow: one spelling of each value, the fields that a
// caller may set, what is required. An output schema is wide: it admits everything that the transcoder can emit, unknown
// enum numbers and NaN included, because clients refuse a whole result that does not fit. What is accepted is neither: the
// transcoder takes all of ProtoJSON, whatever was advertised.
//
// The portable profile keeps to the keywords that every known client and model provider takes: no references, no
// combinations but a nested anyOf for google.protobuf.Value, one type a node on input. Messages are therefore written
// inline, breadth first, until a budget is used up; what did not fit is an open object whose description names its fields.
// Schemas are compact JSON in declaration order, valid under draft-07 and 2020-12 alike, and depend on nothing but the
// descriptor, so they are the same bytes every time. All functions may be called concurrently.
package schema
