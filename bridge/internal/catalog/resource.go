package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/rules"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
	"github.com/mcpgrpc/bridge/bridge/internal/uritemplate"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Reading is how a resource is read, or a family of resources: by a call of a method.
type Reading struct {
	// Method is what is called, and Backend where.
	Method  protoreflect.MethodDescriptor
	Backend *backend.Backend
	// Codec reads the arguments of an [Address] and writes a reply that has no contents of its own.
	Codec *transcode.Codec
	// Output says how the reply becomes contents.
	Output *content.Output
	// MimeType is the media type of contents that name none; "" where the reply's contents are to say it.
	MimeType string
	// Watch is a server-streaming method that takes the request that Codec makes of the arguments, and sends a message for
	// each change; nil where the resource cannot be watched.
	Watch protoreflect.MethodDescriptor
	// RequiredCapabilities are paths of capabilities that the client must have; see [mcp.HasCapability].
	RequiredCapabilities []string
	// ReloadAfter says that a successful call changes what the backend offers.
	ReloadAfter bool
	// Rules checks requests before the call; nil where there are no rules, or they are not to be checked.
	Rules *rules.Checker

	bindings []*binding
}

// Address is one resource that can be read.
type Address struct {
	// URI is the one that was asked for.
	URI string
	// Reading is how; shared, not to be changed.
	Reading *Reading
	// Arguments are those of the call, a JSON object for the codec.
	Arguments []byte
}

// Resource is one resource on offer.
type Resource struct {
	// Definition is what clients are told.
	Definition mcp.Resource
	// Reading is how it is read.
	Reading *Reading
}

// ResourceTemplate is a family of resources on offer.
type ResourceTemplate struct {
	// Definition is what clients are told.
	Definition mcp.ResourceTemplate
	// Reading is how they are read.
	Reading *Reading

	template *uritemplate.Template
}

// resource makes one of the method's resources, or tells why it cannot.
func (m *maker) resource(i int, option *bridgev1.Resource) {
	address := cmp.Or(option.GetUri(), option.GetUriTemplate(), fmt.Sprintf("number %d", i+1))
	name, before := "resource "+address, len(m.faults)
	err := m.makeResource(name, option)
	if err != nil {
		m.faults = m.faults[:before] // what is not offered lacks nothing else
		m.faultf("%s is not offered: %v", name, err)
	}
}

func (m *maker) makeResource(what string, given *bridgev1.Resource) error {
	template, err := addressOf(given)
	if err != nil {
		return err
	}
	var variables []string
	if template != nil {
		variables = template.Variables()
	}
	bindings, err := bindAll(m.method.Input(), given, variables)
	if err == nil {
		err = m.checkBindings(bindings)
	}
	if err != nil {
		return err
	}
	reading := &Reading{
		Method: m.method, Backend: m.source.Backend, Codec: m.codec, Output: m.output, bindings: bindings,
		RequiredCapabilities: m.options.GetRequiredCapabilities(), ReloadAfter: m.options.GetReloadAfter(), Rules: m.checker,
		MimeType: m.mimeType(what, given.GetMimeType()),
	}
	if reading.Watch, err = m.watch(given.GetWatch(), bindings); err != nil {
		m.faultf("%s cannot be watched: %v", what, err)
	}
	d := mcp.Resource{
		URI: given.GetUri(), Name: m.checkName(what, given.GetName()), Title: m.title(given.GetTitle(), option),
		Description: m.about("description of "+what, given.GetDescription(), "Read"), MimeType: reading.MimeType, Meta: meta(m.method),
	}
	if template == nil {
		m.resources = append(m.resources, &Resource{d, reading})
		return nil
	}
	m.templates = append(m.templates, &ResourceTemplate{mcp.ResourceTemplate{
		URITemplate: template.String(), Name: d.Name, Title: d.Title, Description: d.Description, MimeType: d.MimeType, Meta: d.Meta,
	}, reading, template})
	return nil
}

// checkBindings refuses to fill a field that is restricted to a label: no argument may.
func (m *maker) checkBindings(bindings []*binding) error {
	for _, b := range bindings {
		for _, step := range b.steps {
			if restricted := m.source.reader.Hidden(step); restricted != "" {
				return fmt.Errorf("it would fill the request field %s: %s", strings.Join(b.path, "."), restricted)
			}
		}
	}
	return nil
}

// addressOf reads the address of a resource: a template, or nil for a sound URI.
func addressOf(option *bridgev1.Resource) (*uritemplate.Template, error) {
	switch option.GetAddress().(type) {
	case *bridgev1.Resource_Uri:
		return nil, uritemplate.CheckURI(option.GetUri())
	case *bridgev1.Resource_UriTemplate:
		return uritemplate.Parse(option.GetUriTemplate())
	}
	return nil, errors.New("it has no address: set uri or uri_template")
}

// defaultMimeType is that of a reply without contents of its own, which is sent as JSON.
const defaultMimeType = "application/json"

// mimeType returns the media type that the option gives, else the default.
func (m *maker) mimeType(what, given string) string {
	if given != "" {
		kind, _, err := mime.ParseMediaType(given)
		if err == nil && strings.Contains(kind, "/") {
			return given
		}
		m.faultf("%s has its default media type: %q is none, write one such as text/plain", what, given)
	}
	if m.output.Plain() {
		return defaultMimeType
	}
	return ""
}

// about is the given description, else that of the method, else what the method does with the thing.
func (m *maker) about(what, given, does string) string {
	return cmp.Or(m.text(what, given, maxDescription, option), described(m.said, fmt.Sprintf("%s by %s.", does, m.method.FullName())))
}

// watch finds the method by which a resource is watched; nil for none.
func (m *maker) watch(name string, bindings []*binding) (protoreflect.MethodDescriptor, error) {
	if name == "" {
		return nil, nil
	}
	method := m.service().Methods().ByName(protoreflect.Name(name))
	if method == nil {
		return nil, fmt.Errorf("%s has no method %q: watch is the simple name of a method of the same service", m.service().FullName(), name)
	}
	if method.IsStreamingClient() || !method.IsStreamingServer() {
		return nil, fmt.Errorf("%s is %s: a method that watches is server streaming", method.FullName(), cmp.Or(streaming(method), "unary"))
	}
	if pattern, hidden := newPatterns(m.source.Hide).match(string(method.FullName())); hidden {
		return nil, fmt.Errorf("%s is hidden by the pattern %q", method.FullName(), pattern)
	}
	if restricted := m.source.reader.Hidden(method); restricted != "" {
		return nil, fmt.Errorf("%s is kept back: %s", method.FullName(), restricted)
	}
	if closed := m.source.reader.FlawsOf(method).Closed; closed != "" {
		return nil, fmt.Errorf("%s is kept back: %s", method.FullName(), closed)
	}
	for _, b := range bindings {
		if at := method.Input(); !b.fits(at) {
			return nil, fmt.Errorf("%s has no field %s of the same number and type as %s: let both methods take the same request fields",
				at.FullName(), strings.Join(b.path, "."), m.method.Input().FullName())
		}
	}
	return method, nil
}

// fits says whether the binding, written for another message, fills the same field of md.
func (b *binding) fits(md protoreflect.MessageDescriptor) bool {
	for _, step := range b.steps {
		if md == nil {
			return false
		}
		fd := md.Fields().ByName(step.Name())
		if fd == nil || fd.Number() != step.Number() || fd.Kind() != step.Kind() || fd.Cardinality() != step.Cardinality() {
			return false
		}
		md = nested(fd)
	}
	return true
}

// Resource finds the resource of a URI: a fixed one, or one that a template stands for. Of several templates the most
// literal one is meant (see [uritemplate.Compare]).
func (c *Catalog) Resource(uri string) (Address, bool) {
	if r := c.byURI[uri]; r != nil {
		return Address{uri, r.Reading, requestOf(r.Reading.bindings, uri, nil)}, true
	}
	for _, t := range c.matchers {
		if values, ok := t.template.Match(uri); ok {
			return Address{uri, t.Reading, requestOf(t.Reading.bindings, uri, values)}, true
		}
	}
	return Address{}, false
}

// Resources returns the fixed resources on offer, sorted by URI. The slice is shared: do not change it.
func (c *Catalog) Resources() []*Resource { return c.resources }

// ResourceTemplates returns the templates on offer, sorted by their text. The slice is shared: do not change it.
func (c *Catalog) ResourceTemplates() []*ResourceTemplate { return c.templates }

// Watched reports whether any resource can be watched.
func (c *Catalog) Watched() bool {
	return slices.ContainsFunc(c.readings(), func(r *Reading) bool { return r.Watch != nil })
}

// readings are those of all resources and templates.
func (c *Catalog) readings() []*Reading {
	var all []*Reading
	for _, r := range c.resources {
		all = append(all, r.Reading)
	}
	for _, t := range c.templates {
		all = append(all, t.Reading)
	}
	return all
}

// watches tells the omissions of methods by which a resource is watched: these serve, as nothing themselves, and that their
// option hides them, or no pattern exposes them, changes nothing.
func (c *Catalog) watches() func(Omission) bool {
	serving := map[[2]string]bool{}
	for _, r := range c.readings() {
		if r.Watch != nil {
			serving[[2]string{r.Backend.Name(), string(r.Watch.FullName())}] = true
		}
	}
	return func(o Omission) bool {
		return o.Kind == Refused && serving[[2]string{o.Backend, o.Method}]
	}
}
