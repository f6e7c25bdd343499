package main

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// TestLoadEndsWithCommand: who is told to stop does not wait for a configuration file that does not answer.
func TestLoadEndsWithCommand(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cmd := &cobra.Command{}
	cmd.SetContext(ctx)
	load := (&target{file: path}).load(cmd, &settings{})
	for range 2 { // the second time waits for the reading that the first has left behind
		if c, err := load(); err == nil || err.Error() != "interrupted" {
			t.Errorf("configuration %v, error %v", c, err)
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close() // whoever reads it comes to an end
}
