package annotation

import (
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// TitleLimit is the longest title, in characters, that is taken from a comment.
const TitleLimit = 60

// Method is what a method's descriptor says about the method.
type Method struct {
	// Title is the comment's first sentence without its full stop when that is complete and at most [TitleLimit] characters
	// long, else the method's name in words ("Get book"). Never empty.
	Title string
	// Description is the cleaned comment, of any length, "" when there is none.
	Description string
	// Hints are the effects that the descriptor declares.
	Hints Hints
	// Deprecated is set by the option on the method, its service or its file.
	Deprecated bool
}

// OfMethod reads md. It never fails: what cannot be read counts as not said.
func OfMethod(md protoreflect.MethodDescriptor) Method {
	description := Comment(md)
	return Method{
		Title:       title(description, string(md.Name())),
		Description: description,
		Hints:       hints(md),
		Deprecated:  methodDeprecated(md),
	}
}

func title(description, name string) string {
	sentence := strings.TrimRight(Sentence(description), ".!")
	if sentence != "" && !strings.HasSuffix(sentence, "…") && utf8.RuneCountInString(sentence) <= TitleLimit {
		return sentence
	}
	return Humanise(name)
}

func methodDeprecated(md protoreflect.MethodDescriptor) bool {
	if o, ok := md.Options().(*descriptorpb.MethodOptions); ok && o.GetDeprecated() {
		return true
	}
	service := md.Parent()
	if o, ok := service.Options().(*descriptorpb.ServiceOptions); ok && o.GetDeprecated() {
		return true
	}
	o, ok := service.ParentFile().Options().(*descriptorpb.FileOptions)
	return ok && o.GetDeprecated()
}
