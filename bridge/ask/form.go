package ask

import (
	"bytes"
	"encoding/json"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Field is one field of a form.
type Field struct {
	name     string
	required bool
	schema   []keyword // in the order in which they are written
}

// keyword is a keyword of JSON Schema and its value.
type keyword struct {
	name  string
	value any
}

// Setting says more of a field.
type Setting func(*Field)

// Form asks the user to fill in a form; never for secrets.
func Form(key, message string, fields ...Field) *bridgev1.InputRequest {
	return FormSchema(key, message, schemaOf(fields))
}

// FormSchema is [Form] with a form as JSON Schema, in the words of the MCP
// specification under "Elicitation".
func FormSchema(key, message, schema string) *bridgev1.InputRequest {
	return &bridgev1.InputRequest{Key: key, Request: &bridgev1.InputRequest_Form{
		Form: &bridgev1.FormElicitation{Message: message, RequestedSchema: schema},
	}}
}

// Bool is a field for yes or no.
func Bool(name string, settings ...Setting) Field { return field(name, "boolean", settings) }

// String is a field for a text.
func String(name string, settings ...Setting) Field { return field(name, "string", settings) }

// Integer is a field for a whole number.
func Integer(name string, settings ...Setting) Field { return field(name, "integer", settings) }

// Number is a field for a number.
func Number(name string, settings ...Setting) Field { return field(name, "number", settings) }

// Enum is a field for one of some texts.
func Enum(name string, values []string, settings ...Setting) Field {
	f := field(name, "string", nil)
	f.schema = append(f.schema, keyword{"enum", values})
	for _, set := range settings {
		set(&f)
	}
	return f
}

// Required says that the field has to be filled in.
func Required() Setting { return func(f *Field) { f.required = true } }

// Title is what the field is called.
func Title(text string) Setting { return with("title", text) }

// Description says what the field is for.
func Description(text string) Setting { return with("description", text) }

// Default is what the field holds at first, of the field's own type. Clients
// before 2025-11-25 know it of booleans alone.
func Default(value any) Setting { return with("default", value) }

// Format is that of a text: email, uri, date or date-time.
func Format(name string) Setting { return with("format", name) }

func with(name string, value any) Setting {
	return func(f *Field) { f.schema = append(f.schema, keyword{name, value}) }
}

func field(name, kind string, settings []Setting) Field {
	f := Field{name: name, schema: []keyword{{"type", kind}}}
	for _, set := range settings {
		set(&f)
	}
	return f
}

// schemaOf writes the schema of a form, in the order of its fields. A value that
// JSON does not have, such as NaN, is left out.
func schemaOf(fields []Field) string {
	properties, required := make([]keyword, len(fields)), []string{}
	for i, f := range fields {
		properties[i] = keyword{f.name, json.RawMessage(object(f.schema))}
		if f.required {
			required = append(required, f.name)
		}
	}
	root := []keyword{{"type", "object"}, {"properties", json.RawMessage(object(properties))}}
	if len(required) > 0 {
		root = append(root, keyword{"required", required})
	}
	return string(object(root))
}

// object writes a JSON object whose members keep their order.
func object(members []keyword) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range members {
		value, err := json.Marshal(m.value)
		if err != nil {
			continue
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
