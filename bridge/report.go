package bridge

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/rules"
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
	// that cannot be used ("comments"), tools that are withheld because clients would refuse them, and patterns of Expose, Hide
	// and Retry and names of tools in the configuration that match nothing, which are misspelt as a rule.
	Omitted []Omission `json:"omitted"`
	// Ignored are the options of bridge.v1 that are not followed while what they belong to is offered, sorted by method;
	// nil for none.
	Ignored []Omission `json:"ignored,omitempty"`

	// Searching says that clients find the tools by [ModeSearch]: they are listed three others in place of these.
	Searching bool `json:"searching,omitempty"`
	// Listed is how many tools clients are listed where Searching is set, and ListedTokens what these cost a model, estimated;
	// both 0 elsewhere, since the tools listed are then those of Tools.
	Listed       int `json:"-"`
	ListedTokens int `json:"-"`

	whole bool               // whether it was made of a catalog, and not read or put together elsewhere
	lacks []catalog.Omission // all that is omitted and ignored, for [Lint]
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
	// ReadOnly, Destructive, Idempotent and OpenWorld are the hints; nil where the descriptor says nothing.
	ReadOnly, Destructive, Idempotent, OpenWorld *bool `json:"-"`
	// Tokens estimates what the definition costs a model that has it before it: a quarter of its bytes, rounded up.
	Tokens int `json:"tokens"`
	// Cuts are what the schemas leave out to keep to their bounds, each "inputSchema: …" or "outputSchema: …"; nil for nothing.
	Cuts []string `json:"cuts,omitempty"`
	// InputBytes and OutputBytes are the sizes of the two schemas in bytes of JSON; an OutputBytes of 0 stands for no schema.
	InputBytes, OutputBytes int `json:"-"`
	// Content says that the result has blocks of content, such as pictures, and Data that it has JSON; at least one is set.
	Content, Data bool `json:"-"`
	// CloseStreamAfter is how long a call lasts before its response stream is closed for the client to come back; 0: it is not.
	CloseStreamAfter time.Duration `json:"-"`
	// Headers are the headers in which clients of revision 2026-07-28 repeat arguments, such as "Mcp-Param-Region"; nil for none.
	Headers []string `json:"-"`

	Demands

	subject lint.Subject
	rules   *rules.Checker
}

// Demands are what the options of a method ask beyond its call, whatever it is offered as.
type Demands struct {
	// RequiredCapabilities are the paths of the capabilities that a client must have, such as "sampling"; nil for none.
	RequiredCapabilities []string `json:"requiredCapabilities,omitempty"`
	// ReloadAfter says that the backend's descriptors are read again after each call that succeeds.
	ReloadAfter bool `json:"reloadAfter,omitempty"`
}

// ResourceReport is one resource, or one resource template.
type ResourceReport struct {
	// Method is the full name of the gRPC method that reads it, Backend the name of the backend that serves it.
	Method  string `json:"method"`
	Backend string `json:"backend"`
	// Definition is the resource as resources/list of revision 2026-07-28 shows it, in JSON, or the template as
	// resources/templates/list does.
	Definition json.RawMessage `json:"resource"`

	// Watched says that clients can subscribe to changes.
	Watched bool `json:"watched"`

	// Address is the URI, or the URI template.
	Address string `json:"-"`
	// Name is the resource's name for programs.
	Name string `json:"-"`
	// Watch is the full name of the method by which the backend tells of changes; "" for none.
	Watch string `json:"-"`

	Demands
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
	// Arguments are the names of its arguments, and Required those that it cannot be rendered without, in the same order; nil
	// for none.
	Arguments, Required []string `json:"-"`

	Demands
}

// Omission is something that is not offered, a pattern that does nothing, or an option that is not followed, and why.
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
	r := &Report{Tools: []ToolReport{}, Omitted: []Omission{}, whole: true, lacks: c.Omitted(), Searching: c.Searching()}
	for _, t := range c.Tools() {
		r.Tools = append(r.Tools, newToolReport(t, newest))
	}
	for _, o := range c.Resources() {
		d := &o.Definition
		r.Resources = append(r.Resources, newResourceReport(o.Reading, d.URI, d.Name, d.AppendJSON(nil, newest)))
	}
	for _, o := range c.ResourceTemplates() {
		d := &o.Definition
		r.Resources = append(r.Resources, newResourceReport(o.Reading, d.URITemplate, d.Name, d.AppendJSON(nil, newest)))
	}
	slices.SortStableFunc(r.Resources, func(a, b ResourceReport) int { return strings.Compare(a.Address, b.Address) })
	for _, p := range c.Prompts() {
		r.Prompts = append(r.Prompts, newPromptReport(p, newest))
	}
	r.leftOut(c.Omitted())
	r.countListed(c, newest)
	return r
}

// countListed counts what clients are listed in place of the tools. Three tools are on one page.
func (r *Report) countListed(c *catalog.Catalog, newest mcp.Features) {
	if !r.Searching {
		return
	}
	page, _, _ := c.Page(mcp.ListTools, newest, "")
	for definition := range jsonrpc.Elements(page) {
		r.Listed++
		r.ListedTokens += lint.Tokens(len(definition))
	}
}

// leftOut tells what is not offered from what is offered without one of its options: the option of a method, or of a service,
// of which nothing is offered has cost it its place.
func (r *Report) leftOut(omitted []catalog.Omission) {
	type place struct{ backend, name string }
	offered := map[place]bool{}
	add := func(backend, method string) {
		service := method[:max(strings.LastIndexByte(method, '.'), 0)]
		offered[place{backend, method}], offered[place{backend, service}] = true, true
	}
	for _, t := range r.Tools {
		add(t.Backend, t.Method)
	}
	for _, o := range r.Resources {
		add(o.Backend, o.Method)
	}
	for _, p := range r.Prompts {
		add(p.Backend, p.Method)
	}
	for _, o := range omitted {
		list := &r.Omitted
		if o.Kind == catalog.Ignored && offered[place{o.Backend, o.Method}] {
			list = &r.Ignored
		}
		*list = append(*list, Omission{Backend: o.Backend, Method: o.Method, Reason: o.Reason})
	}
}

func newToolReport(t *catalog.Tool, newest mcp.Features) ToolReport {
	d := &t.Definition
	r := ToolReport{
		Method:           string(t.Method.FullName()),
		Backend:          t.Backend.Name(),
		Definition:       d.AppendJSON(nil, newest),
		Name:             d.Name,
		Title:            d.Title,
		Description:      d.Description,
		Required:         t.Required,
		ReadOnly:         d.Hints.ReadOnly,
		Destructive:      d.Hints.Destructive,
		Idempotent:       d.Hints.Idempotent,
		OpenWorld:        d.Hints.OpenWorld,
		Cuts:             t.Cuts,
		InputBytes:       len(d.InputSchema),
		OutputBytes:      len(d.OutputSchema),
		Content:          !t.Output.Plain(),
		Data:             !t.Output.Only(),
		CloseStreamAfter: t.CloseStreamAfter,
		Demands:          Demands{t.RequiredCapabilities, t.ReloadAfter},
		subject:          t.Subject,
		rules:            t.Rules,
	}
	r.Tokens = lint.Tokens(len(r.Definition))
	for _, h := range t.HeaderParams {
		r.Headers = append(r.Headers, "Mcp-Param-"+h.Name)
	}
	return r
}

func newResourceReport(r *catalog.Reading, address, name string, definition []byte) ResourceReport {
	report := ResourceReport{
		Method:     string(r.Method.FullName()),
		Backend:    r.Backend.Name(),
		Definition: definition,
		Address:    address,
		Name:       name,
		Demands:    Demands{r.RequiredCapabilities, r.ReloadAfter},
	}
	if r.Watch != nil {
		report.Watched, report.Watch = true, string(r.Watch.FullName())
	}
	return report
}

func newPromptReport(p *catalog.Prompt, newest mcp.Features) PromptReport {
	r := PromptReport{
		Method:     string(p.Method.FullName()),
		Backend:    p.Backend.Name(),
		Definition: p.Definition.AppendJSON(nil, newest),
		Name:       p.Definition.Name,
		Demands:    Demands{p.RequiredCapabilities, p.ReloadAfter},
	}
	for _, a := range p.Definition.Arguments {
		r.Arguments = append(r.Arguments, a.Name)
		if a.Required {
			r.Required = append(r.Required, a.Name)
		}
	}
	return r
}
