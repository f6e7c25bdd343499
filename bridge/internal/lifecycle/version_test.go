package lifecycle_test

import (
	"io/fs"
	"os"
	"path/filepath"
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

// TestVersionsAreComparedHereAlone: no other package of the bridge names a
// version, by its constant or by its date, so none can compare them.
func TestVersionsAreComparedHereAlone(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`\bmcp\.V20\d{6}\b|"20\d\d-\d\d-\d\d"`)
	comment := regexp.MustCompile(`(?m)//.*$`)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if dir := filepath.Base(filepath.Dir(path)); dir == "lifecycle" || dir == "mcp" {
			return nil
		}
		text, err := os.ReadFile(path)
		if found := named.Find(comment.ReplaceAll(text, nil)); found != nil {
			t.Errorf("%s names the version %s: ask mcp.Features what it needs to know", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
