package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// setting is what a run was made on, and when.
type setting struct {
	cpu, version, load, commit string
	began                      time.Time
	took                       time.Duration
}

// describe looks at the machine before anything runs.
func describe(s settings) setting {
	return setting{
		cpu:     fmt.Sprintf("%s, %d cores", model(), runtime.NumCPU()),
		version: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
		load:    loadAverage(),
		commit:  commit(s.root),
		began:   time.Now().UTC(),
	}
}

// model is the name of the processor.
func model() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range bytes.Lines(info) {
		if name, value, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// loadAverage is that of the last minute.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// commit is what is checked out in root; empty where git says nothing.
func commit(root string) string {
	cmd := exec.Command("git", "describe", "--always", "--dirty")
	cmd.Dir = root
	said, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(said))
}
