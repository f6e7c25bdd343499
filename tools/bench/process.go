package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// process is a part of the benchmark, or a bridge, that runs.
type process struct {
	name    string
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	log     *os.File // what it wrote on stderr
	address string   // host:port of a server
}

// startPart starts this program as another part; servers are awaited.
func startPart(ctx context.Context, dir, name string, args ...string) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p, err := start(ctx, dir, name, nil, program, append([]string{name}, args...)...)
	if err != nil || name == "direct" || name == "load" {
		return p, err
	}
	line, err := p.stdout.ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("%s does not listen: %s", name, p.said()), p.stop())
	}
	p.address = address
	return p, nil
}

// startBridge starts a bridge with default settings in front of the backend, with env on top of an environment without OTEL_*.
func startBridge(ctx context.Context, dir, name, program, backend string, env ...string) (*process, error) {
	p, err := start(ctx, dir, name, env, program, "serve", "--backend", backend, "--plaintext", "--listen", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	url := regexp.MustCompile(`http://([0-9.]+:[0-9]+)/mcp`)
	for range 200 { // ten seconds
		if found := url.FindStringSubmatch(p.said()); found != nil {
			p.address = found[1]
			return p, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, errors.Join(fmt.Errorf("%s does not listen: %s", name, p.said()), p.stop())
}

// start runs a program; what it writes on stderr goes to a file in dir.
func start(ctx context.Context, dir, name string, env []string, program string, args ...string) (*process, error) {
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // this program, or the bridge that was built or named
	cmd.Stderr = log
	cmd.Env = append(withoutOTel(os.Environ()), env...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{name: name, cmd: cmd, stdin: stdin, stdout: bufio.NewReader(stdout), log: log}, nil
}

// withoutOTel leaves out what would switch telemetry on.
func withoutOTel(environ []string) []string {
	var kept []string
	for _, e := range environ {
		if !strings.HasPrefix(e, "OTEL_") {
			kept = append(kept, e)
		}
	}
	return kept
}

// said is what the process has written on stderr so far.
func (p *process) said() string {
	text, err := os.ReadFile(p.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// stop ends the process: a part when its stdin ends, a bridge by SIGTERM. How it ended says nothing about the benchmark.
func (p *process) stop() error {
	_ = p.stdin.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(5*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	_ = p.cmd.Wait()
	return p.log.Close()
}

// do has a worker measure a cell.
func (p *process) do(j job) (outcome, error) {
	if err := json.NewEncoder(p.stdin).Encode(j); err != nil {
		return outcome{}, fmt.Errorf("%s: %w: %s", p.name, err, p.said())
	}
	line, err := p.stdout.ReadBytes('\n')
	if err != nil {
		return outcome{}, fmt.Errorf("%s: %w: %s", p.name, err, p.said())
	}
	var o outcome
	if err := json.Unmarshal(line, &o); err != nil {
		return outcome{}, err
	}
	if o.Error != "" {
		return outcome{}, fmt.Errorf("%s, %s at c=%d: %s", j.Target, j.Size, j.Clients, o.Error)
	}
	return o, nil
}

// build makes a bridge from the main module at root, with flags for go build, and returns the program.
func build(ctx context.Context, root, dir string, flags ...string) (string, error) {
	program := filepath.Join(dir, "bridge")
	args := append([]string{"build", "-o", program}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/bridge")...) //nolint:gosec // the flags are ours
	cmd.Dir = root
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/bridge: %w: %s", err, said)
	}
	return program, nil
}
