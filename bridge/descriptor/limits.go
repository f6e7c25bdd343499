package descriptor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"
)

// ErrLimit is wrapped by every error that says a load went over one of its [Limits]. The text of the error names the
// limit and its value.
var ErrLimit = errors.New("over a limit of descriptor loading")

// Limits bounds one load. What comes in is not trusted to be small: a server that can be reached is not thereby a
// friendly one.
type Limits struct {
	// Bytes is the largest sum of the descriptors' sizes: of distinct files in reflection answers, of a descriptor set,
	// of .proto sources. The names and structures that the descriptors expand to in memory are held to the same figure.
	// Default 64 MiB.
	Bytes int64
	// Files is the largest number of files, imports included. Default 20,000.
	Files int
	// Timeout is the longest that reflection or a compilation may take in all. Default 30 s.
	Timeout time.Duration
}

// DefaultLimits returns 64 MiB, 20,000 files and 30 seconds.
func DefaultLimits() Limits {
	return Limits{Bytes: 64 << 20, Files: 20_000, Timeout: 30 * time.Second}
}

// unlimited is for rebuilding what has passed its limits already.
func unlimited() Limits {
	return Limits{Bytes: math.MaxInt64, Files: math.MaxInt, Timeout: math.MaxInt64}
}

func (l Limits) withDefaults() Limits {
	standard := DefaultLimits()
	if l.Bytes <= 0 {
		l.Bytes = standard.Bytes
	}
	if l.Files <= 0 {
		l.Files = standard.Files
	}
	if l.Timeout <= 0 {
		l.Timeout = standard.Timeout
	}
	return l
}

func (l Limits) bytesError() error {
	return fmt.Errorf("%w: more than %s of descriptors; load less or raise descriptor.Limits.Bytes", ErrLimit, byteCount(l.Bytes))
}

func (l Limits) expansionError() error {
	return fmt.Errorf("%w: the declarations expand to more than %s in memory; load less or raise descriptor.Limits.Bytes", ErrLimit,
		byteCount(l.Bytes))
}

func (l Limits) filesError() error {
	return fmt.Errorf("%w: more than %d files; load less or raise descriptor.Limits.Files", ErrLimit, l.Files)
}

// start returns a context that ends after the time-out, with an error that says so as its cause.
func (l Limits) start(ctx context.Context) (context.Context, context.CancelFunc) {
	cause := fmt.Errorf("%w: not done after %s; see what takes so long or raise descriptor.Limits.Timeout", ErrLimit, l.Timeout)
	return context.WithTimeoutCause(ctx, l.Timeout, cause)
}

// admit refuses drafts that are too many, too long, or too large once built.
func (l Limits) admit(drafts []*draft) error {
	if len(drafts) > l.Files {
		return l.filesError()
	}
	var size, expansion int64
	for _, d := range drafts {
		size += int64(len(d.bytes))
		expansion += expanded(d.proto)
		if size > l.Bytes {
			return l.bytesError()
		}
		if expansion > l.Bytes {
			return l.expansionError()
		}
	}
	return nil
}

// read returns all of a file, or an error when it holds more than the limit.
func (l Limits) read(file *os.File) ([]byte, error) {
	var data bytes.Buffer
	if info, err := file.Stat(); err == nil {
		data.Grow(int(min(info.Size(), l.Bytes)) + bytes.MinRead)
	}
	if _, err := data.ReadFrom(io.LimitReader(file, min(l.Bytes, math.MaxInt64-1)+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > l.Bytes {
		return nil, l.bytesError()
	}
	return data.Bytes(), nil
}

// byteCount writes whole mebibytes as such and everything else in bytes.
func byteCount(n int64) string {
	const mebibyte = 1 << 20
	if n >= mebibyte && n%mebibyte == 0 {
		return fmt.Sprintf("%d MiB", n/mebibyte)
	}
	return fmt.Sprintf("%d bytes", n)
}
