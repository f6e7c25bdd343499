package descriptor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// FileSet returns the Source that reads a FileDescriptorSet or a buf image from a file, in the binary form or in JSON.
// A name that ends in .json, or contents that start with a brace, mean JSON. Files that an image marks as imports
// (buf.alpha.image.v1, field 8042) contribute no services.
//
// Loading fails when the file cannot be read, is something else, or is over the limits. A file inside the set that
// cannot be read or built is a [Problem].
func FileSet(path string, opts ...Option) Source {
	o := newOptions(opts)
	return loader(func(ctx context.Context) (*Set, error) {
		data, err := readSet(path, o.limits)
		if err != nil {
			return nil, fmt.Errorf("descriptor set %q: %w", path, err)
		}
		return loadSet(ctx, path, data, o.limits)
	})
}

// FileSetBytes is [FileSet] for contents that are at hand, such as an embedded file. The name appears in errors; its
// ending counts as that of a file would. The data must not change afterwards.
func FileSetBytes(name string, data []byte, opts ...Option) Source {
	o := newOptions(opts)
	return loader(func(ctx context.Context) (*Set, error) {
		if int64(len(data)) > o.limits.Bytes {
			return nil, fmt.Errorf("descriptor set %q: %w", name, o.limits.bytesError())
		}
		return loadSet(ctx, name, data, o.limits)
	})
}

func readSet(path string, limits Limits) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	data, err := limits.read(file)
	if err != nil {
		return nil, withoutPath(err)
	}
	return data, nil
}

// withoutPath drops the path that file errors repeat.
func withoutPath(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}

func loadSet(ctx context.Context, name string, data []byte, limits Limits) (*Set, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("descriptor set %q: %w", name, context.Cause(ctx))
	}
	m, err := parseSet(name, data, limits)
	if err != nil {
		return nil, fmt.Errorf("descriptor set %q: not a FileDescriptorSet: %w (%s)", name, err, buildHint(name))
	}
	set, err := build(m, limits)
	if err != nil {
		return nil, fmt.Errorf("descriptor set %q: %w", name, err)
	}
	return set, nil
}

// buildHint says how to make what was expected. The file it names is never the one that may hold something precious.
func buildHint(name string) string {
	if path.Ext(name) == ".proto" {
		return "this looks like .proto source: on the command line give it with --proto, in Go load it with descriptor.Files"
	}
	base := filepath.Base(name)
	out := strings.TrimSuffix(base, filepath.Ext(base)) + ".binpb"
	return fmt.Sprintf("build one with: buf build -o %s, or protoc --include_imports --include_source_info -o %s", out, out)
}

func parseSet(name string, data []byte, limits Limits) (material, error) {
	switch {
	case len(data) == 0:
		return material{}, errors.New("it is empty")
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		return material{}, errors.New("it is compressed with gzip")
	case path.Ext(name) == ".json" || data[0] == '{':
		return parseJSONSet(data, limits)
	}
	return parseBinarySet(data)
}

// parseBinarySet reads the wire form of a FileDescriptorSet.
func parseBinarySet(data []byte) (material, error) {
	entries, err := splitSet(data)
	if err != nil {
		return material{}, err
	}
	return readEntries(entries, decodeDraft, entryName)
}

// splitSet returns the encoded files of a FileDescriptorSet.
func splitSet(data []byte) ([][]byte, error) {
	const fileField = 1
	var entries [][]byte
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeField(data)
		if n < 0 {
			return nil, errors.New("it is not protobuf")
		}
		if number == fileField && kind == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(data)
			entry, _ := protowire.ConsumeBytes(data[tag:])
			entries = append(entries, entry)
		}
		data = data[n:]
	}
	return entries, nil
}

// entryName finds the name in a file descriptor that cannot be read as a whole.
func entryName(entry []byte) string {
	const nameField = 1
	for len(entry) > 0 {
		number, kind, n := protowire.ConsumeField(entry)
		if n < 0 {
			break
		}
		if number == nameField && kind == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(entry)
			name, _ := protowire.ConsumeBytes(entry[tag:])
			return string(name)
		}
		entry = entry[n:]
	}
	return ""
}

// readEntries reads a set file by file, so that one bad entry is that entry's problem. When all are bad, the set is
// something else.
func readEntries(entries [][]byte, read func([]byte) (*draft, error), name func([]byte) string) (material, error) {
	var m material
	if len(entries) == 0 {
		return m, errors.New("it holds no files")
	}
	for i, entry := range entries {
		d, err := read(entry)
		if err == nil {
			m.drafts = append(m.drafts, d)
			continue
		}
		m.problems = append(m.problems, newProblem(cmp.Or(name(entry), fmt.Sprintf("file %d of the set", i+1)), err.Error()))
	}
	if len(m.drafts) == 0 {
		first := m.problems[0]
		return m, fmt.Errorf("none of its %d entries is a file that can be read: %s: %s", len(entries), first.Name, first.Reason)
	}
	return m, nil
}
