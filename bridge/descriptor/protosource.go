package descriptor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxSourceErrors is how many faults of .proto sources one error tells.
const maxSourceErrors = 10

// Files returns the Source that compiles .proto sources, with their comments. Each of protos is named relative to one
// of importPaths, as in an import statement, or by a path that lies below one of them. Without import paths a file is
// looked for below the working directory and, when it lies elsewhere, beside itself. Imports of google/protobuf, and
// those of google/api, google/rpc, google/type and buf/validate that are linked into the program, need not be there.
// The services are those of the named files; their imports contribute none.
//
// Loading fails with file, line and column of up to ten faults when something does not compile, or over the [Limits],
// which the source text and the descriptors made of it each have to keep.
func Files(importPaths, protos []string, opts ...Option) Source {
	o := newOptions(opts)
	return loader(func(ctx context.Context) (*Set, error) {
		set, err := compile(ctx, importPaths, protos, o.limits)
		if err != nil {
			return nil, fmt.Errorf(".proto sources: %w", err)
		}
		return set, nil
	})
}

func compile(ctx context.Context, importPaths, protos []string, limits Limits) (*Set, error) {
	if len(protos) == 0 {
		return nil, errors.New("no file is named")
	}
	roots, names, err := place(importPaths, protos)
	if err != nil {
		return nil, err
	}
	ctx, cancel := limits.start(ctx)
	defer cancel()
	sources := &sources{roots: roots, limits: limits}
	faults := &faults{}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(protocompile.ResolverFunc(sources.find)),
		Reporter:       reporter.NewReporter(faults.add, nil),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, names...)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case sources.excess() != nil:
		return nil, sources.excess()
	case err != nil:
		return nil, cmp.Or(sources.mistaken(names), faults.sum(err))
	}
	m := material{services: []protoreflect.FullName{}}
	reached := make(closure)
	for _, file := range files {
		reached.add(file, protoutil.ProtoFromFileDescriptor)
		for i := range file.Services().Len() {
			m.services = append(m.services, file.Services().Get(i).FullName())
		}
	}
	for _, file := range reached {
		m.add(file)
	}
	return build(m, limits)
}

// place finds under which import path each file lies, and so by which name it has to be compiled.
func place(importPaths, protos []string) (roots, names []string, err error) {
	roots = importPaths
	if len(importPaths) == 0 {
		roots = []string{"."}
	}
	for _, proto := range protos {
		name, ok := importName(roots, proto)
		if !ok && len(importPaths) == 0 && isFile(proto) {
			roots, name, ok = append(roots, filepath.Dir(proto)), filepath.Base(proto), true
		}
		if !ok {
			return nil, nil, misplaced(roots, proto)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return roots, slices.Compact(names), nil
}

// misplaced says why a file was not found.
func misplaced(roots []string, proto string) error {
	for _, root := range roots {
		if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("import path %q does not exist", root)
		}
	}
	for _, path := range append(below(roots, proto), proto) {
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir():
			return fmt.Errorf("%q is a directory: name the .proto files in it", proto)
		case err == nil:
			return fmt.Errorf("%q is not below %s: name it relative to an import path", proto, quoted(roots))
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%q: %w", proto, withoutPath(err))
		}
	}
	return fmt.Errorf("%q does not exist, neither below %s nor by itself", proto, quoted(roots))
}

// below returns where a file may lie, by a relative name.
func below(roots []string, name string) []string {
	if !filepath.IsLocal(name) {
		return nil
	}
	var paths []string
	for _, root := range roots {
		paths = append(paths, filepath.Join(root, name))
	}
	return paths
}

// importName returns the name of a file relative to the import path it lies below.
func importName(roots []string, proto string) (string, bool) {
	for _, root := range roots {
		if filepath.IsLocal(proto) && isFile(filepath.Join(root, proto)) {
			return filepath.ToSlash(filepath.Clean(proto)), true
		}
	}
	full, err := filepath.Abs(proto)
	if err != nil || !isFile(full) {
		return "", false
	}
	for _, root := range roots {
		base, err := filepath.Abs(root)
		if err != nil {
			continue
		}
		if name, err := filepath.Rel(base, full); err == nil && filepath.IsLocal(name) {
			return filepath.ToSlash(name), true
		}
	}
	return "", false
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func quoted(paths []string) string {
	quotes := make([]string, len(paths))
	for i, path := range paths {
		quotes[i] = fmt.Sprintf("%q", path)
	}
	return strings.Join(quotes, ", ")
}

// sources finds and opens files for the compiler, which calls it from several goroutines.
type sources struct {
	roots  []string
	limits Limits
	files  atomic.Int64
	bytes  atomic.Int64
}

// find opens a source file or else takes a standard import from the program.
func (s *sources) find(name string) (protocompile.SearchResult, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return protocompile.SearchResult{}, fmt.Errorf("import %q leads out of the import paths", name)
	}
	for _, path := range below(s.roots, filepath.FromSlash(name)) {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			continue // which would open, and fail where nobody knows the import any more
		}
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return protocompile.SearchResult{}, err
		}
		s.files.Add(1)
		return protocompile.SearchResult{Source: &counted{ReadCloser: file, sources: s}}, nil
	}
	if linked := linkedProto(name); linked != nil && !strings.HasPrefix(name, "google/protobuf/") {
		return protocompile.SearchResult{Proto: linked}, nil
	}
	return protocompile.SearchResult{}, fmt.Errorf("%q not found below %s", name, quoted(s.roots))
}

// mistaken returns an error for the first of the named files that is a descriptor set, as its syntax errors would not
// tell; nil if none is.
func (s *sources) mistaken(names []string) error {
	for _, name := range names {
		for _, path := range below(s.roots, filepath.FromSlash(name)) {
			data, err := readSet(path, s.limits)
			if err != nil {
				continue
			}
			if _, err := parseSet(name, data, s.limits); err == nil {
				return fmt.Errorf("%q is a descriptor set and no .proto source: on the command line give it with --descriptor-set, "+
					"in Go load it with descriptor.FileSet", name)
			}
		}
	}
	return nil
}

// excess returns the error for the limit that has been hit, if any.
func (s *sources) excess() error {
	switch {
	case s.files.Load() > int64(s.limits.Files):
		return s.limits.filesError()
	case s.bytes.Load() > s.limits.Bytes:
		return s.limits.bytesError()
	}
	return nil
}

// counted is a source file whose bytes count towards the limit. Past it, reading fails.
type counted struct {
	io.ReadCloser
	sources *sources
}

// Read reads, counts, and fails past the limit.
func (c *counted) Read(p []byte) (int, error) {
	if err := c.sources.excess(); err != nil {
		return 0, err
	}
	n, err := c.ReadCloser.Read(p)
	c.sources.bytes.Add(int64(n))
	return n, err
}

// faults gathers what the compiler reports. The compiler reports one at a time.
type faults struct {
	found []reporter.ErrorWithPos
}

// add keeps a fault and lets the compiler go on to find others.
func (f *faults) add(fault reporter.ErrorWithPos) error {
	f.found = append(f.found, fault)
	return nil
}

// sum makes one error of all faults, in the order of the text. The compiler's own error counts when nothing was
// reported.
func (f *faults) sum(err error) error {
	if len(f.found) == 0 {
		return err
	}
	slices.SortStableFunc(f.found, func(a, b reporter.ErrorWithPos) int {
		at, other := a.GetPosition(), b.GetPosition()
		return cmp.Or(strings.Compare(at.Filename, other.Filename), at.Line-other.Line, at.Col-other.Col)
	})
	shown := f.found[:min(len(f.found), maxSourceErrors)]
	lines := make([]error, 0, len(shown)+1)
	for _, fault := range shown {
		lines = append(lines, fault)
	}
	if rest := len(f.found) - len(shown); rest > 0 {
		lines = append(lines, fmt.Errorf("and %d more", rest))
	}
	return errors.Join(lines...)
}
