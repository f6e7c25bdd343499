package config

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// patterns says in words what the regular expressions of the rules, and those of [Check], demand, by the last two names of a
// field's path.
var patterns = map[string]string{
	"backends.name":            `must be a lower-case letter, then at most 62 of a-z, 0-9, "_" and "-"`,
	"backends.expose":          `must be a glob of full method names, such as library.v1.*`,
	"backends.hide":            `must be a glob of full method names, such as *.Delete*`,
	"retry.idempotent":         `must be a glob of full method names, such as library.v1.LibraryService.UpdateBook`,
	"backends.tools":           `must be the full name of a method, such as library.v1.LibraryService.GetBook`,
	"backends.visibility":      `must be one label, such as PREVIEW`,
	"tools.name":               `must be a letter or "_", then at most 63 of A-Z, a-z, 0-9, "_" and "-", such as get_book`,
	"headers.name":             `must have only a-z, 0-9, "-", "_" and ".", such as authorization`,
	"secret.env":               `must be the name of an environment variable, such as LIBRARY_TOKEN`,
	"server.listen":            `must be host:port, such as ` + DefaultListen,
	"admin.listen":             `must be host:port, such as ` + DefaultAdminListen,
	"otlp.endpoint":            `must be a URL with http:// or https://, such as http://localhost:4317`,
	"forward_headers.header":   `must have only letters, digits, "-", "_" and ".", such as X-Request-Id`,
	"forward_headers.metadata": `must have only a-z, 0-9, "-", "_" and ".", such as x-request-id`,
	"server.allow_origins":     `must be scheme://host, such as https://app.example.com`,
}

// rules says in words what the standard rules demand that are used without a message of their own.
var rules = map[string]string{
	"repeated.min_items": "at least one is needed",
	"string.min_len":     "must not be empty",
	"enum.defined_only":  "is no known value",
}

// mayBeSecret are the fields into which a secret may have come by mistake; their values are not repeated.
var mayBeSecret = map[string]bool{"secret.env": true, "otlp.endpoint": true}

// index is what stands behind the name of a list or a map in a path.
var index = regexp.MustCompile(`\[(?:\d+|"(?:[^"\\]|\\.)*")\]`)

// between is what the rules say of a number with two bounds.
var between = regexp.MustCompile(`^must be greater than or equal to (\S+) and less than or equal to (\S+)$`)

// atLeast is what the rules say of a duration with one.
var atLeast = regexp.MustCompile(`^must be greater than or equal to (\S+s)$`)

// within says which numbers a field may have. An integer that does not tell 0 from none has a default for it.
func within(least, most string, field protoreflect.FieldDescriptor) string {
	if least == "0" && !field.HasPresence() && field.Kind() != protoreflect.DoubleKind {
		return fmt.Sprintf("must be from 1 to %s, or 0 for the default", most)
	}
	return fmt.Sprintf("must be from %s to %s", least, most)
}

// inWords describes a violated rule for people.
func inWords(v *protovalidate.Violation) Fault {
	fault := Fault{Path: protovalidate.FieldPathString(v.Proto.GetField()), Message: v.Proto.GetMessage()}
	names := strings.Split(fault.Field(), ".")
	field := strings.Join(names[max(len(names)-2, 0):], ".")
	rule := v.Proto.GetRuleId()
	if words, ok := rules[rule]; ok {
		fault.Message = words
	}
	if span := atLeast.FindStringSubmatch(fault.Message); span != nil {
		if d, err := time.ParseDuration(span[1]); err == nil {
			fault.Message = fmt.Sprintf("must be %v or more", d)
		}
	}
	if span := between.FindStringSubmatch(fault.Message); span != nil {
		fault.Message = within(span[1], span[2], v.FieldDescriptor)
	}
	switch field { // oneofs of which one member must be set
	case "headers.value":
		fault.Message = "set literal or secret"
	case "secret.source", "state_key.source", "old_state_keys.source":
		fault.Message = "set env or file"
	}
	if words, ok := patterns[field]; ok && rule == "string.pattern" {
		fault.Message = fmt.Sprintf("%q %s", v.FieldValue.String(), words)
		if mayBeSecret[field] {
			fault.Message = words
		}
	}
	return fault
}
