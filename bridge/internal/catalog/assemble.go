package catalog

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/uritemplate"
)

// made is the offer of one candidate.
type made struct {
	candidate
	offer
	name string // that its tool has, or would have
}

// add compiles the candidates, names what they offer and puts it together: names that the options give before derived ones,
// which have to give way.
func (c *Catalog) add(candidates []candidate) {
	all := c.compile(candidates)
	nameAll(all)
	for _, derived := range []bool{false, true} {
		for _, m := range all {
			c.addTool(m, derived)
			c.addPrompt(m, derived)
		}
	}
	patterns := map[string]*ResourceTemplate{}
	for _, m := range all {
		c.addResources(m, patterns)
	}
	for _, m := range all {
		c.tell(m)
	}
	c.arrange()
}

// compile compiles the candidates.
func (c *Catalog) compile(candidates []candidate) []*made {
	headers := map[*descriptor.Set]bool{}
	var all []*made
	for _, k := range candidates {
		set := k.source.Set
		if _, known := headers[set]; !known {
			headers[set] = hasHeaders(set)
		}
		offered, err := k.compile(headers[set])
		if err != nil {
			c.omitted = append(c.omitted, k.omission(err.Error(), Deficient))
			continue
		}
		all = append(all, &made{candidate: k, offer: offered})
	}
	return all
}

// nameAll names what is offered. Only tools take names from each other; what is no tool has the name that it would have among
// them, where it has none of its own.
func nameAll(all []*made) {
	offered := slices.DeleteFunc(slices.Clone(all), func(m *made) bool { return m.isEmpty() })
	tools := slices.DeleteFunc(slices.Clone(offered), func(m *made) bool { return m.tool == nil })
	for _, group := range [][]*made{offered, tools} {
		parties := make([]Party, len(group))
		for i, m := range group {
			own, _ := m.ownName()
			parties[i] = Party{Backend: m.source.Backend.Name(), Method: m.method.FullName(), Name: own}
		}
		for i, name := range ToolNames(parties) {
			group[i].name = name
		}
	}
	for _, m := range offered {
		m.setName(m.name)
	}
}

// tell notes what the options of a method ask for in vain. Where nothing of it is offered, that is why.
func (c *Catalog) tell(m *made) {
	kind := Ignored
	if m.isEmpty() {
		kind = Deficient
	}
	for _, fault := range m.faults {
		c.omitted = append(c.omitted, m.omission(fault, kind))
	}
}

// addTool adds the tool of an offer, in the pass for its sort of name: derived, or given by its option.
func (c *Catalog) addTool(m *made, derived bool) {
	own, _ := m.ownName()
	if m.tool == nil || (own == "") != derived {
		return
	}
	name := m.tool.Definition.Name
	if other := c.byName[name]; other != nil {
		m.faults = append(m.faults, "its tool is not offered: "+inUse("name", name, other.Method))
		m.tool = nil
		return
	}
	c.tools = append(c.tools, m.tool)
	c.byName[name] = m.tool
}

// inUse says that a name or an address is in use.
func inUse(what, value string, by protoreflect.MethodDescriptor) string {
	return "the " + what + " " + value + " is that of " + string(by.FullName()) + " already: give it another one by its bridge.v1 option"
}

// addPrompt is to prompts what addTool is to tools.
func (c *Catalog) addPrompt(m *made, derived bool) {
	if m.prompt == nil || (m.options.GetPrompt().GetName() == "") != derived {
		return
	}
	name := m.prompt.Definition.Name
	if other := c.byPrompt[name]; other != nil {
		m.faults = append(m.faults, "its prompt is not offered: "+inUse("name", name, other.Method))
		m.prompt = nil
		return
	}
	c.prompts = append(c.prompts, m.prompt)
	c.byPrompt[name] = m.prompt
}

// addResources adds the resources and templates of an offer whose addresses are new; patterns are those of the templates so
// far.
func (c *Catalog) addResources(m *made, patterns map[string]*ResourceTemplate) {
	m.resources = slices.DeleteFunc(m.resources, func(r *Resource) bool {
		uri := r.Definition.URI
		other := c.byURI[uri]
		if other != nil {
			m.faults = append(m.faults, "a resource is not offered: "+inUse("uri", uri, other.Reading.Method))
			return true
		}
		c.byURI[uri] = r
		return false
	})
	m.templates = slices.DeleteFunc(m.templates, func(t *ResourceTemplate) bool {
		pattern := t.template.Pattern()
		other := patterns[pattern]
		if other == nil {
			patterns[pattern] = t
			return false
		}
		reason := "a resource is not offered: " + inUse("uri_template", t.template.String(), other.Reading.Method)
		if other.template.String() != t.template.String() {
			reason += " (as " + other.template.String() + ")"
		}
		m.faults = append(m.faults, reason)
		return true
	})
	c.resources, c.templates = append(c.resources, m.resources...), append(c.templates, m.templates...)
}

// arrange brings everything into order.
func (c *Catalog) arrange() {
	slices.SortFunc(c.tools, func(a, b *Tool) int { return strings.Compare(a.Definition.Name, b.Definition.Name) })
	slices.SortFunc(c.resources, func(a, b *Resource) int { return strings.Compare(a.Definition.URI, b.Definition.URI) })
	slices.SortFunc(c.templates, func(a, b *ResourceTemplate) int {
		return strings.Compare(a.Definition.URITemplate, b.Definition.URITemplate)
	})
	slices.SortFunc(c.prompts, func(a, b *Prompt) int { return strings.Compare(a.Definition.Name, b.Definition.Name) })
	c.matchers = slices.SortedFunc(slices.Values(c.templates), func(a, b *ResourceTemplate) int {
		return uritemplate.Compare(a.template, b.template)
	})
	for _, t := range c.tools {
		if method := string(t.Method.FullName()); c.byMethod[method] == nil {
			c.byMethod[method] = t
		}
	}
}

// hasHeaders says whether any field of a set has the option that makes it a header, or one that cannot be read, so that
// schemas are searched for them only where there are some.
func hasHeaders(set *descriptor.Set) bool {
	found := false
	set.Files().RangeFiles(func(file protoreflect.FileDescriptor) bool {
		found = anyHeader(file.Messages())
		return !found
	})
	return found
}

func anyHeader(messages protoreflect.MessageDescriptors) bool {
	for i := range messages.Len() {
		md := messages.Get(i)
		for j := range md.Fields().Len() {
			if fd := md.Fields().Get(j); annotation.FieldOptions(fd).GetHeader() != "" || annotation.FlawsOf(fd).Ignored != nil {
				return true
			}
		}
		if anyHeader(md.Messages()) {
			return true
		}
	}
	return false
}
