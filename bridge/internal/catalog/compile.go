package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/rules"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// offer is what one method is to clients.
type offer struct {
	tool      *Tool
	resources []*Resource
	templates []*ResourceTemplate
	prompt    *Prompt
	// faults are what the method's options ask for in vain: sentences without a full stop.
	faults []string
}

// isEmpty says that the method is nothing to clients.
func (o *offer) isEmpty() bool {
	return o.tool == nil && o.prompt == nil && len(o.resources)+len(o.templates) == 0
}

// setName gives the method's name to what has none of its own.
func (o *offer) setName(name string) {
	if o.tool != nil {
		o.tool.Definition.Name = name
	}
	for _, r := range o.resources {
		r.Definition.Name = cmp.Or(r.Definition.Name, name)
	}
	for _, t := range o.templates {
		t.Definition.Name = cmp.Or(t.Definition.Name, name)
	}
	if o.prompt != nil {
		o.prompt.Definition.Name = cmp.Or(o.prompt.Definition.Name, name)
	}
}

// maker makes the offer of one method.
type maker struct {
	candidate
	offer
	said      annotation.Method
	arguments []argument
	output    *content.Output
	events    *interaction.Events // never nil
	codec     *transcode.Codec
	checker   *rules.Checker
}

func (m *maker) faultf(format string, args ...any) {
	m.faults = append(m.faults, fmt.Sprintf(format, args...))
}

// compile makes what the method is to clients, but for its name, which only what is offered can have. Descriptors come from
// outside; a fault of ours that one of them brings to light costs the one method and not the catalog.
func (k candidate) compile() (made offer, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			made, err = offer{}, fmt.Errorf("internal fault while compiling it: %v; please report it with the descriptors", fault)
		}
	}()
	m := &maker{candidate: k}
	if err := m.prepare(); err != nil {
		return offer{}, err
	}
	m.faults = slices.Clone(k.flaws.Ignored)
	if _, fault := k.ownName(); fault != "" {
		m.faultf("%s", fault)
	}
	if k.isTool() {
		m.offer.tool = m.tool()
	} else {
		m.toolsOnly()
	}
	if sort := streaming(k.method); sort != "" {
		m.unaryOnly(sort)
		return m.offer, nil
	}
	for i, r := range k.options.GetResources() {
		m.resource(i, r)
	}
	if k.options.GetPrompt() != nil {
		m.offer.prompt = m.prompt()
	}
	return m.offer, nil
}

// prepare finds out what tools, resources and prompts need alike.
func (m *maker) prepare() error {
	input, output := m.method.Input(), m.method.Output()
	for _, path := range m.options.GetRequiredCapabilities() {
		if err := checkCapability(path); err != nil {
			return err
		}
	}
	m.output, m.events = content.OfOutput(output), interaction.EventsOf(nil)
	if m.method.IsStreamingServer() {
		m.events = interaction.EventsOf(output)
	}
	opts := m.source.Codec
	opts.Omit = m.omit()
	opts.Hide = m.source.restricted
	codec, err := transcode.Compile(input, output, m.source.Set.Types(), opts)
	if err != nil {
		return fmt.Errorf("no codec: %w", err)
	}
	m.codec = codec
	m.said = m.source.reader.Method(m.method)
	m.arguments = argumentsOf(input, m.source.reader)
	m.checker = m.source.checker(input)
	return nil
}

// omit says which fields of the response are content and no data; nil for none.
func (m *maker) omit() func(protoreflect.FieldDescriptor) bool {
	output, events := m.output, m.events
	switch {
	case events.None() && output.Plain():
		return nil
	case events.None():
		return output.Omits
	}
	return func(fd protoreflect.FieldDescriptor) bool { return output.Omits(fd) || events.Omits(fd) }
}

// isTool says whether a method is a tool: what is a resource or a prompt is none by itself.
func (k candidate) isTool() bool {
	return k.own != nil || len(k.options.GetResources()) == 0 && k.options.GetPrompt() == nil
}

// maxOwnName is the length, in bytes, of the longest name of a resource or a prompt.
const maxOwnName = 128

// checkName returns a name that the options give, or "", for that of the method, where that is none, which is told.
func (m *maker) checkName(what, given string) string {
	if len(given) > maxOwnName || strings.TrimSpace(given) != given || annotation.Clean(given) != given || strings.Contains(given, "\n") {
		m.faultf("the %s has the name of its method: %q is none, which is a line of at most %d bytes without markup", what, given, maxOwnName)
		return ""
	}
	return given
}
