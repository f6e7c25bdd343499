package mcp

import (
	"bytes"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// Tool is one entry of tools/list.
type Tool struct {
	// Name is what tools/call names; unique within a server.
	Name string
	// Title is the name for people; "" for none.
	Title string
	// Description is for the model; "" for none.
	Description string
	// InputSchema is compact JSON: a schema of type object, never nil.
	InputSchema []byte
	// HeaderSchema is InputSchema with x-mcp-header, for peers with ParamHeaders;
	// nil means InputSchema.
	HeaderSchema []byte
	// OutputSchema is compact JSON; nil for none.
	OutputSchema []byte
	// Hints tell of the tool's effects.
	Hints Hints
	// Meta is the _meta object as compact JSON; nil for none.
	Meta []byte
}

// Hints tell of a tool's effects. A nil hint is not said; the protocol's
// defaults then hold, which are the careful ones: not read-only, destructive,
// not idempotent, open world.
type Hints struct {
	// ReadOnly says that the tool changes nothing.
	ReadOnly *bool
	// Destructive says that a change may destroy something.
	Destructive *bool
	// Idempotent says that a second call with the same arguments changes nothing more.
	Idempotent *bool
	// OpenWorld says that the tool reaches beyond a closed domain.
	OpenWorld *bool
}

// AppendJSON appends the tool as a JSON object, with the members that f has:
// three in 2024-11-05; annotations, which then carry the title too, from
// 2025-03-26; title, outputSchema and _meta from 2025-06-18.
func (t *Tool) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.text("name", t.Name)
	if f.Titles {
		o.optional("title", t.Title)
	}
	o.optional("description", t.Description)
	if f.ParamHeaders && t.HeaderSchema != nil {
		o.raw("inputSchema", t.HeaderSchema)
	} else {
		o.raw("inputSchema", t.InputSchema)
	}
	if f.OutputSchemas && (f.AnyOutput || isObjectSchema(t.OutputSchema)) {
		o.raw("outputSchema", t.OutputSchema)
	}
	if f.Annotations {
		t.appendAnnotations(&o, f)
	}
	if f.ToolMeta {
		o.raw("_meta", t.Meta)
	}
	return o.close()
}

// appendAnnotations appends the annotations member, unless it would be empty.
func (t *Tool) appendAnnotations(o *object, f Features) {
	title := t.Title
	if f.Titles {
		title = ""
	}
	if title == "" && t.Hints == (Hints{}) {
		return
	}
	o.name("annotations")
	a := newObject(o.dst)
	a.optional("title", title)
	a.flag("readOnlyHint", t.Hints.ReadOnly)
	a.flag("destructiveHint", t.Hints.Destructive)
	a.flag("idempotentHint", t.Hints.Idempotent)
	a.flag("openWorldHint", t.Hints.OpenWorld)
	o.dst = a.close()
}

// isObjectSchema reports whether a schema's type is object, the only one that
// an outputSchema may have before 2026-07-28.
func isObjectSchema(schema []byte) bool {
	kind, _ := jsonrpc.Find(schema, "type")
	return bytes.Equal(kind, []byte(`"object"`))
}
