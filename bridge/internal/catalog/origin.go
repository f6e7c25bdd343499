package catalog

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/rules"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// origin is a copy of a source with what its methods share while they are compiled, all of it safe for concurrent use.
type origin struct {
	*Source

	reader    *annotation.Reader
	generator *schema.Generator
	rules     *rules.Set // nil where requests are not to be checked
	annotated bool       // some field has a header
	// restricted says that a field is to be seen by others alone. It outlives the making of the catalog, and must not keep the
	// rest.
	restricted func(protoreflect.FieldDescriptor) bool
}

func newOrigin(source *Source) *origin {
	reader := annotation.NewReader(source.Set.Files(), source.Visibility...)
	own := *source
	own.Codec.HideValue = func(v protoreflect.EnumValueDescriptor) bool { return reader.Hidden(v) != "" }
	o := &origin{
		Source:    &own,
		reader:    reader,
		generator: schema.New(reader, source.Profile),
		annotated: hasHeaders(source.Set),
		restricted: func(fd protoreflect.FieldDescriptor) bool {
			return reader.Hidden(fd) != ""
		},
	}
	if !source.SkipRules {
		o.rules = rules.NewSet()
		o.rules.Hide, o.rules.HideValue = o.restricted, own.Codec.HideValue
	}
	return o
}

// checker returns what checks the requests of a type, nil for nothing.
func (o *origin) checker(request protoreflect.MessageDescriptor) *rules.Checker {
	if o.rules == nil {
		return nil
	}
	return o.rules.Checker(request)
}

// hasHeaders says whether any field of a set has the option that makes it a header, or one that cannot be read, so that
// schemas are searched for them only where there are some.
func hasHeaders(set *descriptor.Set) bool {
	found := false
	set.Files().RangeFiles(func(file protoreflect.FileDescriptor) bool {
		found = anyHeader(file.Messages())
		return !found
	})
	return found
}

func anyHeader(messages protoreflect.MessageDescriptors) bool {
	for i := range messages.Len() {
		md := messages.Get(i)
		for j := range md.Fields().Len() {
			if isHeader(md.Fields().Get(j)) {
				return true
			}
		}
		if anyHeader(md.Messages()) {
			return true
		}
	}
	return false
}

// isHeader is about one field. Most have no options at all.
func isHeader(fd protoreflect.FieldDescriptor) bool {
	if options := fd.Options(); options == nil || !options.ProtoReflect().IsValid() {
		return false
	}
	return annotation.FieldOptions(fd).GetHeader() != "" || annotation.FlawsOf(fd).Ignored != nil
}
