package annotation

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The extensions of protoc-gen-openapiv2/options/annotations.proto and of openapiv3/annotations.proto (gnostic), each the
// same in all messages of options.
const (
	extensionOpenAPI protowire.Number = 1042
	extensionGnostic protowire.Number = 1143
)

// Numbers of Operation, which both have alike, of openapiv2's Schema, JSONSchema and EnumSchema, and of gnostic's Schema.
const (
	operationSummary     = 2
	operationDescription = 3

	openAPISchema          = 1
	openAPITitle           = 5
	openAPIDescription     = 6
	openAPIEnumDescription = 1

	gnosticTitle       = 9
	gnosticDescription = 34
)

// documentation is text that an option gives, cleaned; a title is one line. openapiv2 counts more than gnostic, part by part.
type documentation struct{ title, description string }

// or returns the description, else d's comment.
func (t *documentation) or(d protoreflect.Descriptor) string {
	if t.description != "" {
		return t.description
	}
	return Comment(d)
}

// operationText is that of a method, its summary as the title.
func operationText(options record) documentation {
	var t documentation
	t.take(options.message(extensionOpenAPI), operationSummary, operationDescription)
	t.take(options.message(extensionGnostic), operationSummary, operationDescription)
	return t
}

// schemaText is that of a message.
func schemaText(options record) documentation {
	var t documentation
	t.take(options.message(extensionOpenAPI).message(openAPISchema), openAPITitle, openAPIDescription)
	t.take(options.message(extensionGnostic), gnosticTitle, gnosticDescription)
	return t
}

// propertyText is that of a field.
func propertyText(options record) documentation {
	var t documentation
	t.take(options.message(extensionOpenAPI), openAPITitle, openAPIDescription)
	t.take(options.message(extensionGnostic), gnosticTitle, gnosticDescription)
	return t
}

// enumText is that of an enum; gnostic has none.
func enumText(options record) documentation {
	return documentation{description: Clean(options.message(extensionOpenAPI).prose(openAPIEnumDescription))}
}

// take fills what is empty so far.
func (t *documentation) take(from record, title, description protowire.Number) {
	if len(from) == 0 {
		return
	}
	if t.title == "" {
		t.title, _, _ = strings.Cut(Clean(from.prose(title)), "\n")
	}
	if t.description == "" {
		t.description = Clean(from.prose(description))
	}
}
