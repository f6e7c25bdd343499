package annotation

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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

// hidden looks at d itself, then at what d stands in, then at the types that a field or a method has.
func (r *Reader) hidden(d protoreflect.Descriptor) string {
	if fd, ok := d.(protoreflect.FieldDescriptor); ok && HoldsResponses(fd) {
		return "it holds answers of the client's user, which the bridge alone gives"
	}
	if reason := r.restricted(d, "it"); reason != "" {
		return reason
	}
	if parent := d.Parent(); parent != nil && r.Hidden(parent) != "" {
		return r.behind(parent)
	}
	for _, used := range typesOf(d) {
		if r.Hidden(used) != "" {
			return r.behind(used)
		}
	}
	return ""
}

// typesOf returns the message or the enum of a field's values, or what a method takes and returns.
func typesOf(d protoreflect.Descriptor) []protoreflect.Descriptor {
	switch d := d.(type) {
	case protoreflect.MethodDescriptor:
		return []protoreflect.Descriptor{d.Input(), d.Output()}
	case protoreflect.FieldDescriptor:
		if d.IsMap() {
			d = d.MapValue()
		}
		switch {
		case d.Message() != nil:
			return []protoreflect.Descriptor{d.Message()}
		case d.Enum() != nil:
			return []protoreflect.Descriptor{d.Enum()}
		}
	}
	return nil
}

// behind says which other thing hides one: that around it whose labels are what counts.
func (r *Reader) behind(d protoreflect.Descriptor) string {
	for r.restricted(d, "it") == "" && d.Parent() != nil {
		d = d.Parent()
	}
	return r.restricted(d, string(d.FullName()))
}

// restricted says why d, which the sentence calls what, may not be seen by its own option. An option that cannot be read may
// ask for any label, and hides from everybody.
func (r *Reader) restricted(d protoreflect.Descriptor, what string) string {
	rule, sound := restriction(r.optionsOf(d))
	if !sound {
		return fmt.Sprintf("google.api.visibility may hide %s and cannot be read; compile it with Google's own google/api/visibility.proto", what)
	}
	if labels := r.unmet(rule); labels != "" {
		return fmt.Sprintf("google.api.visibility shows %s only to %s, and no such label is allowed; name one in the visibility of its backend",
			what, labels)
	}
	return ""
}

// restriction returns the rule of d's options, "" for none, and whether it can be read: each occurrence has to be a message,
// and the labels in it text.
func restriction(options record) (rule string, sound bool) {
	for _, v := range options.all(extensionVisibility) {
		if v.bytes == nil || !record(v.bytes).whole() {
			return "", false
		}
		for _, labels := range record(v.bytes).all(ruleRestriction) {
			if labels.bytes == nil || !utf8.Valid(labels.bytes) {
				return "", false
			}
		}
	}
	return options.message(extensionVisibility).text(ruleRestriction), true
}

// unmet returns the labels that a rule asks for, none of which is allowed; "" where one is, or it asks for none. A rule is a
// list separated by commas (google/api/visibility.proto, VisibilityRule.restriction).
func (r *Reader) unmet(rule string) string {
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
