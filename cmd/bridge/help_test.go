package main_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestExamplesWork runs each example of each command's help in a shell, as it is printed but for addresses and files.
func TestExamplesWork(t *testing.T) {
	backend := startBackend(t)
	set, err := filepath.Abs("../../services/library/library.binpb")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "bridge.yaml")
	if err := os.WriteFile(file, []byte("backends:\n  - target: "+backend+"\n    plaintext: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	endpoint, admin := startBridge(t, backend)
	here := strings.NewReplacer("bridge.yaml", file, " > bridge.schema.json", "", "--admin 127.0.0.1:8081", "--admin 127.0.0.1:0",
		"bridge health --admin 127.0.0.1:8081", "bridge health --admin "+admin, "http://127.0.0.1:8080/mcp", endpoint, "localhost:50051", backend,
		"localhost:2379", backend, "api.example.com:443", backend, "etcd.binpb", set)
	for _, command := range []string{
		"", "demo", "serve", "stdio", "tools", "lint", "call", "config", "config check", "config schema", "health", "help", "version",
	} {
		for _, example := range examples(t, command) {
			t.Run(example, func(t *testing.T) {
				if command == "demo" || command == "serve" || command == "" {
					runUntilReady(t, shell(here.Replace(example)+" --listen 127.0.0.1:0"))
					return
				}
				if example == "bridge health" {
					example += " --admin 127.0.0.1:8081" // as is the default
				}
				var stderr strings.Builder
				cmd := shell(here.Replace(example))
				cmd.Stderr = &stderr
				if output, err := cmd.Output(); err != nil || len(output) == 0 && command != "stdio" {
					t.Errorf("error %v, stdout %q, stderr:\n%s", err, output, stderr.String())
				}
			})
		}
	}
}

// startBridge runs a bridge before a backend for as long as the test does.
func startBridge(t *testing.T, backend string) (endpoint, admin string) {
	t.Helper()
	output, input := io.Pipe()
	cmd := exec.Command("bridge", "serve", "--backend", backend, "--plaintext", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0")
	cmd.Stderr = input
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		input.Close()
	})
	url := regexp.MustCompile(`msg=(ready|"admin ready") url=(\S+)`)
	found := map[string]string{}
	lines := bufio.NewScanner(output)
	for len(found) < 2 && lines.Scan() {
		if m := url.FindStringSubmatch(lines.Text()); m != nil {
			found[m[1]] = m[2]
		}
	}
	go io.Copy(io.Discard, output) // until the process ends
	return found["ready"], strings.TrimPrefix(found[`"admin ready"`], "http://")
}

// examples are the lines of a command's help between its examples' title and the next title.
func examples(t *testing.T, command string) []string {
	t.Helper()
	help, err := exec.Command("bridge", append(strings.Fields(command), "--help")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(help), "Examples:\n")
	rest, _, _ = strings.Cut(rest, "\n\n")
	var lines []string
	for line := range strings.SplitSeq(rest, "\n") {
		lines = append(lines, strings.TrimSpace(line))
	}
	if len(lines) == 0 || lines[0] == "" {
		t.Errorf("bridge %s --help has no example", command)
	}
	return lines
}

// shell prepares a command line, to be run where this repository begins. Where it is one command, it takes the shell's place.
func shell(line string) *exec.Cmd {
	if strings.HasPrefix(line, "bridge ") {
		line = "exec " + line
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "TOKEN=secret")
	return cmd
}

// serving is what a command says when clients can connect.
var serving = regexp.MustCompile(`msg=ready|Ctrl-C closes them`)

// runUntilReady runs a server until it says that it serves, and stops it.
func runUntilReady(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	output, input := io.Pipe()
	cmd.Stdout, cmd.Stderr = input, input
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		input.Close()
	}()
	var said strings.Builder
	ready := false
	for lines := bufio.NewScanner(output); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if !ready && serving.MatchString(lines.Text()) {
			ready = true
			cmd.Process.Signal(os.Interrupt)
		}
	}
	if err := <-ended; err != nil || !ready {
		t.Errorf("ended with %v:\n%s", err, said.String())
	}
}
