package annotation_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"buf.build/go/protovalidate"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/dynamicpb"
)

// TestRequiredAsProtovalidateSays compares with protovalidate itself, which fields of an empty message it refuses: those are the
// required ones. Expressions are left out, from which nothing is derived, and so are rules that protovalidate cannot compile, and
// values of headers that are not strict, where protovalidate 1.4.0 refuses an empty one that validate.proto allows.
func TestRequiredAsProtovalidateSays(t *testing.T) {
	t.Parallel()
	cases := slices.DeleteFunc(slices.Concat(own, shared), func(c ruled) bool {
		return strings.HasPrefix(c.name, "cel") || strings.HasPrefix(c.name, "predefined") || strings.HasSuffix(c.name, "_broken") ||
			c.name == "header_loose_pattern"
	})
	fd := compile(t, source("buf.validate.field", cases))
	err := protovalidate.Validate(dynamicpb.NewMessage(fd.Messages().ByName("M")))
	var refused *protovalidate.ValidationError
	if !errors.As(err, &refused) {
		t.Fatalf("an empty message is not refused: %v", err)
	}
	got := map[string]bool{}
	for _, v := range refused.Violations {
		got[v.Proto.GetField().GetElements()[0].GetFieldName()] = true
	}
	want := map[string]bool{}
	for _, c := range cases {
		if c.required {
			want[c.name] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("required (-as read +as protovalidate says):\n%s", diff)
	}
}
