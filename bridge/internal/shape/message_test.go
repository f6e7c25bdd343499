package shape_test

import (
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// message compiles a .proto source and returns its message called name.
func message(t *testing.T, source, name string) protoreflect.MessageDescriptor {
	t.Helper()
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{"t.proto": source}),
	})}
	files, err := compiler.Compile(t.Context(), "t.proto")
	if err != nil {
		t.Fatal(err)
	}
	md := files[0].Messages().ByName(protoreflect.Name(name))
	if md == nil {
		t.Fatalf("no message %s in the source", name)
	}
	return md
}

func TestFieldNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("very_", 20) + "long"
	tests := map[string]struct {
		source string
		want   []string
	}{
		"json names in declaration order": {
			`syntax = "proto3"; message M { int32 page_size = 2; string parent = 1; }`,
			[]string{"pageSize", "parent"},
		},
		"custom json_name": {
			`syntax = "proto3"; message M { int32 a = 1 [json_name = "letter"]; }`,
			[]string{"letter"},
		},
		"json_name that providers refuse": {
			`syntax = "proto3"; message M { int32 a = 1 [json_name = "@type"]; int32 b = 2 [json_name = "b.c"]; int32 c = 3 [json_name = "9"]; }`,
			[]string{"a", "b", "c"},
		},
		"json_name too long": {
			`syntax = "proto3"; message M { int32 short = 1 [json_name = "` + long + `"]; }`,
			[]string{"short"},
		},
		"both names too long": {
			`syntax = "proto3"; message M { int32 ` + long + ` = 77; }`,
			[]string{long[:61] + "_77"},
		},
		"two fields of one JSON name take their proto names": {
			`syntax = "proto2"; message M { optional int32 foo_bar = 1; optional int32 fooBar = 2; optional int32 x = 3; }`,
			[]string{"foo_bar", "fooBar", "x"},
		},
		"a refused name does not take another field's": {
			`syntax = "proto3"; message M { int32 type = 1 [json_name = "@type"]; int32 kind = 2 [json_name = "type"]; }`,
			[]string{"type_1", "type"},
		},
		"group": {
			`syntax = "proto2"; message M { optional group GroupLike = 1 { optional int32 a = 1; } }`,
			[]string{"grouplike"},
		},
		"no fields": {`syntax = "proto3"; message M {}`, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range shape.Of(message(t, tt.source, "M")).Fields() {
				if len(f.Name) > 64 {
					t.Errorf("%s has %d bytes", f.Name, len(f.Name))
				}
				got = append(got, f.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("advertised names (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	m := shape.Of(message(t, `syntax = "proto2"; message M {
		optional int32 page_size = 1;
		optional int32 a = 2 [json_name = "x"];
		optional int32 x = 3 [json_name = "y"];
		optional int32 odd = 4 [json_name = "@type"];
		optional group GroupLike = 5 {}
		optional int32 foo_bar = 6;
		optional int32 fooBar = 7;
	}`, "M"))
	tests := map[string]protoreflect.FieldNumber{
		"pageSize": 1, "page_size": 1,
		"x": 2, "a": 2, // a's JSON name wins over x's proto name
		"y":   3,
		"odd": 4, "@type": 4,
		"grouplike": 5, "GroupLike": 5,
		"foo_bar": 6, "fooBar": 7,
		"pagesize": 0, "PageSize": 0, "": 0, "[t.ext]": 0,
	}
	for name, want := range tests {
		t.Run("name "+name, func(t *testing.T) {
			t.Parallel()
			f, ok := m.Lookup(name)
			if ok != (want != 0) {
				t.Fatalf("found = %v, want %v", ok, want != 0)
			}
			if ok && f.Descriptor.Number() != want {
				t.Errorf("field number = %d, want %d", f.Descriptor.Number(), want)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"pageSize", "pageToken", "title", "id", "ownerEmail"}
	tests := map[string]string{
		"pagesize": "pageSize", "PAGE_SIZE": "pageSize", "page-size": "pageSize", "page.size": "pageSize",
		"titel": "title", "tittle": "title", "titles": "title", "pageTokn": "pageToken",
		"ownerMail": "ownerEmail",
		"is":        "", "color": "", "": "", strings.Repeat("x", 500): "",
	}
	for name, want := range tests {
		t.Run("name "+name[:min(len(name), 12)], func(t *testing.T) {
			t.Parallel()
			if got := shape.Nearest(name, names); got != want {
				t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
			}
		})
	}
}

func TestNearestOfMessage(t *testing.T) {
	t.Parallel()
	m := shape.Of(message(t, `syntax = "proto3"; message M { int32 page_size = 1; }`, "M"))
	if got := m.Nearest("pagesize"); got != "pageSize" {
		t.Errorf("Nearest = %q, want pageSize", got)
	}
}

// One edit or swap in a name of at least five letters is always within reach, whatever else is offered farther away.
func TestNearestFindsOneEdit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z]{5,20}`).Draw(t, "name")
		at := rapid.IntRange(0, len(name)-2).Draw(t, "at")
		edited := []string{
			name[:at] + name[at+1:],
			name[:at] + "q" + name[at:],
			name[:at] + "q" + name[at+1:],
			name[:at] + string(name[at+1]) + string(name[at]) + name[at+2:],
		}[rapid.IntRange(0, 3).Draw(t, "edit")]
		if got := shape.Nearest(edited, []string{"0123456789", name}); got != name {
			t.Errorf("Nearest(%q) = %q, want %q", edited, got, name)
		}
	})
}
