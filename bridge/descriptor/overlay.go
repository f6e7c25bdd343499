package descriptor

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// TextName is the [Problem].Name of what went wrong with the text of an [Overlay]: "comments".
const TextName = "comments"

// Overlay returns the Source that takes everything from base and comments from text: for reflection, which as a rule
// has none, a descriptor set with source info or the .proto sources. Declarations are matched by full name, so the two
// may be laid out in other files or be of somewhat different versions; what text does not know keeps the comments that
// base has.
//
// Loading fails when base does or when ctx ends. A text that cannot be loaded, has problems of its own or says nothing
// about base is a [Problem]; one that cannot be loaded any more is also what [Set.Lost] tells.
func Overlay(base, text Source) Source {
	return loader(func(ctx context.Context) (*Set, error) {
		set, err := base.Load(ctx)
		if err != nil {
			return nil, err
		}
		comments, err := text.Load(ctx)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("loading comments: %w", context.Cause(ctx))
		}
		if err != nil {
			return uncommented(set, err), nil
		}
		return annotate(set, comments)
	})
}

// uncommented returns the set with one problem more: why there is no text.
func uncommented(set *Set, err error) *Set {
	bare := *set
	bare.problems = sortedProblems(append(set.Problems(), newProblem(TextName, "not loaded: "+err.Error())))
	bare.mute = true
	bare.digest = bare.fingerprint()
	return &bare
}

// annotate rebuilds a set with the comments of another.
func annotate(set, comments *Set) (*Set, error) {
	m := material{services: set.serviceNames(), problems: set.Problems()}
	matched, shared := 0, 0
	for _, path := range slices.Sorted(maps.Keys(set.sealed)) {
		a, err := newAnnotator(set, comments, path)
		if err != nil {
			return nil, err
		}
		d, err := a.annotate()
		if err != nil {
			return nil, err
		}
		m.drafts = append(m.drafts, d)
		if !isStandard(path) { // everybody has those, whatever the API
			matched, shared = matched+a.matched, shared+a.shared
		}
	}
	for _, problem := range comments.problems {
		m.problems = append(m.problems, newProblem(TextName, fmt.Sprintf("%s: %s", problem.Name, problem.Reason)))
	}
	if matched == 0 {
		m.problems = append(m.problems, newProblem(TextName, unmatched(shared)))
	}
	annotated, err := build(m, unlimited())
	if err != nil {
		return nil, err
	}
	annotated.listed, annotated.mute = set.listed, set.mute
	return annotated, nil
}

// unmatched says why no comment could be laid, by the number of declarations that the text has too.
func unmatched(shared int) string {
	if shared == 0 {
		return "no comment belongs to anything here: the text declares nothing that is declared here; was it made from this API?"
	}
	return "no comment belongs to anything here: was the text built with its source info (protoc --include_source_info; buf includes it)?"
}

// annotator lays comments over one file.
type annotator struct {
	draft    *draft
	file     protoreflect.FileDescriptor
	comments *Set
	at       map[string]*descriptorpb.SourceCodeInfo_Location // of the new info, by path
	info     *descriptorpb.SourceCodeInfo
	shared   int // declarations that the text has too
	matched  int // those of them, and headers, that it has comments on
}

func newAnnotator(set, comments *Set, path string) (*annotator, error) {
	file, err := set.files.FindFileByPath(path)
	if err != nil {
		return nil, fmt.Errorf("overlay: %w", err)
	}
	d, err := set.sealed[path].open()
	if err != nil {
		return nil, fmt.Errorf("overlay: %q: %w", path, err)
	}
	a := &annotator{draft: d, file: file, comments: comments}
	a.info = &descriptorpb.SourceCodeInfo{}
	if own := a.draft.proto.GetSourceCodeInfo(); own != nil {
		a.info = proto.CloneOf(own)
	}
	a.at = make(map[string]*descriptorpb.SourceCodeInfo_Location, len(a.info.GetLocation()))
	for _, location := range a.info.GetLocation() {
		if key := protoreflect.SourcePath(location.GetPath()).String(); a.at[key] == nil {
			a.at[key] = location
		}
	}
	return a, nil
}

// annotate returns the file with the comments that were found. Paths are the file's own, whatever they are in the text.
func (a *annotator) annotate() (*draft, error) {
	a.header()
	walk(a.file, func(d protoreflect.Descriptor, path protoreflect.SourcePath) {
		same, err := a.comments.files.FindDescriptorByName(d.FullName())
		if err != nil {
			return
		}
		a.shared++
		a.lay(path, same.ParentFile().SourceLocations().ByDescriptor(same))
	})
	if a.matched == 0 {
		return a.draft, nil
	}
	file := proto.CloneOf(a.draft.proto)
	file.SourceCodeInfo = a.info
	return finish(file, a.draft.imported)
}

// header takes what stands above the syntax, edition and package statements of a file of the same path.
func (a *annotator) header() {
	same, err := a.comments.files.FindFileByPath(a.file.Path())
	if err != nil {
		return
	}
	for _, field := range []int32{filePackage, fileSyntax, fileEdition} {
		path := protoreflect.SourcePath{field}
		a.lay(path, same.SourceLocations().ByPath(path))
	}
}

// lay puts the comments of a location at a path. The span stays the file's own where it has one.
func (a *annotator) lay(path protoreflect.SourcePath, from protoreflect.SourceLocation) {
	if from.LeadingComments == "" && from.TrailingComments == "" && len(from.LeadingDetachedComments) == 0 {
		return
	}
	a.matched++
	key := path.String()
	location := a.at[key]
	if location == nil {
		location = &descriptorpb.SourceCodeInfo_Location{
			Path: slices.Clone(path),
			Span: []int32{int32(from.StartLine), int32(from.StartColumn), int32(from.EndLine), int32(from.EndColumn)},
		}
		a.at[key] = location
		a.info.Location = append(a.info.Location, location)
	}
	location.LeadingDetachedComments = slices.Clone(from.LeadingDetachedComments)
	if from.LeadingComments == "" && from.TrailingComments == "" {
		return // what stands apart from a declaration does not take the place of its own comment
	}
	location.LeadingComments = optional(from.LeadingComments)
	location.TrailingComments = optional(from.TrailingComments)
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
