package catalog

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// MetaMethod is the key in the _meta of a tool, a resource, a template or a prompt under which the full name of its gRPC
// method stands.
const MetaMethod = "io.github.mcpgrpc.bridge/method"

// The longest texts, in characters. A description of maxDescription is what no client cuts.
const (
	maxDescription = 1024
	maxTitle       = 128
)

// tool makes the tool.
func (m *maker) tool() *Tool {
	t := &Tool{
		Definition: mcp.Tool{
			Title:       m.title(m.own.GetTitle(), m.by((*bridgev1.Tool).GetTitle)),
			Description: m.toolDescription(),
			Hints: mcp.Hints{
				ReadOnly:    m.said.Hints.ReadOnly,
				Destructive: m.said.Hints.Destructive,
				Idempotent:  m.said.Hints.Idempotent,
			},
			Meta: meta(m.method),
		},
		Method:               m.method,
		Backend:              m.source.Backend,
		Codec:                m.codec,
		Stream:               m.stream(),
		streamed:             m.streamed(),
		Responses:            responsesField(m.method.Input()),
		Task:                 m.task(),
		Operation:            isOperation(m.method),
		Required:             m.required(),
		Narrowing:            m.narrowing(),
		Output:               m.output,
		RequiredCapabilities: m.options.GetRequiredCapabilities(),
		ReloadAfter:          m.options.GetReloadAfter(),
		CloseStreamAfter:     m.closeStreamAfter(),
		Rules:                m.checker,
	}
	m.override(&t.Definition.Hints, m.options.GetTool().GetHints())
	m.override(&t.Definition.Hints, m.configured.GetHints())
	raw := m.input(t)
	if !m.output.Only() && !m.source.NoOutput {
		out := m.results(t.Stream)
		t.Definition.OutputSchema = out.JSON
		t.cut("outputSchema: ", out.Cuts)
	}
	t.Subject = lint.Subject{
		Tool: &t.Definition, Method: m.method, Reader: m.source.reader,
		Portable: m.source.Profile == schema.Portable, RawInput: raw, Cuts: t.Cuts,
	}
	return t
}

// input gives a tool its input schema, and says whether that is one that was given as it is.
func (m *maker) input(t *Tool) (raw bool) {
	given, params := m.rawSchema(m.own.GetInputSchema())
	if given != nil {
		t.Definition.InputSchema, t.HeaderParams = given, params
		return true
	}
	generator, request := m.source.generator, m.method.Input()
	if m.method.IsStreamingClient() {
		made := generator.InputStream(request)
		t.Definition.InputSchema = made.JSON
		t.cut("inputSchema: ", made.Cuts)
		if m.source.annotated {
			m.faults = append(m.faults, generator.StreamHeaders(request)...)
		}
		return false
	}
	made := generator.Input(request)
	t.Definition.InputSchema = made.JSON
	t.cut("inputSchema: ", made.Cuts)
	if m.source.annotated {
		annotated, params, faults := generator.Headers(request, made.JSON)
		t.Definition.HeaderSchema, t.HeaderParams = annotated, params
		m.faults = append(m.faults, faults...)
	}
	return false
}

// cut notes what a schema leaves out.
func (t *Tool) cut(schema string, cuts []string) {
	for _, c := range cuts {
		t.Cuts = append(t.Cuts, schema+c)
	}
}

// toolDescription is the given one, else that of the method, else made from names.
func (m *maker) toolDescription() string {
	given := m.text("description of the tool", m.own.GetDescription(), maxDescription, m.by((*bridgev1.Tool).GetDescription))
	return cmp.Or(given, m.describedStream())
}

// override replaces the hints that an option or the configuration gives. What changes nothing destroys nothing (2025-03-26,
// ToolAnnotations): of these two, what is given stands above what was said before, and read_only above destructive.
func (m *maker) override(hints *mcp.Hints, own *bridgev1.Hints) {
	if own == nil {
		return
	}
	hints.ReadOnly = cmp.Or(own.ReadOnly, hints.ReadOnly)
	hints.Destructive = cmp.Or(own.Destructive, hints.Destructive)
	hints.Idempotent = cmp.Or(own.Idempotent, hints.Idempotent)
	hints.OpenWorld = cmp.Or(own.OpenWorld, hints.OpenWorld)
	if !isTrue(hints.ReadOnly) || !isTrue(hints.Destructive) {
		return
	}
	if own.ReadOnly == nil {
		hints.ReadOnly = new(false)
		return
	}
	hints.Destructive = new(false)
	if own.Destructive != nil {
		m.faultf("hints.destructive is not followed: by hints.read_only the tool changes nothing; set one of the two alone")
	}
}

func isTrue(hint *bool) bool { return hint != nil && *hint }

// title is the given one, else that of the method, unless it only says that the method is deprecated: then the method's name
// in words.
func (m *maker) title(given string, by authority) string {
	said := m.said.Title
	if isNotice(said) {
		said = annotation.Humanise(string(m.method.Name()))
	}
	return cmp.Or(strings.Join(strings.Fields(m.text("title", given, maxTitle, by)), " "), said)
}

// isNotice says whether a sentence tells that the method is deprecated and not what it does: "Deprecated", "Deprecated: use
// GetBook instead".
func isNotice(sentence string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(sentence), "deprecated")
	return ok && (rest == "" || strings.ContainsRune(".:;,!", rune(rest[0])))
}

// text cleans a text that is given, as comments are cleaned. One that is too long is cut, and that is told.
func (m *maker) text(what, given string, limit int, by authority) string {
	clean := annotation.Clean(given)
	short := annotation.Cut(clean, limit)
	if short != clean {
		m.faultf("the %s is cut: that of %s has more than %d characters", what, by.of(), limit)
	}
	return short
}

// closeStreamAfter reads the option of that name.
func (m *maker) closeStreamAfter() time.Duration {
	given := m.options.GetCloseStreamAfter()
	if given == nil {
		return 0
	}
	if d := given.AsDuration(); given.IsValid() && d >= time.Millisecond {
		return d
	}
	m.faultf("close_stream_after is ignored: it must be a valid duration of at least 1 ms")
	return 0
}

func meta(method protoreflect.MethodDescriptor) []byte {
	m := append([]byte{'{'}, `"`+MetaMethod+`":`...)
	m, _ = jsontext.AppendQuote(m, string(method.FullName())) // a full name is ASCII
	return append(m, '}')
}

// deprecation stands before the description of what is deprecated.
const deprecation = "Deprecated. "

// described is the method's comment, else, and where the comment only says that the method is deprecated, a text made from
// names: a tool without description is no use to a model.
func described(said annotation.Method, otherwise string) string {
	text, deprecated := said.Description, said.Deprecated
	if strings.EqualFold(strings.TrimRight(text, ".! "), "deprecated") {
		text, deprecated = "", true
	}
	text = cmp.Or(text, otherwise)
	if deprecated && !strings.HasPrefix(strings.ToLower(text), "deprecated") {
		text = deprecation + text
	}
	return annotation.Cut(text, maxDescription)
}

// calls tells of the method by its names.
func (m *maker) calls() string {
	return fmt.Sprintf("Calls %s. Takes %s. Returns %s.", m.method.FullName(), m.takes(), m.returns())
}

// maxListed is how many arguments a description made from names lists.
const maxListed = 12

// takesWhole says of requests that have no fields of their own in JSON what they take. What is no object in JSON is an argument
// of the name that [shape.InputWrapper] gives it.
var takesWhole = map[shape.Kind]string{
	shape.Timestamp: "value (an RFC 3339 time)",
	shape.Duration:  `value (seconds, such as "1.5s")`,
	shape.FieldMask: "value (paths of fields, with commas between them)",
	shape.Wrapper:   "value",
	shape.Struct:    "any JSON object",
	shape.Value:     "value (any JSON)",
	shape.ListValue: "value (any JSON array)",
	shape.Any:       "a message of any type, named by its type URL",
}

func takes(method protoreflect.MethodDescriptor, arguments []argument) string {
	if whole := takesWhole[shape.KindOf(method.Input())]; whole != "" {
		return whole
	}
	if len(arguments) == 0 {
		return "no arguments"
	}
	var names []string
	for _, a := range arguments[:min(len(arguments), maxListed)] {
		name := a.Name
		if a.required {
			name += " (required)"
		}
		names = append(names, name)
	}
	list := strings.Join(names, ", ")
	if more := len(arguments) - maxListed; more > 0 {
		list = fmt.Sprintf("%s and %d more", list, more)
	}
	return list
}

func returns(method protoreflect.MethodDescriptor) string {
	if shape.KindOf(method.Output()) == shape.Empty {
		return "nothing"
	}
	return string(method.Output().Name())
}
