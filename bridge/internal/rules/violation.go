package rules

import (
	"fmt"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// Violations are all the rules that a request breaks.
type Violations struct {
	// List has at least one, in the order of the message's fields, each once: a rule of a message before those of its fields,
	// that of a oneof at the place of its first member, entries of maps in the order of their keys.
	List []Violation
}

// Violation is one rule that is broken.
type Violation struct {
	// Path is the place by advertised names, as in transcode.ArgumentError: "book.priceMoney.units", "tags[2]", `labels["env"]`;
	// "" is the arguments as a whole.
	Path string
	// Reason says what is demanded: "must be greater than 0". It is one line of at most 400 bytes without invisible characters,
	// and names values of enums and fields as the arguments do.
	Reason string
	// Rule is the id of the rule: "int32.gt"; "" where it has none.
	Rule string
}

// The bounds of [Violations.Error]: how many are listed, and the bytes of the text.
const maxListed, maxText = 20, 3800

// whole stands for the path of what is wrong with the arguments as a whole.
const whole = "the arguments as a whole"

// Error puts all violations into one text: a line that says how many arguments break rules, and one for each violation,
// "- path: reason". It lists at most 20 and takes at most 3,800 bytes, so that there is room for more around it; what is
// left out is counted in a last line.
func (v *Violations) Error() string {
	var b strings.Builder
	b.WriteString(v.headline())
	for i, one := range v.List {
		line := "\n- " + one.String()
		more := fmt.Sprintf("\n- and %d more", len(v.List)-i)
		if i == maxListed || b.Len()+len(line)+len(more) > maxText {
			b.WriteString(more)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// String puts path and reason into one line.
func (v Violation) String() string {
	if v.Path == "" {
		return whole + ": " + v.Reason
	}
	return jsonrpc.Clip(v.Path, maxPath) + ": " + v.Reason
}

func (v *Violations) headline() string {
	const tail = " the rules of the API:"
	paths := map[string]bool{}
	for _, one := range v.List {
		paths[one.Path] = true
	}
	switch {
	case paths[""]:
		return "the arguments break" + tail
	case len(paths) == 1:
		return "1 argument breaks" + tail
	}
	return fmt.Sprintf("%d arguments break%s", len(paths), tail)
}
