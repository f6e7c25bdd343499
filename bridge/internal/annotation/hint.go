package annotation

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Hints are a method's declared effects, each nil where the descriptor is silent. They mean what the MCP tool annotations
// of the same names mean (2025-03-26, ToolAnnotations); a silent hint leaves MCP's careful default in force.
type Hints struct {
	ReadOnly, Destructive, Idempotent *bool
}

// Field numbers of google.api.HttpRule, and of the extension of MethodOptions that carries it (google/api/annotations.proto).
const (
	extensionHTTP  = 72295728
	httpRuleGet    = 2
	httpRulePut    = 3
	httpRuleDelete = 5
)

// hints asks idempotency_level first, as the only one of the two that is about effects, and google.api.http where it is
// unset. Of an HTTP rule only the verb counts: POST and PATCH promise nothing (RFC 9110, section 9.2).
func hints(md protoreflect.MethodDescriptor, options record) Hints {
	o, ok := md.Options().(*descriptorpb.MethodOptions)
	if !ok || o == nil {
		return Hints{}
	}
	switch o.GetIdempotencyLevel() {
	case descriptorpb.MethodOptions_NO_SIDE_EFFECTS:
		return Hints{ReadOnly: new(true), Destructive: new(false), Idempotent: new(true)}
	case descriptorpb.MethodOptions_IDEMPOTENT:
		return Hints{ReadOnly: new(false), Idempotent: new(true)}
	}
	return httpHints(options)
}

func httpHints(options record) Hints {
	for _, rule := range options.all(extensionHTTP) {
		switch verb := record(rule.bytes); {
		case verb.has(httpRuleGet):
			return Hints{ReadOnly: new(true), Destructive: new(false), Idempotent: new(true)}
		case verb.has(httpRulePut):
			return Hints{Idempotent: new(true)}
		case verb.has(httpRuleDelete):
			return Hints{Destructive: new(true), Idempotent: new(true)}
		}
	}
	return Hints{}
}
