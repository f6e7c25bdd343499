package lifecycle_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	want := []mcp.Version{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	if diff := cmp.Diff(want, lifecycle.SupportedVersions()); diff != "" {
		t.Error(diff)
	}
	seen := map[mcp.Features]bool{}
	for i, f := range lifecycle.AllFeatures() {
		if seen[f] || f != lifecycle.Features(want[i]) || f.Modern != (i == 0) {
			t.Errorf("%s has %+v", want[i], f)
		}
		seen[f] = true
	}
	if got := lifecycle.Features("1999-01-01"); got != (mcp.Features{}) {
		t.Errorf("an unknown version has %+v", got)
	}
	if diff := cmp.Diff(want, lifecycle.NewGate(lifecycle.Config{}).Discover().SupportedVersions); diff != "" {
		t.Error(diff)
	}
}

// TestFeatures: what each revision has, member by member. The first revision
// that has it and, where it was taken out again, the first without it.
func TestFeatures(t *testing.T) {
	t.Parallel()
	rows := map[string][2]mcp.Version{
		"Modern":             {"2026-07-28"},
		"Annotations":        {"2025-03-26"},
		"Titles":             {"2025-06-18"},
		"OutputSchemas":      {"2025-06-18"},
		"AnyOutput":          {"2026-07-28"},
		"ToolMeta":           {"2025-06-18"},
		"ServerDescriptions": {"2025-11-25"},
		"Audio":              {"2025-03-26"},
		"Completions":        {"2025-03-26"},
		"ResourceLinks":      {"2025-06-18"},
		"LastModified":       {"2025-06-18"},
		"Batches":            {"2025-03-26", "2025-06-18"},
		"Polling":            {"2025-11-25", "2026-07-28"},
		"ParamHeaders":       {"2026-07-28"},
		"ProgressMessages":   {"2025-03-26"},
		"Elicitation":        {"2025-06-18"},
		"URLElicitation":     {"2025-11-25"},
		"SamplingTools":      {"2025-11-25"},
		"Tasks":              {"2026-07-28"},
	}
	for _, v := range lifecycle.SupportedVersions() {
		features := reflect.ValueOf(lifecycle.Features(v))
		for i := range features.NumField() {
			name := features.Type().Field(i).Name
			row, ok := rows[name]
			want := v >= row[0] && (row[1] == "" || v < row[1])
			if !ok || features.Field(i).Bool() != want {
				t.Errorf("%s has %s: %v", v, name, !want)
			}
		}
	}
}

// TestStatus: 2026-07-28 basic/transports/streamable-http.
func TestStatus(t *testing.T) {
	t.Parallel()
	for code, modern := range map[int]int{
		jsonrpc.CodeMethodNotFound: 404,
		mcp.CodeMissingCapability:  400,
		mcp.CodeHeaderMismatch:     400,
		mcp.CodeUnsupportedVersion: 400,
		jsonrpc.CodeInvalidParams:  200,
		jsonrpc.CodeInternal:       200,
	} {
		e := &jsonrpc.Error{Code: code}
		if got := lifecycle.Status(&lifecycle.Scope{Features: mcp.Features{Modern: true}}, e); got != modern {
			t.Errorf("modern %d: got %d, want %d", code, got, modern)
		}
		if got := lifecycle.Status(&lifecycle.Scope{}, e); got != 200 {
			t.Errorf("legacy %d: got %d", code, got)
		}
	}
}

// TestVersionsAreComparedHereAlone counts the places that compare versions, or map them to features: two files have all of
// them, one for each era. No other package names a version, by its constant or by a date or a part of one, or looks at that
// of a request: it asks mcp.Features what it needs to know. What is recorded of a request has the text of its version, and
// compares it with nothing.
func TestVersionsAreComparedHereAlone(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`\bmcp\.V20\d{6}\b|["\x60]20\d\d(-\d\d){0,2}["\x60]|\b[sS]cope\.Version\b`)
	compared := regexp.MustCompile(`\bmcp\.V20\d{6}\b|[!=<>]=? (string\()?modernVersion|modernVersion\)? ` +
		`[!=<>]|\blegacyRevisions\b|\bmodernFeatures\b`)
	ignored := regexp.MustCompile(`(?m)//.*$|\bVersion: string\(scope\.Version\),`)
	places := map[string]int{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		dir := filepath.Base(filepath.Dir(path))
		text, err := os.ReadFile(path)
		text = ignored.ReplaceAll(text, nil)
		switch found := named.Find(text); {
		case dir == "mcp": // where the constants are
		case dir == "lifecycle":
			if n := len(compared.FindAll(text, -1)); n > 0 {
				places[filepath.Base(path)] = n
			}
		case found != nil:
			t.Errorf("%s names the version %s: ask mcp.Features what it needs to know", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"legacy.go": 8, "modern.go": 13}, places); diff != "" {
		t.Errorf("versions are compared, or mapped to features, in other places than before; is each of them needed? (-want +got)\n%s", diff)
	}
}
