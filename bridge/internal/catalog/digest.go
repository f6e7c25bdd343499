package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// everything has all features, so that whatever any peer is shown of a tool counts. A test holds it to that.
var everything = mcp.Features{
	Modern: true, Annotations: true, Titles: true, OutputSchemas: true, AnyOutput: true, ToolMeta: true, ServerDescriptions: true,
	Audio: true, Completions: true, ResourceLinks: true, LastModified: true, Batches: true, Polling: true, ParamHeaders: true,
	ProgressMessages: true, Elicitation: true, URLElicitation: true, SamplingTools: true, Tasks: true,
}

// Digests are SHA-256 in hexadecimal, one for each kind of things of which clients are told that its list has changed.
type Digests struct {
	// Tools is over tools/list, Prompts over prompts/list, Resources over resources/list and resources/templates/list, as
	// peers with all features see them. An empty list has a digest too.
	Tools, Prompts, Resources string
}

// Digests returns the digests of the lists: two catalogs have the same one exactly if clients see the same list.
func (c *Catalog) Digests() Digests { return c.digests }

// Digest is a SHA-256 in hexadecimal over everything that is offered: two catalogs have the same one exactly if they offer
// the same things with the same definitions, and serve them by the same methods of the same backends in the same way.
func (c *Catalog) Digest() string { return c.digest }

// sum makes the digests.
func (c *Catalog) sum() {
	tools, prompts, resources, all := sha256.New(), sha256.New(), sha256.New(), sha256.New()
	var written []byte // each definition in turn
	add := func(to hash.Hash, e entry) {
		written = e.AppendJSON(written[:0], everything)
		part(to, written)
	}
	for _, d := range c.shown() {
		add(tools, d)
	}
	for _, t := range c.tools {
		if c.searching {
			add(all, &t.Definition)
		}
		way(all, t.Backend.Name(), t.Method, t.RequiredCapabilities, t.ReloadAfter, t.CloseStreamAfter,
			t.Stream.String(), t.Responses != nil, t.Task, t.Operation)
	}
	for _, p := range c.prompts {
		add(prompts, &p.Definition)
		way(all, p.Backend.Name(), p.Method, p.RequiredCapabilities, p.ReloadAfter)
	}
	for _, r := range c.resources {
		add(resources, &r.Definition)
		r.Reading.way(all)
	}
	for _, t := range c.templates {
		add(resources, &t.Definition)
		t.Reading.way(all)
	}
	c.digests = Digests{hex.EncodeToString(tools.Sum(nil)), hex.EncodeToString(prompts.Sum(nil)), hex.EncodeToString(resources.Sum(nil))}
	part(all, fmt.Append(nil, c.digests))
	c.digest = hex.EncodeToString(all.Sum(nil))
}

// way adds how something is served.
func way(sum hash.Hash, backend string, method protoreflect.MethodDescriptor, more ...any) {
	part(sum, []byte(backend))
	part(sum, []byte(method.FullName()))
	part(sum, fmt.Appendf(nil, "%#v", more))
}

func (r *Reading) way(sum hash.Hash) {
	watch, paths := "", ""
	if r.Watch != nil {
		watch = string(r.Watch.FullName())
	}
	for _, b := range r.bindings {
		paths += b.variable + "=" + strings.Join(b.path, ".") + ","
	}
	way(sum, r.Backend.Name(), r.Method, r.RequiredCapabilities, r.ReloadAfter, watch, paths)
}

// part adds bytes, preceded by their length, so that no two lists of parts have one encoding.
func part(sum hash.Hash, b []byte) {
	sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
	sum.Write(b)
}
