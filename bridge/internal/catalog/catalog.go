package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/rules"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/search"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Source is one backend and what is to be offered of it.
type Source struct {
	// Backend makes the calls; its name must be unique among the sources. Never nil.
	Backend *backend.Backend
	// Set describes the backend's services. Never nil.
	Set *descriptor.Set
	// Expose and Hide are patterns over full method names, `library.v1.LibraryService.GetBook`, in the language of
	// [CheckPattern]. With Expose, nothing but the matching methods is offered; Hide wins over Expose. The services of
	// grpc.reflection, grpc.health and grpc.channelz are offered only where an Expose pattern matches that begins with
	// `grpc.`; what the option hide of bridge.v1 keeps back, only where one is the full name itself. A method by which a
	// resource is watched need not be exposed, and its option hide, by which it is offered as nothing itself, does not end the
	// watch; a Hide pattern does. A pattern that matches nothing is an [Omission] under its own text.
	Expose, Hide []string
	// Idempotent are the patterns that [Idempotence] was given for Backend, in the same language. One that matches no method, be it
	// offered or not, is an [Omission] under its own text.
	Idempotent []string
	// Tools are what the configuration says of single tools, by the full names of their methods; it stands above the options
	// of bridge.v1. A name that no method has is an [Omission] of kind Unmatched.
	Tools map[string]*bridgev1.Tool
	// Visibility are the labels of google.api.visibility that clients may see; what is restricted to others is left out.
	Visibility []string
	// SkipRules makes no checkers of rules: see [Tool].Rules.
	SkipRules bool
	// NoOutput leaves output schemas out.
	NoOutput bool
	// Codec are the options of the tools' codecs.
	Codec transcode.Options
	// Profile chooses the dialect of the schemas.
	Profile schema.Profile
}

// DefaultPageSize is the number of entries on a list page when [Options].PageSize is zero.
const DefaultPageSize = 250

// Options are those of the whole catalog.
type Options struct {
	// Features are the distinct ones for which list pages are serialised in advance; a page for others is made on
	// demand.
	Features []mcp.Features
	// PageSize is the number of entries on a list page. Zero or less: DefaultPageSize.
	PageSize int
	// Search has tools/list name three tools in place of all: see [Catalog.Searching].
	Search bool
	// NoOutput leaves the output schemas of these three out; [Source].NoOutput is for those of methods.
	NoOutput bool
	// Before is the catalog that this one takes the place of, nil for none. Names that were derived in it, or in those that it took
	// the place of, stay with their methods and are given to no others: see [ToolNames]. So they do while a method or its backend is
	// away, for the 4,096 that went last and as long as the backend is named in Backends or is one of the sources.
	Before *Catalog
	// Backends are the names of the backends that there are beside those of the sources, such as those that could not be read.
	Backends []string
}

// Tool is one method on offer as a tool.
type Tool struct {
	// Definition is what clients are told.
	Definition mcp.Tool
	// Method is what is called, and Backend where.
	Method  protoreflect.MethodDescriptor
	Backend *backend.Backend
	// Codec reads the arguments and writes the result; of a stream it does so with each message.
	Codec *transcode.Codec
	// Stream says how the messages of a streaming method stand in arguments and results; nil for a unary one.
	Stream *Stream
	// Responses is the direct field of the request in which the answers to questions of the backend travel; nil for none. No
	// client sees it, and the codec takes it for unknown.
	Responses protoreflect.FieldDescriptor
	// Task says whether a call goes on as a task behind its answer.
	Task TaskMode
	// Operation says that the method returns a google.longrunning.Operation.
	Operation bool
	// Required names the top-level arguments that a call must have, in the order of the input schema: `messages` alone where
	// requests are streamed. Members of a
	// choice (a oneof of several) are never among them.
	Required []string
	// Narrowing names the top-level arguments that make a result smaller: page sizes, limits and read masks, told by
	// type and name. A size is an integer called page_size or limit, or max_ with a plural behind it (max_results,
	// max_messages: so many things at most, unlike max_price). A read mask is a google.protobuf.FieldMask with mask in
	// its name, unless it begins with update.
	Narrowing []string
	// Output says how the reply becomes content beside its data.
	Output *content.Output
	// RequiredCapabilities are paths of capabilities that the client must have; see [mcp.HasCapability].
	RequiredCapabilities []string
	// ReloadAfter says that a successful call changes what the backend offers.
	ReloadAfter bool
	// CloseStreamAfter is how long a call may last before its response stream is closed for the client to come back;
	// zero: it is not.
	CloseStreamAfter time.Duration
	// Rules checks requests before the call; nil where there are no rules, or they are not to be checked.
	Rules *rules.Checker
	// Cuts are what the schemas leave out to keep to their bounds, each "inputSchema: …" or "outputSchema: …"; nil for nothing.
	Cuts []string
	// Subject is what the linter looks at.
	Subject lint.Subject
	// HeaderParams are the arguments that clients repeat in headers, by x-mcp-header in the schema that they see.
	HeaderParams []mcp.HeaderParam

	streamed string // what its description ends with for being a stream
}

// Omission is something that is not offered, and why.
type Omission struct {
	// Backend is the name of the backend it belongs to.
	Backend string
	// Method is the full name of a method or service, the path of a descriptor file, or a pattern.
	Method string
	// Reason is one sentence without a full stop that names the cause and, where there is one, the mend.
	Reason string
	// Kind says what sort of thing it is.
	Kind Kind
}

// Kind tells omissions apart where what is done about them depends on it.
type Kind int

// The kinds of omissions.
const (
	// Refused is a method that the configuration, or the rules of the catalog, keep back.
	Refused Kind = iota
	// Deficient is what is not offered because of what the descriptors lack: a [descriptor.Problem], or a method of which the
	// options of bridge.v1 cannot be followed in any part, or cannot be read where they say who may call it.
	Deficient
	// Unmatched is a pattern that matches no method, or a name under which the configuration speaks of a tool and that no
	// method has: it does nothing.
	Unmatched
	// Ignored is an option of bridge.v1 that is not followed, or not in full, while its method is offered; or what the
	// configuration says of a tool that is not offered.
	Ignored
	// Withheld is a tool with an error of the linter: some client or model provider would refuse it, be it with all others.
	Withheld
)

// Catalog is what the bridge offers. It is immutable and safe for concurrent use.
type Catalog struct {
	tools     []*Tool // sorted by name
	byName    map[string]*Tool
	byMethod  map[string]*Tool
	several   map[string]bool // the methods that several backends have as tools
	backends  []string        // that have tools, sorted
	services  func() []Service
	resources []*Resource // sorted by URI
	byURI     map[string]*Resource
	templates []*ResourceTemplate // sorted by their text
	matchers  []*ResourceTemplate // the same, the most literal first
	prompts   []*Prompt           // sorted by name
	byPrompt  map[string]*Prompt
	omitted   []Omission
	absent    map[string]*Omission // what is no tool, by full names and by the names that the tools would have
	refused   map[string]Omission  // what is withheld, by the names that the tools would have
	names     memory
	renamed   []Renaming
	lists     map[mcp.List]*list
	digests   Digests
	digest    string
	searching bool
	noOutput  bool // see Options
	index     func() *search.Index
	guide     func() string     // see Instructions
	spellings func() *spellings // of the tools; made with the first use
}

// Compile builds the catalog of sources, in any order. It fails for a source without backend or descriptors, for two
// backends of one name and for a malformed pattern, naming them all; never for a single method, which is omitted
// instead. Of two things that must not have the same name or address, the one whose backend's name, service and place in
// the service come later is omitted; but a name that the configuration gives stands before one of an option, and that before
// a derived one. A tool that some client would refuse is left out alone: see [Withheld].
func Compile(sources []Source, opts Options) (*Catalog, error) {
	if err := validate(sources); err != nil {
		return nil, err
	}
	sources = slices.SortedFunc(slices.Values(sources), func(a, b Source) int { return strings.Compare(a.Backend.Name(), b.Backend.Name()) })
	var candidates []candidate
	c := &Catalog{
		byName: map[string]*Tool{}, byMethod: map[string]*Tool{}, several: map[string]bool{},
		byURI: map[string]*Resource{}, byPrompt: map[string]*Prompt{}, refused: map[string]Omission{},
	}
	for i := range sources {
		chosen, omitted := choose(newOrigin(&sources[i]))
		candidates = append(candidates, chosen...)
		c.omitted = append(c.omitted, omitted...)
	}
	c.noOutput, c.searching = opts.NoOutput, opts.Search
	c.add(candidates, remembered(sources, opts))
	c.services = sync.OnceValue(c.countServices)
	c.index = sync.OnceValue(c.makeIndex)
	c.guide = sync.OnceValue(c.makeGuide)
	c.spellings = sync.OnceValue(func() *spellings { return spell(c.tools) })
	c.omitted = slices.DeleteFunc(c.omitted, c.watches())
	c.omitted = slices.Compact(slices.SortedFunc(slices.Values(c.omitted), compareOmissions))
	c.indexOmitted(sources)
	c.list(opts)
	c.sum()
	return c, nil
}

func validate(sources []Source) error {
	var errs []error
	seen := map[string]bool{}
	for i, s := range sources {
		if s.Backend == nil || s.Set == nil {
			errs = append(errs, fmt.Errorf("source %d of %d lacks its backend or its descriptors: set both", i+1, len(sources)))
			continue
		}
		name := s.Backend.Name()
		if seen[name] {
			errs = append(errs, fmt.Errorf("two backends are called %q: give each a name of its own", name))
		}
		seen[name] = true
		for _, pattern := range slices.Concat(s.Expose, s.Hide, s.Idempotent) {
			if err := CheckPattern(pattern); err != nil {
				errs = append(errs, fmt.Errorf("backend %q: %w", name, err))
			}
		}
	}
	return errors.Join(errs...)
}

func compareOmissions(a, b Omission) int {
	return cmp.Or(
		strings.Compare(a.Method, b.Method), strings.Compare(a.Backend, b.Backend), strings.Compare(a.Reason, b.Reason),
	)
}

// Tools returns the tools on offer, sorted by name. The slice is shared: do not change it.
func (c *Catalog) Tools() []*Tool { return c.tools }

// Tool finds a tool by its name.
func (c *Catalog) Tool(name string) (*Tool, bool) {
	t, ok := c.byName[name]
	return t, ok
}

// Omitted returns what is not offered, sorted by method. The slice is shared: do not change it.
func (c *Catalog) Omitted() []Omission { return c.omitted }

// Renamed returns the tools that clients knew by another name, sorted by backend and method; see [Options].Before. The slice is
// shared: do not change it.
func (c *Catalog) Renamed() []Renaming { return c.renamed }

// HeaderParams returns the arguments of a tool that clients repeat in headers; nil where there are none, or no such tool. Where
// [Catalog.Searching] says that clients are listed other tools, these have none, whatever a tool of the same name has.
func (c *Catalog) HeaderParams(tool string) []mcp.HeaderParam {
	if t := c.byName[tool]; t != nil && !c.searching {
		return t.HeaderParams
	}
	return nil
}
