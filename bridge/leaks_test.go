package bridge_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEveryPackageLooksForLeaks: no package has tests without a TestMain that fails when a goroutine outlives them.
func TestEveryPackageLooksForLeaks(t *testing.T) {
	t.Parallel()
	for _, pkg := range unwatched(t, "..") {
		t.Errorf("%s has tests, and no TestMain that looks for goroutines which outlive them: see bridge/internal/server/main_test.go", pkg)
	}
}

// TestUnwatched: a package is found that has no TestMain, or one that looks for nothing.
func TestUnwatched(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const begin = "package p\n\nfunc TestMain(m *testing.M) { "
	for name, text := range map[string]string{
		"untested/p.go":        "package p\n",
		"verified/p_test.go":   begin + "goleak.VerifyTestMain(m) }\n",
		"found/p_test.go":      begin + "run(m) }\n",
		"found/q_test.go":      "package p\n\nfunc run(m *testing.M) { m.Run(); goleak.Find() }\n",
		"none/p_test.go":       "package p\n\n// goleak.VerifyTestMain(m) is what it lacks.\n",
		"idle/p_test.go":       begin + "m.Run() }\n",
		"single/p_test.go":     "package p\n\nfunc TestA(t *testing.T) { goleak.Find() }\n",
		"a/testdata/p_test.go": "package p\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"idle", "none", "single"}, unwatched(t, root)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// watch is what the tests of a package do about goroutines.
type watch struct{ main, looks bool }

// unwatched returns the packages below root, by their directories in order, whose tests do not look for goroutines that
// outlive them.
func unwatched(t *testing.T, root string) []string {
	t.Helper()
	all := map[string]watch{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipDir(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		w := watchOf(file)
		dir = filepath.ToSlash(dir)
		all[dir] = watch{main: all[dir].main || w.main, looks: all[dir].looks || w.looks}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(all, func(_ string, w watch) bool { return w.main && w.looks })
	return slices.Sorted(maps.Keys(all))
}

// watchOf is what one file says.
func watchOf(file *ast.File) watch {
	var w watch
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			w.main = w.main || n.Recv == nil && n.Name.Name == "TestMain"
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			w.looks = w.looks || ok && pkg.Name == "goleak" && (n.Sel.Name == "VerifyTestMain" || n.Sel.Name == "Find")
		}
		return true
	})
	return w
}
