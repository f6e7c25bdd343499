package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// clientCapabilities are the paths of what MCP clients can declare, in any revision (ClientCapabilities). What is below the
// last two has names of its own.
var clientCapabilities = []string{
	"roots", "roots.listChanged", "sampling", "sampling.context", "sampling.tools", "elicitation", "elicitation.form",
	"elicitation.url", "tasks", "tasks.list", "tasks.cancel", "tasks.requests", "tasks.requests.elicitation",
	"tasks.requests.elicitation.create", "tasks.requests.sampling", "tasks.requests.sampling.createMessage", "experimental", "extensions",
}

// ownCapability is the form of the name of a capability that the specification does not know, such as
// `io.modelcontextprotocol/tasks`.
var ownCapability = regexp.MustCompile(`^[A-Za-z0-9_/-]+(\.[A-Za-z0-9_/-]+)*$`)

// checkCapability refuses the path of a capability that no client can have, see [mcp.HasCapability]: with it, nobody could
// ever call the method.
func checkCapability(path string) error {
	first, rest, nested := strings.Cut(path, ".")
	open := first == "experimental" || first == "extensions"
	if slices.Contains(clientCapabilities, path) || nested && open && ownCapability.MatchString(rest) {
		return nil
	}
	mend := "name one such as sampling or elicitation.url; those of one's own begin with experimental. or extensions."
	if nested && open {
		mend = "behind " + first + ". comes a name of letters, digits, _, - and /, with dots within"
	} else if near := shape.Nearest(path, clientCapabilities); near != "" {
		mend = "did you mean " + near + "?"
	} else if near := shape.Nearest(first, []string{"experimental", "extensions"}); nested && near != "" && ownCapability.MatchString(rest) {
		mend = "did you mean " + near + "." + rest + "?"
	}
	return fmt.Errorf("required_capabilities has %q, which no client can have: %s", path, mend)
}
