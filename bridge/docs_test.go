package bridge_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
)

// TestReadmeProgram: the program of the README compiles as it stands there.
func TestReadmeProgram(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(package main\n.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(programs) != 1 {
		t.Fatalf("the README has %d programs, want 1", len(programs))
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(programs[0][1]), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.CommandContext(t.Context(), "go", "vet", file).CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, output)
	}
}

// TestLimitsAreNamed: each option that docs/protocol.md names for a limit exists, and each that sets a limit is named.
func TestLimitsAreNamed(t *testing.T) {
	t.Parallel()
	var source []byte
	for _, file := range []string{"option.go", "interaction.go", "tasks.go"} {
		part, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, part...)
	}
	text := readDoc(t, "protocol.md")
	for _, match := range regexp.MustCompile("`(With\\w+)`").FindAllStringSubmatch(text, -1) {
		if !strings.Contains(string(source), "func "+match[1]+"(") {
			t.Errorf("there is no option %s", match[1])
		}
	}
	for _, match := range regexp.MustCompile(`func (With(?:Max\w+|\w*Idle))\(`).FindAllStringSubmatch(string(source), -1) {
		if !strings.Contains(text, "| `"+match[1]+"` |") {
			t.Errorf("the table of limits lacks %s", match[1])
		}
	}
}

// TestAnnotationCall: the call by hand in docs/annotations.md has the headers that its tool wants, and needs the last of them.
func TestAnnotationCall(t *testing.T) {
	t.Parallel()
	text := readDoc(t, "annotations.md")
	examples := regexp.MustCompile("(?s)```proto\n(.*?)```").FindAllStringSubmatch(text, -1)
	var order string
	for _, e := range examples {
		if strings.Contains(e[1], "service OrderService") {
			order = examples[0][1] + e[1]
		}
	}
	b, err := bridge.New(t.Context(), []bridge.Backend{{Conn: startServices(t), Descriptors: noteFiles(t, order)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	_, call, _ := strings.Cut(text, "curl -sS http://127.0.0.1:8080/mcp")
	call, _, _ = strings.Cut(call, "```")
	post := func(without string) *httptest.ResponseRecorder {
		body := regexp.MustCompile(`-d '(.*)'`).FindStringSubmatch(call)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8080/mcp", strings.NewReader(body[1]))
		for _, h := range regexp.MustCompile(`-H '([^:]+): ([^']+)'`).FindAllStringSubmatch(call, -1) {
			if h[1] != without {
				r.Header.Set(h[1], h[2])
			}
		}
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		return w
	}
	if w := post(""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "UNIMPLEMENTED") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if w := post("Mcp-Param-Region"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "-32020") {
		t.Errorf("without the header: status %d: %s", w.Code, w.Body)
	}
}
