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
}

// add names the candidates, compiles them and puts together what they offer: names that the options give before derived
// ones, which have to give way.
func (c *Catalog) add(candidates []candidate) {
	parties := make([]Party, len(candidates))
	for i, k := range candidates {
		name, _ := k.ownName()
		parties[i] = Party{Backend: k.source.Backend.Name(), Method: k.method.FullName(), Name: name}
	}
	headers := map[*descriptor.Set]bool{}
	var all []made
	for i, name := range ToolNames(parties) {
		k := candidates[i]
		set := k.source.Set
		if _, known := headers[set]; !known {
			headers[set] = hasHeaders(set)
		}
		offered, err := k.compile(name, headers[set])
		if err != nil {
			c.omitted = append(c.omitted, k.omission(err.Error(), Refused))
			continue
		}
		for _, fault := range offered.faults {
			c.omitted = append(c.omitted, k.omission(fault, Deficient))
		}
		all = append(all, made{k, offered})
	}
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
	c.arrange()
}

// addTool adds the tool of an offer, if its name is derived or not as asked.
func (c *Catalog) addTool(m made, derived bool) {
	own, _ := m.ownName()
	if m.tool == nil || (own == "") != derived {
		return
	}
	name := m.tool.Definition.Name
	if other := c.byName[name]; other != nil {
		c.omitted = append(c.omitted, m.omission("its tool is not offered: "+taken("name", name, other.Method), Refused))
		return
	}
	c.tools = append(c.tools, m.tool)
	c.byName[name] = m.tool
}

// taken says that a name or an address is in use.
func taken(what, value string, by protoreflect.MethodDescriptor) string {
	return "the " + what + " " + value + " is that of " + string(by.FullName()) + " already: give it another one by its bridge.v1 option"
}

// addPrompt is to prompts what addTool is to tools.
func (c *Catalog) addPrompt(m made, derived bool) {
	if m.prompt == nil || (m.options.GetPrompt().GetName() == "") != derived {
		return
	}
	name := m.prompt.Definition.Name
	if other := c.byPrompt[name]; other != nil {
		c.omitted = append(c.omitted, m.omission("its prompt is not offered: "+taken("name", name, other.Method), Deficient))
		return
	}
	c.prompts = append(c.prompts, m.prompt)
	c.byPrompt[name] = m.prompt
}

// addResources adds the resources and templates of an offer whose addresses are new; patterns are those of the templates so
// far.
func (c *Catalog) addResources(m made, patterns map[string]*ResourceTemplate) {
	for _, r := range m.resources {
		uri := r.Definition.URI
		if other := c.byURI[uri]; other != nil {
			c.omitted = append(c.omitted, m.omission("a resource is not offered: "+taken("uri", uri, other.Reading.Method), Deficient))
			continue
		}
		c.resources = append(c.resources, r)
		c.byURI[uri] = r
	}
	for _, t := range m.templates {
		pattern := t.template.Pattern()
		if other := patterns[pattern]; other != nil {
			reason := "a resource is not offered: " + taken("uri_template", t.template.String(), other.Reading.Method)
			if other.template.String() != t.template.String() {
				reason += " (as " + other.template.String() + ")"
			}
			c.omitted = append(c.omitted, m.omission(reason, Deficient))
			continue
		}
		c.templates = append(c.templates, t)
		patterns[pattern] = t
	}
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

// hasHeaders says whether any field of a set has the option that makes it a header, so that schemas are searched for them
// only where there are some.
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
			if annotation.FieldOptions(md.Fields().Get(j)).GetHeader() != "" {
				return true
			}
		}
		if anyHeader(md.Messages()) {
			return true
		}
	}
	return false
}
