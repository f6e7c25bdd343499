package rules

import (
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Set makes the checkers of one set of descriptors, which share what they have compiled. It is safe for concurrent use.
type Set struct{}

// NewSet makes an empty set.
func NewSet() *Set { return &Set{} }

// Checker checks the requests of one method. It is safe for concurrent use.
type Checker struct{}

// Checker makes the checker of requests of type md; nil where neither md nor any message that it can hold has rules.
func (s *Set) Checker(md protoreflect.MessageDescriptor) *Checker { return nil }

// Check holds a request in wire form against the rules. What violates them is a *[Violations]; any other error is of the
// rules themselves, which cannot be evaluated: the request is then for the backend to judge.
func (c *Checker) Check(wire []byte) error { return nil }

// Violations are all the rules that a request breaks.
type Violations struct {
	// List has at least one, in the order of the message's fields.
	List []Violation
}

// Violation is one rule that is broken.
type Violation struct {
	// Path is the place by advertised names, as in transcode.ArgumentError: "book.priceMoney.units", "tags[2]", `labels["env"]`;
	// "" is the arguments as a whole.
	Path string
	// Reason says what is demanded: "value must be greater than 0".
	Reason string
	// Rule is the id of the rule: "int32.gt"; "" where it has none.
	Rule string
}

// Error puts all violations into one text.
func (v *Violations) Error() string { return "" }
