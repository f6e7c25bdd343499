package rules

import (
	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// standardOf returns the rules of md and of its fields without those of the API's own: expressions in CEL, and rules that the
// API has declared itself. What is left takes time linear in a request. Rules that cannot be read stay as they are.
func standardOf(md protoreflect.MessageDescriptor) (*sifted, error) { return (&sifted{}).standard(md) }

// standard returns the rules that are left without those of the API's own, be they those of s or, where it has none, of md.
func (s *sifted) standard(md protoreflect.MessageDescriptor) (*sifted, error) {
	found := &sifted{message: s.message, fields: map[int]*validate.FieldRules{}}
	if found.message == nil {
		found.message, _ = protovalidate.ResolveMessageRules(md)
	}
	if found.message != nil {
		found.message = proto.CloneOf(found.message)
		standardize(found.message.ProtoReflect())
	}
	for i := range md.Fields().Len() {
		rules := s.fields[i]
		if rules == nil {
			rules, _ = protovalidate.ResolveFieldRules(md.Fields().Get(i))
		}
		if rules != nil {
			rules = proto.CloneOf(rules)
			standardize(rules.ProtoReflect())
			found.fields[i] = rules
		}
	}
	return found, nil
}

// standardize takes the API's own rules out of m, which are extensions, known or not, and expressions, at any depth.
func standardize(m protoreflect.Message) {
	m.SetUnknown(nil)
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsExtension(), isExpression(fd):
			m.Clear(fd)
		case fd.Message() != nil && !fd.IsList() && !fd.IsMap():
			standardize(v.Message())
		}
		return true
	})
}

// isExpression reports whether fd holds rules of a message or a field in CEL.
func isExpression(fd protoreflect.FieldDescriptor) bool {
	return fd.Name() == "cel" || fd.Name() == "cel_expression"
}
