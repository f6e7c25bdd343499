package annotation

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Numbers of google/api/visibility.proto: the extension of all messages of options, and of VisibilityRule.
const (
	extensionVisibility protowire.Number = 72295727
	ruleRestriction     protowire.Number = 2
)

// labelLimit is the longest list of labels, in characters, that a reason repeats.
const labelLimit = 80

// hidden looks at d itself, then at what d stands in, then at the type of a field.
func (r *Reader) hidden(d protoreflect.Descriptor) string {
	if labels := r.restriction(d); labels != "" {
		return fmt.Sprintf("google.api.visibility shows it only to %s, and no such label is allowed", labels)
	}
	if parent := d.Parent(); parent != nil && r.Hidden(parent) != "" {
		return r.behind(parent)
	}
	fd, ok := d.(protoreflect.FieldDescriptor)
	if !ok {
		return ""
	}
	if fd.IsMap() {
		fd = fd.MapValue()
	}
	switch {
	case fd.Message() != nil && r.Hidden(fd.Message()) != "":
		return r.behind(fd.Message())
	case fd.Enum() != nil && r.Hidden(fd.Enum()) != "":
		return r.behind(fd.Enum())
	}
	return ""
}

// behind says which other thing hides one: the outermost, whose labels are what counts.
func (r *Reader) behind(d protoreflect.Descriptor) string {
	for r.restriction(d) == "" && d.Parent() != nil {
		d = d.Parent()
	}
	return fmt.Sprintf("google.api.visibility shows %s only to %s, and no such label is allowed", d.FullName(), r.restriction(d))
}

// restriction returns the labels that d asks for, none of which is allowed; "" where one is, or d asks for none. Its rule is
// a list separated by commas (google/api/visibility.proto, VisibilityRule.restriction).
func (r *Reader) restriction(d protoreflect.Descriptor) string {
	rule := r.optionsOf(d).message(extensionVisibility).text(ruleRestriction)
	var asked []string
	for label := range strings.SplitSeq(rule, ",") {
		if label = strings.TrimSpace(label); label == "" {
			continue
		}
		if slices.Contains(r.labels, label) {
			return ""
		}
		asked = append(asked, label)
	}
	if len(asked) == 0 {
		return ""
	}
	if shown := Cut(Clean(strings.Join(asked, ", ")), labelLimit); shown != "" {
		return shown
	}
	return "labels that cannot be shown"
}
