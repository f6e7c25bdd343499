package schema

import (
	"fmt"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// Profile chooses the dialect of JSON Schema. The zero value is Portable.
type Profile uint8

const (
	// Portable keeps to what every known client and model provider accepts.
	Portable Profile = iota
	// Rich uses all of JSON Schema 2020-12 that draft-07 reads too: references, additionalProperties and the keywords for
	// constraints. It is for clients that are known to read them.
	Rich
)

// ParseProfile reads a profile's name as users write it; the error lists the names there are.
func ParseProfile(name string) (Profile, error) {
	switch name {
	case "portable":
		return Portable, nil
	case "rich":
		return Rich, nil
	}
	return Portable, fmt.Errorf("unknown schema profile %q: use \"portable\" or \"rich\"", name)
}

// String returns the profile's name.
func (p Profile) String() string {
	switch p {
	case Portable:
		return "portable"
	case Rich:
		return "rich"
	}
	return fmt.Sprintf("Profile(%d)", uint8(p))
}

// The frames of the portable profile.
var (
	inputFrame = frame{
		bytes: 16 << 10, nodes: 300, depth: 5, recursion: 1, open: true, sent: true,
		wrapper: shape.InputWrapper,
		partial: "More fields are accepted than are listed here.",
		levels:  inputLevels,
	}
	fullFrame = frame{
		bytes: 16 << 10, nodes: 300, depth: 5, recursion: 1, open: true, sent: true,
		wrapper: shape.InputWrapper,
		partial: "More fields are accepted than are listed here.",
		levels:  fullLevels,
	}
	outputFrame = frame{
		bytes: 8 << 10, nodes: 300, depth: 5,
		wrapper: shape.OutputWrapper,
		levels:  outputLevels,
	}
)
