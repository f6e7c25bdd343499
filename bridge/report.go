package bridge

import (
	"encoding/json"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
)

// Report says what a bridge offers and what it left out. Its JSON form is what `bridge tools -o json` prints.
type Report struct {
	// Tools are the tools offered, sorted by name.
	Tools []ToolReport `json:"tools"`
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

// Omission is something that is not offered, or a pattern that does nothing, and why.
type Omission struct {
	// Backend is the name of the backend it belongs to.
	Backend string `json:"backend"`
	// Method is the full name of the method or service, the path of the descriptor file, "comments", or the pattern.
	Method string `json:"method"`
	// Reason is a sentence that names the cause and, where there is one, the mend.
	Reason string `json:"reason"`
}

// newReport describes a catalog. Both lists are never nil, so that they marshal as arrays.
func newReport(c *catalog.Catalog) *Report {
	features := lifecycle.AllFeatures()[0] // newest first
	r := &Report{Tools: []ToolReport{}, Omitted: []Omission{}}
	for _, t := range c.Tools() {
		r.Tools = append(r.Tools, ToolReport{
			Method:      string(t.Method.FullName()),
			Backend:     t.Backend.Name(),
			Definition:  t.Definition.AppendJSON(nil, features),
			Name:        t.Definition.Name,
			Title:       t.Definition.Title,
			Description: t.Definition.Description,
			Required:    t.Required,
			ReadOnly:    t.Definition.Hints.ReadOnly,
			Destructive: t.Definition.Hints.Destructive,
			Idempotent:  t.Definition.Hints.Idempotent,
			InputBytes:  len(t.Definition.InputSchema),
		})
	}
	for _, o := range c.Omitted() {
		r.Omitted = append(r.Omitted, Omission{Backend: o.Backend, Method: o.Method, Reason: o.Reason})
	}
	return r
}
