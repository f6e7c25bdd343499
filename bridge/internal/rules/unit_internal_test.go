package rules

import (
	"testing"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
)

// TestNestedRules: rules for items of items, of which there are none, are not followed however deep they nest.
func TestNestedRules(t *testing.T) {
	t.Parallel()
	rules := &validate.FieldRules{}
	for range 3000 {
		rules = validate.FieldRules_builder{
			Repeated: validate.RepeatedRules_builder{MinItems: new(uint64(1)), Items: rules}.Build(),
		}.Build()
	}
	w := walk{keep: func(int) bool { return true }}
	kept, depth := w.field(rules, -1), 0
	for kept.HasRepeated() {
		kept = kept.GetRepeated().GetItems()
		depth++
	}
	if depth != maxNested+1 || len(w.units) != 2*depth {
		t.Errorf("%d levels and %d rules were followed", depth, len(w.units))
	}
}
