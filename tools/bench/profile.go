package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// profiledTime is how long a profile lasts: some hundreds of samples, of which there are 100 a second for each core.
const profiledTime = 5 * time.Second

// profile writes a CPU profile of a bridge under load, and its first lines to stderr. The product has no way to be profiled: the
// bridge is one that is built with a file more.
func profile(ctx context.Context, s settings, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is a folder of logs
	program, err := profiled(ctx, s.root, dir)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "cpu.pprof")
	if err := underLoad(ctx, s, dir, program, file); err != nil {
		return err
	}
	written, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.profile, written, 0o600); err != nil { //nolint:gosec // the file that the caller names
		return fmt.Errorf("-profile: %w", err)
	}
	return top(ctx, s.profile, stderr)
}

// profiled builds a bridge that begins and ends a profile at SIGUSR1.
func profiled(ctx context.Context, root, dir string) (string, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(absolute, "cmd/bridge/profiled.go"): filepath.Join(absolute, "tools/bench/testdata/profiled.go"),
	}})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return "", err
	}
	return build(ctx, root, dir, "-overlay", file)
}

// underLoad has the bridge write a profile of many calls; those of a cell before it are not in it.
func underLoad(ctx context.Context, s settings, dir, program, file string) error {
	st := &stand{callees: map[string]*process{}}
	defer st.stop()
	back, err := st.add(startPart(ctx, dir, "backend"))
	if err != nil {
		return err
	}
	if st.load, err = st.add(startPart(ctx, dir, "load")); err != nil {
		return err
	}
	profiled, err := st.add(startBridge(ctx, dir, bridge, program, back.address, "BENCH_PROFILE="+file))
	if err != nil {
		return err
	}
	st.callees[bridge] = profiled
	at := cell{bridge, s.profiled, targetClients}
	if _, err := st.measure(s, at, s.cell); err != nil {
		return err
	}
	if err := profiled.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		return err
	}
	if _, err := st.measure(s, at, profiledTime); err != nil {
		return err
	}
	if err := profiled.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		return err
	}
	return appeared(file + ".done")
}

// appeared waits for a file.
func appeared(file string) error {
	for range 100 {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the bridge wrote no profile within five seconds")
}

// top prints where the time goes: a table of the parts, and the functions that it is spent in or below.
func top(ctx context.Context, file string, out io.Writer) error {
	traces := exec.CommandContext(ctx, "go", "tool", "pprof", "-traces", file) //nolint:gosec // the profile that was written
	text, err := traces.Output()
	if err != nil {
		return fmt.Errorf("go tool pprof: %w", err)
	}
	if err := writeShares(out, readStacks(text)); err != nil {
		return err
	}
	list := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount=60", file) //nolint:gosec // as above
	list.Stdout, list.Stderr = out, out
	return list.Run()
}
