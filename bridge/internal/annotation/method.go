package annotation

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// TitleLimit is the longest title, in characters, that a method gets.
const TitleLimit = 60

// Method is what a method's descriptor says about the method.
type Method struct {
	// Title is the summary of openapiv2 or gnostic, cut to [TitleLimit] characters; else the description's first sentence
	// without its full stop when that is complete and no longer than that; else the method's name in words ("Get book").
	// Never empty, one line.
	Title string
	// Description is the text of openapiv2 or gnostic, else the cleaned comment, of any length; where there is neither, the
	// summary. "" when there is nothing.
	Description string
	// Hints are the effects that the descriptor declares.
	Hints Hints
	// Deprecated is set by the option on the method, its service or its file.
	Deprecated bool
}

func methodOf(md protoreflect.MethodDescriptor, options record) Method {
	t := operationText(options)
	description := cmp.Or(t.or(md), t.title)
	return Method{
		Title:       cmp.Or(summarised(t.title), title(description, string(md.Name()))),
		Description: description,
		Hints:       hints(md, options),
		Deprecated:  methodDeprecated(md),
	}
}

// summarised makes a title of a summary.
func summarised(summary string) string { return strings.TrimRight(Cut(summary, TitleLimit), ".!") }

func title(description, name string) string {
	sentence := strings.TrimRight(Sentence(description), ".!")
	if sentence != "" && !strings.HasSuffix(sentence, "…") && utf8.RuneCountInString(sentence) <= TitleLimit {
		return sentence
	}
	return Humanise(name)
}

func methodDeprecated(md protoreflect.MethodDescriptor) bool {
	m, _ := md.Options().(*descriptorpb.MethodOptions)
	s, _ := md.Parent().Options().(*descriptorpb.ServiceOptions)
	return m.GetDeprecated() || s.GetDeprecated() || fileDeprecated(md)
}

func fileDeprecated(d protoreflect.Descriptor) bool {
	file := d.ParentFile()
	if file == nil {
		return false
	}
	o, _ := file.Options().(*descriptorpb.FileOptions)
	return o.GetDeprecated()
}
