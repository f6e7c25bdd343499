package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/rules"
)

// TestHide: what clients may not see is not told to be wrong.
func TestHide(t *testing.T) {
	t.Parallel()
	files := shop(t)
	for name, tt := range map[string]struct {
		message   protoreflect.Name
		hidden    []protoreflect.Name
		arguments string
		want      []string
	}{
		"a field":          {"Item", []protoreflect.Name{"product_name"}, `{"count":-1}`, []string{"count: must be greater than or equal to 0 [int32.gte]"}},
		"nothing left":     {"Item", []protoreflect.Name{"product_name"}, `{}`, nil},
		"below":            {"Order", []protoreflect.Name{"first_item"}, `{"firstItem":{},"more":[{}]}`, []string{"more[0].productName: must be at least 1 characters [string.min_len]"}},
		"in a choice":      {"Choice", nil, `{}`, []string{": exactly one of name is required [required]"}},
		"a whole choice":   {"Choice", []protoreflect.Name{"name"}, `{}`, nil},
		"of some choices":  {"Must", []protoreflect.Name{"second_choice", "by_id", "title", "main_item", "names"}, `{}`, []string{": one of byName must be set [message.oneof]", ": exactly one of firstChoice is required [required]"}},
		"of whole choices": {"Must", []protoreflect.Name{"first_choice", "second_choice", "by_id", "by_name", "title", "main_item", "names"}, `{}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := rules.NewSet()
			set.Hide = func(fd protoreflect.FieldDescriptor) bool {
				for _, hidden := range tt.hidden {
					if fd.Name() == hidden {
						return true
					}
				}
				return false
			}
			md := message(t, files, tt.message)
			if diff := cmp.Diff(tt.want, broken(t, set.Checker(md), request(t, md, tt.arguments))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
