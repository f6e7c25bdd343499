package server

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMethodsAreDocumented holds the table of methods in docs/protocol.md against the one that is served from.
func TestMethodsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	type eras struct{ Legacy, Modern bool }
	said, served := map[string]eras{}, map[string]eras{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z/A-Z]+) \| (yes|–) \| (yes|–) \|$`).FindAllStringSubmatch(string(text), -1) {
		said[row[1]] = eras{row[2] == "yes", row[3] == "yes"}
	}
	for name, m := range methods {
		served[name] = eras{m.legacy, m.modern}
	}
	served["initialize"] = eras{Legacy: true} // opens what the table is for
	if diff := cmp.Diff(served, said); diff != "" {
		t.Errorf("docs/protocol.md (-served +said):\n%s", diff)
	}
}
