package bridge

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// Report says what a bridge offers and what it left out. Its JSON form is what `bridge tools -o json` prints.
type Report struct {
	// Tools are the tools offered, sorted by name.
	Tools []ToolReport `json:"tools"`
	// Resources are the resources and resource templates offered, sorted by address.
	Resources []ResourceReport `json:"resources,omitempty"`
	// Prompts are the prompts offered, sorted by name.
	Prompts []PromptReport `json:"prompts,omitempty"`
	// Omitted is what is not offered, sorted by name: methods, services and descriptor files, the comments of an overlay
	// that cannot be used ("comments"), and Expose and Hide patterns that match nothing, which are misspelt as a rule.
	Omitted []Omission `json:"omitted"`
}

// ToolReport is one tool offered.
type ToolReport struct {
	// Method is the full name of the gRPC method, such as "library.v1.LibraryService.GetBook".
	Method string `json:"method"`
	// Backend is the name of the backend that serves it.
	Backend string `json:"backend"`
	// Definition is the tool as tools/list of revision 2026-07-28 shows it, in JSON.
	Definition json.RawMessage `json:"tool"`

	// Name is the tool's name, such as "library_get_book".
	Name string `json:"-"`
	// Title is the tool's title for people.
	Title string `json:"-"`
	// Description is what a model reads.
	Description string `json:"-"`
	// Required are the top-level arguments that a call must have, in schema order; nil for none.
	Required []string `json:"-"`
	// ReadOnly, Destructive and Idempotent are the hints; nil where the descriptor says nothing.
	ReadOnly, Destructive, Idempotent *bool `json:"-"`
	// InputBytes is the size of the input schema in bytes of JSON.
	InputBytes int `json:"-"`
}

// ResourceReport is one resource, or one resource template.
type ResourceReport struct {
	// Method is the full name of the gRPC method that reads it, Backend the name of the backend that serves it.
	Method  string `json:"method"`
	Backend string `json:"backend"`
	// Definition is the resource as resources/list of revision 2026-07-28 shows it, in JSON, or the template as
	// resources/templates/list does.
	Definition json.RawMessage `json:"resource"`

	// Address is the URI, or the URI template.
	Address string `json:"-"`
	// Watched says that clients can subscribe to changes.
	Watched bool `json:"-"`
}

// PromptReport is one prompt.
type PromptReport struct {
	// Method is the full name of the gRPC method that renders it, Backend the name of the backend that serves it.
	Method  string `json:"method"`
	Backend string `json:"backend"`
	// Definition is the prompt as prompts/list of revision 2026-07-28 shows it, in JSON.
	Definition json.RawMessage `json:"prompt"`

	// Name is the prompt's name.
	Name string `json:"-"`
	// Arguments are the names of its arguments.
	Arguments []string `json:"-"`
}

// Omission is something that is not offered, or a pattern that does nothing, and why.
type Omission struct {
	// Backend is the name of the backend it belongs to.
	Backend string `json:"backend"`
	// Method is the full name of the method or service, the path of the descriptor file, "comments", or the pattern.
	Method string `json:"method"`
	// Reason is a sentence that names the cause and, where there is one, the mend.
	Reason string `json:"reason"`
}

// newReport describes a catalog. The lists of tools and omissions are never nil, so that they marshal as arrays.
func newReport(c *catalog.Catalog) *Report {
	newest := lifecycle.AllFeatures()[0]
	r := &Report{Tools: []ToolReport{}, Omitted: []Omission{}}
	for _, t := range c.Tools() {
		r.Tools = append(r.Tools, newToolReport(t, newest))
	}
	for _, o := range c.Resources() {
		r.Resources = append(r.Resources, newResourceReport(o.Reading, o.Definition.URI, o.Definition.AppendJSON(nil, newest)))
	}
	for _, o := range c.ResourceTemplates() {
		r.Resources = append(r.Resources, newResourceReport(o.Reading, o.Definition.URITemplate, o.Definition.AppendJSON(nil, newest)))
	}
	slices.SortStableFunc(r.Resources, func(a, b ResourceReport) int { return strings.Compare(a.Address, b.Address) })
	for _, p := range c.Prompts() {
		r.Prompts = append(r.Prompts, newPromptReport(p, newest))
	}
	for _, o := range c.Omitted() {
		r.Omitted = append(r.Omitted, Omission{Backend: o.Backend, Method: o.Method, Reason: o.Reason})
	}
	return r
}

func newToolReport(t *catalog.Tool, newest mcp.Features) ToolReport {
	return ToolReport{
		Method:      string(t.Method.FullName()),
		Backend:     t.Backend.Name(),
		Definition:  t.Definition.AppendJSON(nil, newest),
		Name:        t.Definition.Name,
		Title:       t.Definition.Title,
		Description: t.Definition.Description,
		Required:    t.Required,
		ReadOnly:    t.Definition.Hints.ReadOnly,
		Destructive: t.Definition.Hints.Destructive,
		Idempotent:  t.Definition.Hints.Idempotent,
		InputBytes:  len(t.Definition.InputSchema),
	}
}

func newResourceReport(r *catalog.Reading, address string, definition []byte) ResourceReport {
	return ResourceReport{
		Method:     string(r.Method.FullName()),
		Backend:    r.Backend.Name(),
		Definition: definition,
		Address:    address,
		Watched:    r.Watch != nil,
	}
}

func newPromptReport(p *catalog.Prompt, newest mcp.Features) PromptReport {
	r := PromptReport{
		Method:     string(p.Method.FullName()),
		Backend:    p.Backend.Name(),
		Definition: p.Definition.AppendJSON(nil, newest),
		Name:       p.Definition.Name,
	}
	for _, a := range p.Definition.Arguments {
		r.Arguments = append(r.Arguments, a.Name)
	}
	return r
}
