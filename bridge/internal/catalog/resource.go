package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
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

func (m *maker) makeResource(what string, option *bridgev1.Resource) error {
	template, err := addressOf(option)
	if err != nil {
		return err
	}
	var variables []string
	if template != nil {
		variables = template.Variables()
	}
	bindings, err := bindAll(m.method.Input(), option, variables)
	if err != nil {
		return err
	}
	reading := &Reading{
		Method: m.method, Backend: m.source.Backend, Codec: m.codec, Output: m.output, bindings: bindings,
		RequiredCapabilities: m.options.GetRequiredCapabilities(), ReloadAfter: m.options.GetReloadAfter(),
		MimeType: m.mimeType(what, option.GetMimeType()),
	}
	if reading.Watch, err = m.watch(option.GetWatch(), bindings); err != nil {
		m.faultf("%s cannot be watched: %v", what, err)
	}
	d := mcp.Resource{
		URI: option.GetUri(), Name: m.nameOr(what, option.GetName()), Title: m.title(option.GetTitle()),
		Description: m.about("description of "+what, option.GetDescription(), "Read"), MimeType: reading.MimeType, Meta: meta(m.method),
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

// bindAll finds the request fields that the variables of a template, and the URI itself, fill.
func bindAll(input protoreflect.MessageDescriptor, option *bridgev1.Resource, variables []string) ([]*binding, error) {
	for _, name := range slices.Sorted(maps.Keys(option.GetFields())) {
		if !slices.Contains(variables, name) {
			return nil, fmt.Errorf("fields names %q, which is no variable of the template", name)
		}
	}
	var bindings []*binding
	filled := map[string]string{}
	add := func(variable, path, what string) error {
		b, err := bind(input, variable, path)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		key := strings.Join(b.path, ".")
		if other := filled[key]; other != "" {
			return fmt.Errorf("%s fills the request field %s, and so does %s: let each fill another one", what, key, other)
		}
		filled[key] = what
		bindings = append(bindings, b)
		return nil
	}
	for _, name := range variables {
		if err := add(name, cmp.Or(option.GetFields()[name], name), fmt.Sprintf("variable %q", name)); err != nil {
			return nil, err
		}
	}
	if path := option.GetUriField(); path != "" {
		if err := add("", path, "uri_field"); err != nil {
			return nil, err
		}
		if fd := bindings[len(bindings)-1].field(); fd.Kind() != protoreflect.StringKind {
			return nil, fmt.Errorf("uri_field: the field %s is %s, but a URI is a string", fd.FullName(), formOf(fd))
		}
	}
	return bindings, nil
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
	return cmp.Or(m.text(what, given, maxDescription), described(m.said, fmt.Sprintf("%s by %s.", does, m.method.FullName())))
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
	return slices.ContainsFunc(c.resources, func(r *Resource) bool { return r.Reading.Watch != nil }) ||
		slices.ContainsFunc(c.templates, func(t *ResourceTemplate) bool { return t.Reading.Watch != nil })
}
