package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// TestTerminalCloses: a bridge that somebody runs in a terminal ends with it, although SIGHUP has another meaning.
func TestTerminalCloses(t *testing.T) {
	t.Parallel()
	master, terminal := openTerminal(t)
	output, input := io.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // rather than to wait for ever
	defer cancel()
	cmd := exec.CommandContext(ctx, "bridge", "serve", "--backend", startLibraryTest(t), "--plaintext", "--listen", "127.0.0.1:0",
		"--descriptor-set", "../../services/library/library.binpb")
	cmd.Stdin, cmd.Stderr = terminal, input
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	// Where these tests run under nohup, or something like it, the bridge would inherit that SIGHUP is ignored.
	taken := make(chan os.Signal, 1)
	signal.Notify(taken, syscall.SIGHUP)
	defer signal.Stop(taken)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close()
	waitFor(output, "msg=ready")
	go func() { _, _ = io.Copy(io.Discard, output) }() // until input is closed
	_ = master.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	_ = input.Close()
}

// openTerminal makes a pseudo-terminal.
func openTerminal(t *testing.T) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	var number, unlock uint32
	for request, value := range map[uintptr]*uint32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return master, terminal
}

// waitFor reads until a text has come.
func waitFor(r io.Reader, text string) {
	var seen []byte
	for b := make([]byte, 1); ; {
		if _, err := r.Read(b); err != nil {
			return
		}
		if seen = append(seen, b...); len(seen) >= len(text) && string(seen[len(seen)-len(text):]) == text {
			return
		}
	}
}
