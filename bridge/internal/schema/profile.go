package schema

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// Profile chooses the dialect of JSON Schema. The zero value is Portable.
type Profile uint8

const (
	// Portable keeps to what every known client and model provider accepts.
	Portable Profile = iota
	// Rich uses references, additionalProperties and constraints. [ParseProfile] does not offer it: schemas of this
	// profile are the same as those of Portable.
	Rich
)

// ParseProfile reads a profile's name as users write it; the error lists the names there are.
func ParseProfile(name string) (Profile, error) {
	switch name {
	case "portable":
		return Portable, nil
	case "rich":
		return Portable, fmt.Errorf("schema profile %q is not available: use \"portable\", the only one there is", name)
	}
	return Portable, fmt.Errorf("unknown schema profile %q: use \"portable\", the only one there is", name)
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

// The frames of the portable profile. Texts are given up first; what then still does not fit in bytes or nodes is not
// expanded, deepest first.
var (
	inputFrame = frame{
		bytes: 16 << 10, nodes: 300, depth: 5, recursion: 1,
		wrapper: shape.InputWrapper,
		partial: "More fields are accepted than are listed here.",
	}
	outputFrame = frame{
		bytes: 8 << 10, nodes: 300, depth: 5,
		wrapper: shape.OutputWrapper,
	}
)

// Input describes the arguments of a method whose request is md, at most 16 KiB and 300 schema nodes: an object with a
// property for each field that is not OUTPUT_ONLY, messages inlined to depth 5 and into themselves once. A request that
// JSON does not write as an object stands under the property that [shape.InputWrapper] names.
func Input(md protoreflect.MessageDescriptor, _ Profile) []byte {
	return generate(md, &invitation{}, inputFrame)
}

// Output describes the results of a method whose response is md, at most 8 KiB and 300 schema nodes: an object with a
// property for each field that is not INPUT_ONLY, using only types, properties and items, with a description only where
// the structure does not tell. It requires and forbids nothing. A response that JSON does not write as an object stands
// under the property that [shape.OutputWrapper] names.
//
// The direct fields of md for which omit says so have no property; messages of the same type further down keep theirs. A nil
// omit says so of none. What the transcoder leaves out has to be left out here too: see transcode.Options.
func Output(md protoreflect.MessageDescriptor, _ Profile, omit func(protoreflect.FieldDescriptor) bool) []byte {
	return generate(md, &promise{omit: omit}, outputFrame)
}
