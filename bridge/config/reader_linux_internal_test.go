package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// pipe makes a named pipe, and has its readers come to an end when the test does.
func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil { // so that who has not opened it by now finds nothing, and who has comes to its end
			t.Error(err)
		}
		f.Close()
	})
	return path
}

// left is how many reads are under way.
func left(r *Reader) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.reading)
}

// TestPipeNobodyWrites: the time ends, the error says what the file is, and whoever comes back waits for the same reading.
func TestPipeNobodyWrites(t *testing.T) {
	t.Parallel()
	path := pipe(t)
	var r Reader
	for range 2 {
		_, err := r.read(t.Context(), path, time.Now(), maxFile)
		if err == nil || !strings.HasPrefix(err.Error(), "is a pipe that nobody writes to, and was waited for for 10s: ") {
			t.Fatalf("error %v", err)
		}
		if left(&r) != 1 {
			t.Fatalf("%d readings", left(&r))
		}
	}
	one, err := r.begin(path, maxFile, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("late"), 0o600); err != nil {
		t.Fatal(err)
	}
	<-one.done
	if string(one.text) != "late" || one.err != nil || left(&r) != 0 {
		t.Errorf("text %q, error %v, %d readings", one.text, one.err, left(&r))
	}
}

// TestPipeWithoutEnd: somebody writes, and does not come to an end.
func TestPipeWithoutEnd(t *testing.T) {
	t.Parallel()
	path := pipe(t)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := new(Reader).read(t.Context(), path, time.Now(), maxFile); err == nil ||
		!strings.Contains(err.Error(), "whose writer has not come to an end") {
		t.Errorf("error %v", err)
	}
}

// TestReadsLeftBehind are bounded.
func TestReadsLeftBehind(t *testing.T) {
	t.Parallel()
	var r Reader
	for range maxHung {
		if _, err := r.begin(pipe(t), maxFile, false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.begin(pipe(t), maxFile, false); err == nil || !strings.Contains(err.Error(), "16 other files have not answered yet") {
		t.Errorf("error %v", err)
	}
}

// TestReadEndsWithContext: a configuration file and a secret alike; a file that is there is read nevertheless.
func TestReadEndsWithContext(t *testing.T) {
	t.Parallel()
	cause := errors.New("told to stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	path := pipe(t)
	_, err := new(Reader).Read(ctx, path)
	if want := path + ": was not read to its end: told to stop"; !errors.Is(err, cause) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	secret := &configv1.Header{Name: "x", Value: &configv1.Header_Secret{Secret: &configv1.Secret{Source: &configv1.Secret_File{File: path}}}}
	_, err = DialContext(ctx, &configv1.Config{Backends: []*configv1.Backend{{Target: "localhost:1", Headers: []*configv1.Header{secret}}}})
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), `header "x": read the secret: `+path+" was not read") {
		t.Errorf("error %v", err)
	}
	text := "backends: [{target: 'localhost:1'}]"
	file := filepath.Join(t.TempDir(), "bridge.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := new(Reader).Read(ctx, file); err != nil || len(c.GetBackends()) != 1 {
		t.Errorf("configuration %v, error %v", c, err)
	}
}

// TestReloadsShareOneRead: a secret that hangs is read once, however often a configuration is to take the place of another.
func TestReloadsShareOneRead(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	setup, err := Dial(&configv1.Config{Backends: []*configv1.Backend{{Target: "localhost:1"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer setup.Close()
	tls := &configv1.Backend_Tls{Tls: &configv1.Tls{CaFile: pipe(t)}}
	for range 2 {
		_, err := setup.NextContext(ctx, &configv1.Config{Backends: []*configv1.Backend{{Target: "localhost:1", Transport: tls}}})
		if !errors.Is(err, context.Canceled) || left(setup.files) != 1 {
			t.Errorf("error %v, %d readings", err, left(setup.files))
		}
	}
}

// TestProcessSubstitution: what a shell makes of <(…) is read.
func TestProcessSubstitution(t *testing.T) {
	t.Parallel()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	fmt.Fprint(in, "backends: [{target: 'localhost:1'}]")
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err := Read(fmt.Sprintf("/dev/fd/%d", out.Fd())); err != nil || len(c.GetBackends()) != 1 {
		t.Errorf("configuration %v, error %v", c, err)
	}
}

// TestSum is the identity of what files hold, for which no pipe is read.
func TestSum(t *testing.T) {
	t.Parallel()
	var r Reader
	file := filepath.Join(t.TempDir(), "bridge.yaml")
	empty := r.Sum(t.Context(), file)
	write := func(text string) [32]byte {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return r.Sum(t.Context(), file)
	}
	if a, again, b := write("a"), write("a"), write("b"); a != again || a == b || a == empty {
		t.Errorf("sums of a, a and b: %x, %x, %x; of no file %x", a, again, b, empty)
	}
	if got := r.Sum(t.Context(), pipe(t)); got != empty {
		t.Errorf("sum of a pipe: %x, want that of what is empty, %x", got, empty)
	}
}
