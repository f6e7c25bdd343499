package descriptor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// material is what a source has found.
type material struct {
	drafts   []*draft
	services []protoreflect.FullName          // nil: all that drafts declare, but for imports of an image
	silent   map[protoreflect.FullName]string // why the source could not describe a service
	absent   map[string]string                // why the source did not give an import
	problems []Problem                        // what the source has to report of itself
}

// add takes a file over, or reports it.
func (m *material) add(file *descriptorpb.FileDescriptorProto) {
	d, err := newDraft(file)
	if err != nil {
		m.problems = append(m.problems, newProblem(file.GetName(), err.Error()))
		return
	}
	m.drafts = append(m.drafts, d)
}

// builder links drafts into descriptors, imports first. It goes through paths in their sorted order, never in that of
// arrival.
type builder struct {
	drafts   map[string]*draft
	absent   map[string]string
	files    *protoregistry.Files
	built    map[string]*draft   // path → what it was built from
	failed   map[string]string   // path → why it was not
	missing  map[string]bool     // imports that nobody gave
	spared   map[string][]string // missing import → files that could do without it
	stack    []frame             // the files whose imports are being visited
	open     map[string]int      // their positions in the stack
	problems []Problem
}

// build makes the Set. Errors are for limits only.
func build(m material, limits Limits) (*Set, error) {
	if err := limits.admit(m.drafts); err != nil {
		return nil, err
	}
	drafts, conflicts := byPath(m.drafts)
	b := &builder{
		drafts:   drafts,
		absent:   m.absent,
		files:    new(protoregistry.Files),
		built:    make(map[string]*draft, len(drafts)),
		failed:   make(map[string]string),
		missing:  make(map[string]bool),
		spared:   make(map[string][]string),
		open:     make(map[string]int),
		problems: slices.Concat(m.problems, conflicts),
	}
	for _, path := range slices.Sorted(maps.Keys(drafts)) {
		b.visit(path)
	}
	services := b.services(m)
	b.report()
	set := &Set{
		files:    b.files,
		types:    dynamicpb.NewTypes(b.files),
		services: services,
		problems: sortedProblems(b.problems),
		sealed:   make(map[string]sealed, len(b.built)),
		listed:   m.services != nil,
	}
	for path, d := range b.built {
		set.sealed[path] = d.seal()
	}
	set.digest = set.fingerprint()
	return set, nil
}

// link builds one file whose imports have been visited. Imports that are not there are struck out first: most files
// need some of theirs for options alone, which are parsed already, and a file that needs the types then fails for their
// lack.
func (b *builder) link(d *draft) {
	path := d.proto.GetName()
	unmet := b.unmet(d)
	trimmed, err := d.without(unmet)
	if err == nil {
		err = b.register(trimmed)
	}
	if err != nil {
		b.failed[path] = b.blame(unmet, plain(err.Error()))
		return
	}
	b.built[path] = trimmed
	for _, dependency := range unmet {
		if b.missing[dependency] {
			b.spared[dependency] = append(b.spared[dependency], path)
		}
	}
}

func (b *builder) unmet(d *draft) []string {
	var unmet []string
	counted := make(map[string]bool)
	for _, dependency := range d.proto.GetDependency() {
		if b.built[dependency] == nil && !counted[dependency] {
			counted[dependency] = true
			unmet = append(unmet, dependency)
		}
	}
	return unmet
}

// maxCauses is how many imports a failure is put down to.
const maxCauses = 3

// blame explains a failure by the imports that were not there, if any.
func (b *builder) blame(unmet []string, failure string) string {
	if len(unmet) == 0 {
		return failure
	}
	var causes []string
	for _, dependency := range unmet[:min(len(unmet), maxCauses)] {
		cause := "could not be built"
		if b.missing[dependency] {
			cause = b.absence(dependency)
		}
		causes = append(causes, fmt.Sprintf("%q, which %s", dependency, cause))
	}
	if rest := len(unmet) - len(causes); rest > 0 {
		causes = append(causes, fmt.Sprintf("%d more", rest))
	}
	return fmt.Sprintf("imports %s (%s)", strings.Join(causes, ", and "), failure)
}

func (b *builder) absence(path string) string {
	if reason := b.absent[path]; reason != "" {
		return reason
	}
	return "was not found"
}

// register builds the descriptor and adds it to the files.
func (b *builder) register(d *draft) error {
	file, err := newFile(d.proto, b.files)
	if err != nil {
		return err
	}
	if err := b.files.RegisterFile(file); err != nil {
		if clash := b.clash(file); clash != nil {
			return clash
		}
		return err
	}
	return nil
}

// newFile is protodesc.NewFile, from which a panic is an error: it has met editions it knows of and does not support,
// and what else a server may send it was not written for.
func newFile(file *descriptorpb.FileDescriptorProto, imports protodesc.Resolver) (_ protoreflect.FileDescriptor, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("protobuf-go cannot build it: %v", p)
		}
	}()
	return protodesc.NewFile(file, imports)
}

// clash finds the symbol that another file has declared already.
func (b *builder) clash(file protoreflect.FileDescriptor) error {
	for _, name := range topLevel(file) {
		if other, err := b.files.FindDescriptorByName(name); err == nil {
			return fmt.Errorf("declares %s, as does %q", name, other.ParentFile().Path())
		}
	}
	return nil
}

// topLevel returns the names that a file adds to its package: enum values are among them, being siblings of their enum.
func topLevel(file protoreflect.FileDescriptor) []protoreflect.FullName {
	var names []protoreflect.FullName
	for i := range file.Messages().Len() {
		names = append(names, file.Messages().Get(i).FullName())
	}
	for i := range file.Enums().Len() {
		enum := file.Enums().Get(i)
		names = append(names, enum.FullName())
		for j := range enum.Values().Len() {
			names = append(names, enum.Values().Get(j).FullName())
		}
	}
	for i := range file.Extensions().Len() {
		names = append(names, file.Extensions().Get(i).FullName())
	}
	for i := range file.Services().Len() {
		names = append(names, file.Services().Get(i).FullName())
	}
	return names
}

// report turns what happened to files into problems.
func (b *builder) report() {
	for path, reason := range b.failed {
		b.problems = append(b.problems, newProblem(path, reason))
	}
	for path, files := range b.spared {
		reason := fmt.Sprintf("%s; %s could be built without it", b.absence(path), enumerate(files))
		b.problems = append(b.problems, newProblem(path, reason))
	}
}

// enumerate names the first of some files and counts the others.
func enumerate(files []string) string {
	if len(files) == 1 {
		return fmt.Sprintf("%q", files[0])
	}
	return fmt.Sprintf("%q and %d more", files[0], len(files)-1)
}
