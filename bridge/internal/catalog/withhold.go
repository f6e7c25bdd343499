package catalog

import (
	"fmt"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// withhold leaves out the tools in which the linter finds an error: some client or model provider refuses such a tool, be it
// with all others of the list. Derived names have been given before, so that nothing else is renamed by it.
func (c *Catalog) withhold(all []*made) {
	reasons := make([]string, len(all))
	each(len(all), func(i int) { reasons[i] = all[i].refusal() })
	for i, m := range all {
		if reasons[i] != "" {
			c.refuse(m.tool, reasons[i])
			m.tool, m.withheld = nil, true
		}
	}
}

// refusal says what clients would refuse of the tool, "" for nothing or no tool. A fault of the linter's own costs the one
// tool, as one of compile does.
func (m *made) refusal() (reason string) {
	defer func() {
		if fault := recover(); fault != nil {
			reason = fmt.Sprintf("internal fault while looking for what clients refuse: %v; please report it with the descriptors", fault)
		}
	}()
	if m.tool == nil {
		return ""
	}
	return refusalOf(lint.Errors(m.tool.Subject))
}

// maxRefusals is how many findings a reason tells.
const maxRefusals = 3

// refusalOf puts the errors among some findings into one sentence.
func refusalOf(findings []lint.Finding) string {
	var told []string
	more := 0
	for _, f := range findings {
		switch {
		case f.Severity != lint.Error:
		case len(told) == maxRefusals:
			more++
		case f.Where == "":
			told = append(told, fmt.Sprintf("%s: %s", f.Reason, f.Mend))
		default:
			told = append(told, fmt.Sprintf("%s: %s: %s", f.Where, f.Reason, f.Mend))
		}
	}
	if more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(told, "; ")
}

// withholdTogether leaves out the tools that clients refuse for what they are beside the others in a list, in which they do
// not stand when they are searched for.
func (c *Catalog) withholdTogether() {
	if c.searching {
		return
	}
	list := make([]*mcp.Tool, len(c.tools))
	for i, t := range c.tools {
		list[i] = &t.Definition
	}
	found := lint.Collisions(list)
	kept := c.tools[:0]
	for _, t := range c.tools {
		reason := refusalOf(found[t.Definition.Name])
		if reason == "" {
			kept = append(kept, t)
			continue
		}
		delete(c.byName, t.Definition.Name)
		c.refuse(t, reason)
	}
	c.tools = kept
}

// refuse notes that a tool is withheld, also under the name that it would have had.
func (c *Catalog) refuse(t *Tool, reason string) {
	o := Omission{Backend: t.Backend.Name(), Method: string(t.Method.FullName()), Reason: reason, Kind: Withheld}
	c.omitted = append(c.omitted, o)
	c.refused[t.Definition.Name] = o
}
