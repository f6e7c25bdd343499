package lint

import (
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
func Tool(s Subject) []Finding { return nil }

// Errors is [Tool] without warnings, which take longer.
func Errors(s Subject) []Finding { return nil }

// Listing looks at all the tools of a list together: how many there are, and which names clients cannot tell apart. In the
// result, findings that concern one tool stand under its name, those on the list as a whole under "".
func Listing(tools []*mcp.Tool) map[string][]Finding { return nil }
