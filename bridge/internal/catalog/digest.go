package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// everything has all features, so that whatever any peer is shown of a tool counts. A test holds it to that.
var everything = mcp.Features{
	Modern: true, Annotations: true, Titles: true, OutputSchemas: true, AnyOutput: true, ToolMeta: true, ServerDescriptions: true,
}

// digest is over the definitions and what they stand for. Each part is preceded by its length, so that no two lists have
// one encoding.
func digest(tools []*Tool) string {
	sum := sha256.New()
	for _, t := range tools {
		part(sum, []byte(t.Backend.Name()))
		part(sum, []byte(t.Method.FullName()))
		part(sum, t.Definition.AppendJSON(nil, everything))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func part(sum hash.Hash, b []byte) {
	sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
	sum.Write(b)
}
