package lint

import (
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// MaxTools is how many tools a list may have before it is too long: above it, models choose worse.
const MaxTools = 40

// Tokens estimates how many tokens so many bytes of a tool's definition cost a model.
func Tokens(bytes int) int { return (bytes + 3) / 4 }

// Listing looks at all the tools of a list together: how many there are, and which names clients cannot tell apart. In the
// result, findings that concern one tool stand under its name, those on the list as a whole under "".
func Listing(tools []*mcp.Tool) map[string][]Finding {
	found := Collisions(tools)
	if len(tools) > MaxTools {
		var f findings
		f.add(tooManyTools, "", "offer fewer, by expose and hide, or all of them by way of three with the mode search",
			"%d tools cost a model about %d tokens before it has done anything, and above %d it chooses worse",
			len(tools), cost(tools), MaxTools)
		found[""] = f
	}
	return found
}

// Collisions is the part of [Listing] that is about names.
func Collisions(tools []*mcp.Tool) map[string][]Finding {
	found := map[string][]Finding{}
	for _, c := range clients {
		byName := map[string]string{}
		for _, t := range tools {
			f := findings(found[t.Name])
			f.client(c, t.Name, byName)
			if len(f) > 0 {
				found[t.Name] = f
			}
		}
	}
	return found
}

// cost is how many tokens the tools take in the newest revision.
func cost(tools []*mcp.Tool) int {
	newest := mcp.Features{
		Modern: true, Annotations: true, Titles: true, OutputSchemas: true, AnyOutput: true, ToolMeta: true, ParamHeaders: true,
	}
	var buffer []byte
	total := 0
	for _, t := range tools {
		buffer = t.AppendJSON(buffer[:0], newest)
		total += Tokens(len(buffer))
	}
	return total
}

// client looks at one name as one client does; byName are the names so far, by what the client makes of them.
func (f *findings) client(c client, name string, byName map[string]string) {
	const mend = "give one of them another name, by bridge.v1 or the configuration"
	made, shown := c.mangle(name)
	switch other, taken := byName[made]; {
	case !shown:
		f.add(nameFiltered, "name", "give it a shorter name, by bridge.v1 or the configuration",
			"%s leaves the tool out: with the name of a server of 13 characters its name is over %d", c.name, c.limit)
	case taken && !slices.ContainsFunc(*f, isCollision): // once is enough
		f.add(nameCollides, "name", mend, "%s makes %s of it and of %s, and can call only one of them", c.name, made, other)
	case !taken:
		byName[made] = name
	}
}

func isCollision(f Finding) bool { return f.Rule == rules[nameCollides].ID }

// server stands for the name of a server in a client's configuration.
const server = "s234567890123"

// client is what one client makes of names (versions of 2026).
type client struct {
	name  string
	limit int
	// mangle returns what the model sees; false where the tool is left out.
	mangle func(name string) (made string, shown bool)
}

var clients = []client{
	{"Claude Code", 128, func(name string) (string, bool) {
		made := "mcp__" + server + "__" + replaced(name, "-")
		return made, len(made) <= 128
	}},
	{"Codex", 64, func(name string) (string, bool) {
		made := "mcp__" + server + "__" + replaced(name, "-")
		if len(made) > 64 { // cut, and told apart by a hash of the whole name
			return made + name, true
		}
		return made, true
	}},
	{"Gemini CLI", 63, func(name string) (string, bool) {
		made := "mcp_" + server + "_" + replaced(name, "-.:")
		if len(made) > 63 {
			made = made[:30] + "..." + made[len(made)-30:]
		}
		return made, true
	}},
	{"VS Code", 64, func(name string) (string, bool) {
		made := "mcp_" + server + "_" + replaced(name, "-")
		return made[:min(len(made), 64)], true
	}},
	{"Cursor", 60, func(name string) (string, bool) { return name, len(server)+len(name) <= 60 }},
}

// replaced puts underscores in the place of what is neither a letter, a digit, an underscore nor allowed.
func replaced(name, allowed string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && isWord(byte(r)) || strings.ContainsRune(allowed, r) {
			return r
		}
		return '_'
	}, name)
}
