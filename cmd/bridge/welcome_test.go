package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInstalled: the program is named by the path that `go install` gives it, whatever else is called bridge.
func TestInstalled(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	list := func(dirs ...string) string { return strings.Join(dirs, string(filepath.ListSeparator)) }
	stored := filepath.Join(home, "goenv")
	for path, text := range map[string]string{stored: "GOBIN=/stored/bin\n", filepath.Join(other, "bridge"): "#!/bin/sh\n"} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	goDir := other
	if path, err := exec.LookPath("go"); err == nil {
		goDir = filepath.Dir(path)
	}
	for _, tt := range []struct {
		name, path, env, bin, gopath string
		want                         string
	}{
		{"default", list(other, goDir), "off", "", "", filepath.Join(home, "go/bin/bridge")},
		{"GOPATH", list(other, goDir), "off", "", list("/first", "/second"), "/first/bin/bridge"},
		{"GOBIN", list(other, goDir), "off", "/own/bin", "/first", "/own/bin/bridge"},
		{"go env -w", list(other, goDir), stored, "", "/first", "/stored/bin/bridge"},
		{"GOBIN over go env -w", list(other, goDir), stored, "/own/bin", "", "/own/bin/bridge"},
		{"default without go", other, "", "", "", filepath.Join(home, "go/bin/bridge")},
		{"GOPATH without go", other, "", "", list("/first", "/second"), "/first/bin/bridge"},
		{"GOBIN without go", other, "", "/own/bin", "/first", "/own/bin/bridge"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.env != "" && goDir == other {
				t.Skip("the go command is not in PATH")
			}
			for name, value := range map[string]string{"HOME": home, "PATH": tt.path, "GOENV": tt.env, "GOBIN": tt.bin, "GOPATH": tt.gopath} {
				t.Setenv(name, value)
			}
			if got := installed(t.Context()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestInstalledAsksBriefly: a go command that hangs, or has nothing to say, does not keep the demo from starting.
func TestInstalledAsksBriefly(t *testing.T) {
	for name, script := range map[string]string{
		"hangs":  "#!/bin/sh\n/bin/sleep 600\n",
		"fails":  "#!/bin/sh\necho /wrong; echo /wrong; exit 1\n",
		"silent": "#!/bin/sh\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir)
			t.Setenv("GOBIN", "/own/bin")
			if got := installed(t.Context()); got != "/own/bin/bridge" {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestWelcomeIsJSON: the configurations can be pasted, whatever is in the path of the program.
func TestWelcomeIsJSON(t *testing.T) {
	t.Parallel()
	for _, program := range []string{
		"/home/me/go/bin/bridge", `C:\go\bin\bridge`, "/Jörg & \"Söhne\"/<bin>/\u00a0\a/bridge", "/\U000e0001/bridge",
	} {
		var text strings.Builder
		if err := welcome(&text, "http://[::1]:8080/mcp", "127.0.0.1:50051", program); err != nil {
			t.Fatal(err)
		}
		var found []any
		for line := range strings.SplitSeq(text.String(), "\n") {
			if !strings.HasPrefix(line, `{"mcpServers"`) {
				continue
			}
			var config struct{ McpServers struct{ Demo any } }
			if err := json.Unmarshal([]byte(line), &config); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			found = append(found, config.McpServers.Demo)
		}
		want := []any{
			map[string]any{"type": "http", "url": "http://[::1]:8080/mcp"},
			map[string]any{"command": program, "args": []any{"stdio", "--backend", "127.0.0.1:50051", "--plaintext"}},
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("configurations (-want +got):\n%s", diff)
		}
	}
}
