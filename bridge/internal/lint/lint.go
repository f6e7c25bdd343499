package lint

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// Severity says how much a finding weighs.
type Severity uint8

const (
	// Warning is what makes a tool worse for a model, and withholds nothing.
	Warning Severity = iota
	// Error is what some client or model provider refuses: the tool is withheld.
	Error
)

// String returns "warning" or "error".
func (s Severity) String() string {
	if s == Error {
		return "error"
	}
	return "warning"
}

// Finding is one thing that is wrong.
type Finding struct {
	Severity Severity
	// Rule is the stable name of what was looked for, in kebab case: "array-without-items".
	Rule string
	// Where is the place in the tool: "name", "description", "inputSchema.properties.book"; "" for the tool as a whole.
	Where string
	// Reason says what is wrong, Mend what to do about it; sentences without a full stop.
	Reason, Mend string
}

// Subject is a tool, finished, with what is known of it.
type Subject struct {
	Tool   *mcp.Tool
	Method protoreflect.MethodDescriptor
	// Reader is that of the method's set.
	Reader *annotation.Reader
	// Portable says that the schemas keep to the portable profile; RawInput that the input schema is an override, which only
	// has to compile.
	Portable, RawInput bool
	// Cuts are what the schemas leave out, in words.
	Cuts []string
}

// Tool looks at one tool. Errors are found first.
func Tool(s Subject) []Finding {
	f := findings(Errors(s))
	f.name(s.Tool.Name, string(s.Method.Name()))
	f.arguments(&s)
	f.unlisted(&s)
	f.description(&s)
	f.effects(&s)
	f.result(&s)
	f.secrets(&s)
	f.interaction(&s)
	if s.RawInput {
		f.raw(s.Tool.InputSchema)
	}
	return f
}

// Errors is [Tool] without warnings, which take longer.
func Errors(s Subject) []Finding {
	var f findings
	if !IsName(s.Tool.Name) {
		f.add(nameRefused, "name", "give it another one, by bridge.v1 or the configuration",
			"%q is no name of 1 to 64 letters, digits, _ and - that begins with a letter or _: providers refuse it, with all other tools",
			s.Tool.Name)
	}
	f.texts(s.Tool, s.Portable)
	input, header := inputDialect(&s), s.Tool.HeaderSchema
	if header == nil {
		header = s.Tool.InputSchema
	}
	f.schema("inputSchema", header, input)
	if s.Tool.OutputSchema != nil {
		f.schema("outputSchema", s.Tool.OutputSchema, outputDialect(&s))
	}
	return f
}

// IsName says whether a name is one that all clients and model providers take for a tool: ^[A-Za-z_][A-Za-z0-9_-]{0,63}$. MCP
// has dots too (2025-11-25 server/tools, "Tool Names"), but Anthropic and OpenAI refuse them, with all other tools of the list, and
// Gemini a name that begins otherwise.
func IsName(name string) bool {
	return len(name) <= 64 && isKey(name) && !isDigit(name[0]) && name[0] != '-' && !strings.Contains(name, ".")
}

// isKey says whether text is one or more letters, digits, _, - and dots.
func isKey[T string | []byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; !isWord(c) && c != '-' && c != '.' {
			return false
		}
	}
	return len(text) > 0
}

// isWord says whether a byte is one of [A-Za-z0-9_].
func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
