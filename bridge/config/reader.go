package config

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// ReadTimeout is how long a configuration file may take to be read, and all the files of secrets and certificates that one
// configuration names together.
const ReadTimeout = 10 * time.Second

// maxHung is how many reads a Reader waits for at once, each of which may hold a thread of the system.
const maxHung = 16

// moment is what a file has when the time is over already, or the context has ended: enough for one that is there, so that it is
// not blamed for another one that hangs.
const moment = 500 * time.Millisecond

// Reader reads files that may never answer: a pipe that nobody writes to, or a file of a network share that is gone. It waits for
// them as long as [ReadTimeout], and no longer than a context. A read that hangs cannot be ended, and is left behind; there is at
// most one for each file, which whoever reads that file again waits for instead of beginning another, and at most 16 in all.
//
// Its zero value is ready. It is safe for concurrent use, and is to be kept as long as the same files are read again.
type Reader struct {
	mu      sync.Mutex
	reading map[subject]*reading
}

// Read is [Read] that ends with ctx, whose cause is then found in its error, which is no *[Error].
func (r *Reader) Read(ctx context.Context, path string) (*configv1.Config, error) {
	text, err := r.configuration(ctx, path)
	switch {
	case errors.Is(err, errCut):
		return nil, fmt.Errorf("%s: %w", path, err)
	case err != nil:
		return nil, &Error{[]Fault{{File: path, Message: err.Error()}}}
	}
	return Parse(path, text)
}

// Sum identifies what a configuration file holds, to see whether it has changed. What cannot be read, and what is no regular file,
// such as a pipe, which can be read only once, counts as empty.
func (r *Reader) Sum(ctx context.Context, path string) [sha256.Size]byte {
	one, err := r.begin(path, maxFile, true)
	if err != nil {
		return sha256.Sum256(nil)
	}
	text, err := one.wait(ctx, time.Now().Add(ReadTimeout))
	if err != nil {
		text = nil
	}
	return sha256.Sum256(text)
}

// errCut is that a context has ended first.
var errCut = errors.New("was not read to its end")

// configuration returns what is in a configuration file, and a byte more than one may have where it is too large. Its errors do
// not name it.
func (r *Reader) configuration(ctx context.Context, path string) ([]byte, error) {
	text, err := r.read(ctx, path, time.Now().Add(ReadTimeout), maxFile)
	if errors.Is(err, errDirectory) {
		return nil, errors.New("is a directory: name the configuration file itself")
	}
	if err != nil {
		return nil, bare(err)
	}
	return text, nil
}

// bare is what an error about a file says beside its name.
func bare(err error) error {
	var of *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file: name the configuration file")
	case errors.As(err, &of):
		return fmt.Errorf("cannot be read: %w", of.Err)
	}
	return err
}

// read returns what is in a file, and no more than a byte above most, at most until a time.
func (r *Reader) read(ctx context.Context, path string, until time.Time, most int64) ([]byte, error) {
	one, err := r.begin(path, most, false)
	if err != nil {
		return nil, err
	}
	return one.wait(ctx, until)
}

// wait returns what has been read, at most until a time.
func (one *reading) wait(ctx context.Context, until time.Time) ([]byte, error) {
	over := time.NewTimer(max(time.Until(until), moment))
	defer over.Stop()
	select {
	case <-one.done:
		return one.text, one.err
	case <-over.C:
		return nil, errors.New(one.state())
	case <-ctx.Done():
	}
	select {
	case <-one.done:
		return one.text, one.err
	case <-time.After(moment):
		return nil, fmt.Errorf("%w: %w", errCut, context.Cause(ctx))
	}
}

// subject is a file, and whether it is read only if it is a regular one.
type subject struct {
	path    string
	regular bool
}

// begin returns the reading of a file that is under way, or a new one.
func (r *Reader) begin(path string, most int64, regular bool) (*reading, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := subject{path, regular}
	if one := r.reading[of]; one != nil {
		return one, nil
	}
	if len(r.reading) >= maxHung {
		return nil, fmt.Errorf("is not looked at: %d other files have not answered yet", maxHung)
	}
	one := &reading{done: make(chan struct{})}
	if r.reading == nil {
		r.reading = map[subject]*reading{}
	}
	r.reading[of] = one
	go func() { // ends when the system does: r counts it until then
		one.text, one.err = one.all(of, most)
		r.mu.Lock()
		delete(r.reading, of)
		r.mu.Unlock()
		close(one.done)
	}()
	return one, nil
}

// reading is one file being read.
type reading struct {
	done chan struct{}
	text []byte // with err, written before done is closed
	err  error

	mode atomic.Pointer[fs.FileMode] // once it is known
	open atomic.Bool
}

// errDirectory is that a file is a directory.
var errDirectory = errors.New("is a directory")

// errIrregular is that a file is no regular one.
var errIrregular = errors.New("is no regular file")

// errDrained is that nothing came out of what is no regular file.
var errDrained = errors.New("has nothing in it, and is no regular file: what was in a pipe can be read only once; name a file")

// all reads the file.
func (one *reading) all(of subject, most int64) ([]byte, error) {
	var mode fs.FileMode
	if info, err := os.Stat(of.path); err == nil { // else opening it says why
		mode = info.Mode()
		one.mode.Store(&mode)
	}
	if of.regular && !mode.IsRegular() {
		return nil, errIrregular
	}
	f, err := os.Open(of.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	one.open.Store(true)
	if mode.IsDir() {
		return nil, errDirectory
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(text) == 0 && !mode.IsRegular() {
		return nil, errDrained
	}
	return text, err
}

// state says what a file is whose reading has not ended in time.
func (one *reading) state() string {
	mode := *cmp.Or(one.mode.Load(), new(fs.FileMode))
	switch {
	case mode&fs.ModeNamedPipe != 0 && !one.open.Load():
		return fmt.Sprintf("is a pipe that nobody writes to, and was waited for for %v: start what writes to it, or name a file", ReadTimeout)
	case mode&fs.ModeNamedPipe != 0:
		return fmt.Sprintf("is a pipe whose writer has not come to an end within %v: have it close the pipe, or name a file", ReadTimeout)
	case !mode.IsRegular():
		return fmt.Sprintf("is no regular file, and has not come to an end within %v: name a file", ReadTimeout)
	}
	return fmt.Sprintf("has not answered within %v: the disk or the network share that it is on hangs", ReadTimeout)
}
