package catalog

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/uritemplate"
)

// made is the offer of one candidate.
type made struct {
	candidate
	offer
	name     string // that its tool has, or would have
	withheld bool   // its tool is, by the linter
}

// place is where its method is.
func (m *made) place() place { return place{m.source.Backend.Name(), m.method.FullName()} }

// add compiles the candidates, names what they offer, leaves out what the linter refuses and puts the rest together: names
// that the configuration gives first, then those of the options, and derived ones, which have to give way, last. Names given before
// stay.
func (c *Catalog) add(candidates []candidate, before memory) {
	all := c.compile(candidates)
	watching := spareWatches(all)
	nameAll(all, before)
	c.names = before.after(all)
	c.withhold(all)
	for _, by := range []authority{configuration, option, derivation} {
		for _, m := range all {
			c.addTool(m, by)
			c.addPrompt(m, by)
		}
	}
	c.withholdTogether()
	patterns := map[string]*ResourceTemplate{}
	for _, m := range all {
		c.addResources(m, patterns)
	}
	for _, m := range all {
		c.tell(m)
	}
	c.idle(watching)
	c.arrange()
	c.renamed = before.renamed(c.tools)
}

// compile compiles the candidates, each on its own.
func (c *Catalog) compile(candidates []candidate) []*made {
	offers, errs := make([]offer, len(candidates)), make([]error, len(candidates))
	each(len(candidates), func(i int) { offers[i], errs[i] = candidates[i].compile() })
	var all []*made
	for i, k := range candidates {
		if errs[i] != nil {
			c.omitted = append(c.omitted, k.omission(errs[i].Error(), Deficient))
			continue
		}
		all = append(all, &made{candidate: k, offer: offers[i]})
	}
	return all
}

// each does something for every number below n, as many at once as there are processors, and returns when all is done.
func each(n int, do func(int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	workers.Wait()
}

// nameAll names what is offered, in view of what it was called before. Only tools take names from each other; what is no tool has
// the name that it would have among them, where it has none of its own.
func nameAll(all []*made, before memory) {
	offered := slices.DeleteFunc(slices.Clone(all), func(m *made) bool { return m.isEmpty() })
	tools := slices.DeleteFunc(slices.Clone(offered), func(m *made) bool { return m.tool == nil })
	groups := [][]*made{offered, tools}
	if len(tools) == len(offered) {
		groups = groups[1:]
	}
	for _, group := range groups {
		nameGroup(group, before)
	}
	for _, m := range offered {
		m.setName(m.name)
	}
}

// nameGroup names some offers among each other, and beside all others that hold a name, be they here or away.
func nameGroup(group []*made, before memory) {
	parties, here := make([]Party, len(group)), make(map[place]bool, len(group))
	for i, m := range group {
		own, _ := m.ownName()
		at := m.place()
		parties[i], here[at] = Party{Backend: at.backend, Method: at.method, Name: own, Held: before.held(at)}, true
	}
	for i, name := range ToolNames(slices.Concat(parties, before.others(here)))[:len(group)] {
		group[i].name = name
	}
}

// tell notes what the options of a method ask for in vain. Where nothing of it is offered, that is why.
func (c *Catalog) tell(m *made) {
	kind := Ignored
	if m.isEmpty() && !m.withheld {
		kind = Deficient
	}
	for _, fault := range m.faults {
		c.omitted = append(c.omitted, m.omission(fault, kind))
	}
}

// addTool adds the tool of an offer, in the pass for who has named it.
func (c *Catalog) addTool(m *made, by authority) {
	if m.tool == nil || m.namedBy() != by {
		return
	}
	name := m.tool.Definition.Name
	if other := c.byName[name]; other != nil {
		m.faults = append(m.faults, "its tool is not offered: "+inUse("name", name, other.Method)+" or by the configuration")
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

// addPrompt is to prompts, of which the configuration says nothing, what addTool is to tools.
func (c *Catalog) addPrompt(m *made, by authority) {
	named := option
	if m.options.GetPrompt().GetName() == "" {
		named = derivation
	}
	if m.prompt == nil || named != by {
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
		method := string(t.Method.FullName())
		if c.byMethod[method] == nil {
			c.byMethod[method] = t
		} else {
			c.several[method] = true
		}
	}
	backends := map[string]bool{}
	for _, t := range c.tools {
		backends[t.Backend.Name()] = true
	}
	c.backends = slices.Sorted(maps.Keys(backends))
}
