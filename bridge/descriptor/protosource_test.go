package descriptor_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/wellknownimports"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// tree writes the shop's sources, with a comment, into two import paths.
func tree(t testing.TB) (api, common string) {
	t.Helper()
	api, common = t.TempDir(), t.TempDir()
	write(t, common, sources{"shop/money.proto": shop["shop/money.proto"]})
	write(t, api, sources{
		"shop/orders.proto": strings.Replace(shop["shop/orders.proto"], "service Orders", "// Orders are what people want.\nservice Orders", 1),
		"shop/prices.proto": shop["shop/prices.proto"],
		"shop/both.proto":   `syntax = "proto3"; package shop; import "shop/orders.proto"; import "shop/prices.proto"; service Both {}`,
	})
	return api, common
}

func TestFilesCompiles(t *testing.T) {
	t.Parallel()
	api, common := tree(t)
	cases := map[string]struct {
		protos []string
		want   []string
	}{
		"as imported": {[]string{"shop/orders.proto"}, []string{"shop.Orders"}},
		"by its path": {[]string{filepath.Join(api, "shop", "orders.proto")}, []string{"shop.Orders"}},
		"one, twice": {
			[]string{"shop/orders.proto", filepath.Join(api, "shop/orders.proto"), "./shop/orders.proto"}, []string{"shop.Orders"},
		},
		"several":               {[]string{"shop/prices.proto", "shop/orders.proto"}, []string{"shop.Orders", "shop.Prices"}},
		"imports offer nothing": {[]string{"shop/both.proto"}, []string{"shop.Both"}},
		"no service":            {[]string{"shop/money.proto"}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := mustLoad(t, descriptor.Files([]string{api, common}, c.protos))
			wantServices(t, set, c.want...)
			wantProblems(t, set)
		})
	}
}

func TestFilesKeepsComments(t *testing.T) {
	t.Parallel()
	api, common := tree(t)
	set := mustLoad(t, descriptor.Files([]string{api, common}, []string{"shop/orders.proto"}))
	if got := leading(set.Services()[0]); got != " Orders are what people want.\n" {
		t.Errorf("comment %q", got)
	}
}

func TestFilesWithoutImportPaths(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, sources{"a.proto": `syntax = "proto3"; import "b.proto"; service A {}`, "b.proto": `syntax = "proto3";`})
	set := mustLoad(t, descriptor.Files(nil, []string{filepath.Join(root, "a.proto")}))
	wantServices(t, set, "A")
}

// Third-party options need not lie about as sources, even where somebody's own descriptor.proto does.
func TestFilesTakesLinkedImports(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	source := `syntax = "proto3";
		import "buf/validate/validate.proto";
		import "google/api/annotations.proto";
		message A { string id = 1 [(buf.validate.field).string.min_len = 3]; }
		service S { rpc Do(A) returns (A) { option (google.api.http) = { get: "/v1/{id}" }; } }`
	write(t, root, sources{"a.proto": source})
	first := mustLoad(t, descriptor.Files([]string{root}, []string{"a.proto"}))
	wantProblems(t, first)
	wantServices(t, first, "S")

	write(t, root, sources{"google/protobuf/descriptor.proto": ownDescriptor(t)})
	second := mustLoad(t, descriptor.Files([]string{root}, []string{"a.proto"}))
	wantProblems(t, second)
	wantServices(t, second, "S")
}

// ownDescriptor returns the source of descriptor.proto, as protoc brings it.
func ownDescriptor(t testing.TB) string {
	t.Helper()
	found, err := wellknownimports.WithStandardImports(&protocompile.SourceResolver{}).FindFileByPath("google/protobuf/descriptor.proto")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(found.Source)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFilesFaults(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	elsewhere := t.TempDir()
	write(t, elsewhere, sources{"x.proto": "syntax = \"proto3\";\n"})
	many := "syntax = \"proto3\";\nmessage M {\n" + strings.Repeat("  Missing f = 1;\n", 14) + "}\n"
	write(t, root, sources{
		"syntax.proto":  "syntax = \"proto3\";\nmessage M {\n  string = 1;\n}\n",
		"type.proto":    "syntax = \"proto3\";\nmessage M { Missing m = 1; }\n",
		"import.proto":  "syntax = \"proto3\";\nimport \"gone.proto\";\n",
		"escape.proto":  "syntax = \"proto3\";\nimport \"../../etc/passwd\";\n",
		"cycle.proto":   "syntax = \"proto3\";\nimport \"cycle2.proto\";\n",
		"cycle2.proto":  "syntax = \"proto3\";\nimport \"cycle.proto\";\n",
		"many.proto":    many,
		"edition.proto": "edition = \"2038\";\n",
		"folder.proto":  "syntax = \"proto3\";\nimport \"dir.proto\";\n",
		"set.binpb":     string(encodedSet(t, compile(t, shop)...)),
		"set.json":      `{"file":[{"name":"a.proto"}]}`,
		"dir.proto/x":   "",
	})
	cases := map[string]struct {
		protos []string
		want   []string
	}{
		"none":               {nil, []string{"no file is named"}},
		"syntax":             {[]string{"syntax.proto"}, []string{"syntax.proto:3:10: syntax error"}},
		"type":               {[]string{"type.proto"}, []string{"type.proto:2:13: ", "Missing"}},
		"import":             {[]string{"import.proto"}, []string{"import.proto:2:8: ", `"gone.proto" not found below`, root}},
		"import outside":     {[]string{"escape.proto"}, []string{"escape.proto:2:8: ", "leads out of the import paths"}},
		"cycle":              {[]string{"cycle.proto"}, []string{"cycle found in imports"}},
		"two files":          {[]string{"type.proto", "syntax.proto"}, []string{"syntax.proto:3:10: ", "\ntype.proto:2:13: "}},
		"too many":           {[]string{"many.proto"}, []string{"many.proto:4:15: ", "\nmany.proto:13:15: ", "\nand 3 more"}},
		"edition":            {[]string{"edition.proto"}, []string{"edition.proto:1:", "2038"}},
		"not there":          {[]string{"no.proto"}, []string{`"no.proto" does not exist, neither below`, root}},
		"a directory":        {[]string{"dir.proto"}, []string{`"dir.proto" is a directory: name the .proto files in it`}},
		"import of a folder": {[]string{"folder.proto"}, []string{"folder.proto:2:8: ", `"dir.proto" not found below`}},
		"out of the import":  {[]string{filepath.Join(elsewhere, "x.proto")}, []string{"is not below", "name it relative to an import path"}},
		"nowhere at all":     {[]string{"../" + filepath.Base(root) + "/../x.proto"}, []string{"does not exist"}},
		"descriptor set": {
			[]string{"set.binpb"}, []string{`"set.binpb" is a descriptor set and no .proto source`, "--descriptor-set", "descriptor.FileSet"},
		},
		"set in JSON": {[]string{"set.json"}, []string{`"set.json" is a descriptor set`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := descriptor.Files([]string{root}, c.protos).Load(t.Context())
			wantError(t, err, append(c.want, ".proto sources: ")...)
		})
	}
}

func TestFilesKeepsLimits(t *testing.T) {
	t.Parallel()
	api, common := tree(t)
	cases := map[string]struct {
		limits descriptor.Limits
		want   string
	}{
		"bytes": {descriptor.Limits{Bytes: 200}, "more than 200 bytes of descriptors; load less or raise descriptor.Limits.Bytes"},
		"files": {descriptor.Limits{Files: 1}, "more than 1 files; load less or raise descriptor.Limits.Files"},
		"time":  {descriptor.Limits{Timeout: 1}, "not done after 1ns; see what takes so long or raise descriptor.Limits.Timeout"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := descriptor.Files([]string{api, common}, []string{"shop/orders.proto"}, descriptor.WithLimits(c.limits))
			_, err := source.Load(t.Context())
			wantError(t, err, ".proto sources: ", c.want)
			if !errors.Is(err, descriptor.ErrLimit) {
				t.Errorf("%v is not ErrLimit", err)
			}
		})
	}
}

func TestFilesWithoutTheImportPath(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "nowhere")
	_, err := descriptor.Files([]string{root}, []string{"a.proto"}).Load(t.Context())
	wantError(t, err, ".proto sources: import path ", root, "does not exist")
}

// A source reads anew each time.
func TestFilesSeesChanges(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	source := descriptor.Files([]string{root}, []string{"a.proto"})
	seen := make(map[string]bool)
	for _, service := range []string{"A", "A", "B"} {
		write(t, root, sources{"a.proto": fmt.Sprintf("syntax = \"proto3\"; service %s {}", service)})
		set := mustLoad(t, source)
		wantServices(t, set, service)
		seen[set.Digest()] = true
	}
	if len(seen) != 2 {
		t.Errorf("%d digests of three loads with one change, want 2", len(seen))
	}
	if err := os.Remove(filepath.Join(root, "a.proto")); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Load(t.Context()); err == nil {
		t.Error("no error for a file that is gone")
	}
}
