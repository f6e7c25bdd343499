package schema_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const pages = `
syntax = "proto3";
service Pages { rpc Get(Page) returns (Page); rpc Find(Page) returns (Pair); }
message Page { string title = 1; Picture picture = 2; repeated Page more = 3; Pair pair = 4; }
message Picture { bytes data = 1; }
message Pair { Page page = 1; Picture picture = 2; }
`

// TestOutputOmits fields of the root, and of it alone: not of the same type further down, nor those of another type with the
// same name.
func TestOutputOmits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pages.proto"), []byte(pages), 0o600); err != nil {
		t.Fatal(err)
	}
	methods := portable(t, methodsOf(compile(t, dir, "pages.proto")))
	omit := func(names ...protoreflect.FullName) func(protoreflect.FieldDescriptor) bool {
		return func(fd protoreflect.FieldDescriptor) bool {
			for _, name := range names {
				if fd.FullName() == name {
					return true
				}
			}
			return false
		}
	}
	const (
		picture = `"picture":{"type":"object","properties":{"data":{"type":"string"}}}`
		same    = `{"type":"object","description":"Same fields as the enclosing Page."}`
	)
	for _, tt := range []struct {
		name   string
		method subject
		omit   func(protoreflect.FieldDescriptor) bool
		want   string
	}{
		{
			"nothing", methods[0], nil,
			`{"type":"object","properties":{"title":{"type":"string"},` + picture + `,"more":{"type":"array","items":` + same + `},` +
				`"pair":{"type":"object","properties":{"page":` + same + `,` + picture + `}}}}`,
		},
		{
			"one", methods[0], omit("Page.picture"),
			`{"type":"object","properties":{"title":{"type":"string"},"more":{"type":"array","items":` + same + `},` +
				`"pair":{"type":"object","properties":{"page":` + same + `,` + picture + `}}}}`,
		},
		{
			"further down", methods[1], omit("Page.picture", "Pair.picture"),
			`{"type":"object","properties":{"page":{"type":"object","properties":{"title":{"type":"string"},` + picture +
				`,"more":{"type":"array","items":` + same + `},"pair":{"type":"object","description":"Same fields as the enclosing Pair."}}}}}`,
		},
		{"all", methods[1], func(protoreflect.FieldDescriptor) bool { return true }, `{"type":"object","properties":{}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, string(tt.method.output(tt.omit))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
