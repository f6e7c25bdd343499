package bridge_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mcpgrpc/bridge/"

// layers is the import order of the house: a package may import what stands on a lower line, never its own line or a
// higher one. A package below bridge/ or cmd/ that is missing here fails the test, so that each room is placed on
// purpose.
var layers = [][]string{
	{"bridge/internal/jsonrpc", "bridge/internal/uritemplate", "bridge/internal/limit", "bridge/descriptor", "bridge/ask"},
	{"bridge/internal/mcp", "bridge/internal/annotation", "bridge/internal/telemetry", "bridge/session"},
	{"bridge/internal/shape"},
	{
		"bridge/internal/schema", "bridge/internal/transcode", "bridge/internal/backend", "bridge/internal/content",
		"bridge/internal/redact", "bridge/internal/rules", "bridge/internal/lint", "bridge/internal/search",
		"bridge/internal/interaction",
	},
	{"bridge/internal/catalog", "bridge/internal/lifecycle", "bridge/internal/task"},
	{"bridge/internal/server"},
	{"bridge/internal/streamable", "bridge/internal/stdio"},
	{"bridge"},
	{"bridge/config", "bridge/admin"},
	{"cmd/bridge"},
}

// services is the import order of the sample services, which import generated code and each other only. Of all the rest,
// cmd/bridge alone may import them, for its demo.
var services = [][]string{
	{"services/host", "services/violation"},
	{"services/operation"},
	{"services/library", "services/echo", "services/conformance", "services/orders"},
	{"services/serve"},
}

// TestImportOrder walks every non-test Go file of the repository and holds its imports against layers.
func TestImportOrder(t *testing.T) {
	t.Parallel()
	level := map[string]int{}
	for _, order := range [][][]string{layers, services} {
		for i, line := range order {
			for _, pkg := range line {
				level[pkg] = i
			}
		}
	}
	seen := map[string]bool{}
	for pkg, imports := range importsByPackage(t, "..") {
		seen[pkg] = true
		if _, ok := level[pkg]; !ok && !strings.HasPrefix(pkg, "gen/") {
			t.Errorf("%s has no line in layers", pkg)
		}
		for _, imp := range imports {
			if reason := refuse(level, pkg, imp); reason != "" {
				t.Errorf("%s imports %s: %s", pkg, imp, reason)
			}
		}
	}
	for pkg := range level {
		if !seen[pkg] {
			t.Errorf("layers names %s, which does not exist", pkg)
		}
	}
}

// forBackends is the one package of the bridge that is for backends, and so for the sample services too.
const forBackends = "bridge/ask"

// refuse says why pkg may not import imp, or "" when it may.
func refuse(level map[string]int, pkg, imp string) string {
	if strings.HasPrefix(imp, "gen/") {
		return ""
	}
	if strings.HasPrefix(pkg, "gen/") {
		return "generated code imports generated code only"
	}
	if strings.HasPrefix(imp, "services/") != strings.HasPrefix(pkg, "services/") {
		if pkg == "cmd/bridge" || imp == forBackends {
			return ""
		}
		return "the bridge and the sample services do not know each other"
	}
	if from, to := level[pkg], level[imp]; to >= from {
		return fmt.Sprintf("line %d must not import line %d", from, to)
	}
	return ""
}

// importsByPackage maps each package directory of the repository to the directories of this module that it imports.
func importsByPackage(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && skipDir(d.Name()) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		return addImports(found, root, path)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func skipDir(name string) bool {
	return name == "testdata" || name == "tools" || name == "node_modules" || (len(name) > 2 && name[0] == '.')
}

func addImports(found map[string][]string, root, path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	dir, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return err
	}
	pkg := filepath.ToSlash(dir)
	imports := found[pkg]
	for _, spec := range file.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if rest, ok := strings.CutPrefix(imp, module); ok {
			imports = append(imports, rest)
		}
	}
	found[pkg] = imports // a package that imports nothing of the module has its place too
	return nil
}
