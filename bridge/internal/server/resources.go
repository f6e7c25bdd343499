package server

import (
	"cmp"
	"strconv"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// readResource answers resources/read (2026-07-28 server/resources, "Reading
// Resources").
func (s *Server) readResource(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	uri, err := mcp.ParseURI(r.params.Raw())
	if err != nil {
		return nil, err
	}
	f := r.scope.Features
	address, ok := s.catalog().Resource(uri)
	if !ok {
		return nil, unknownResource(uri, f)
	}
	call := r.start(readingTarget(address.Reading))
	if err := r.admits(&call.target, "resource"); err != nil {
		return nil, err
	}
	contents, warnings, failure := s.read(call, &address)
	if failure != nil {
		fault := s.sort(r.ctx, &call.target, failure)
		call.failed(fault)
		if fault.kind == faultQuestion {
			return s.appendQuestion(r, dst, &call.target, fault.question)
		}
		if fault.notFound() {
			return nil, mcp.ResourceNotFound(uri, fault.message(), f)
		}
		return nil, r.failedBy(fault)
	}
	call.succeeded(warnings)
	result := mcp.ReadResourceResult{Contents: contents, Meta: s.metas[f]}
	return result.AppendJSON(s.room(dst, sizeOfContents(contents)), f), nil
}

// read reads a resource and returns its contents, never none of them, and how
// many values of them were replaced.
func (s *Server) read(c *call, a *catalog.Address) ([]mcp.ResourceContents, int, error) {
	reply, err := s.invoke(c, a.Arguments)
	if err != nil {
		return nil, 0, err
	}
	wire := reply.ReadOnlyData()
	contents, warnings, err := contentsOf(&c.target, a, wire)
	if err != nil {
		return nil, 0, err
	}
	m := c.measure()
	m.contents(contents)
	return contents, warnings, m.err(wire)
}

// contentsOf returns what a reply has for a resource, and how many values were
// replaced. Data without contents is contents of JSON; where there can be no
// data, it is an empty text.
func contentsOf(t *target, a *catalog.Address, reply []byte) ([]mcp.ResourceContents, int, error) {
	contents, err := t.output.Contents(reply, a.URI, a.Reading.MimeType)
	if err != nil || len(contents) > 0 {
		return contents, 0, err
	}
	if t.output.Only() {
		return []mcp.ResourceContents{{URI: a.URI, MimeType: cmp.Or(a.Reading.MimeType, "text/plain")}}, 0, nil
	}
	text, warnings, err := t.codec.AppendJSON(nil, reply)
	if err != nil {
		return nil, 0, err
	}
	whole := mcp.ResourceContents{URI: a.URI, MimeType: "application/json", Text: string(text)}
	if t.output.Plain() { // else the definition's type is that of the contents
		whole.MimeType = cmp.Or(a.Reading.MimeType, whole.MimeType)
	}
	return []mcp.ResourceContents{whole}, len(warnings), nil
}

// unknownResource returns the error for a URI that is not in the catalog.
func unknownResource(uri string, f mcp.Features) *jsonrpc.Error {
	return mcp.ResourceNotFound(uri, "unknown resource "+quote(uri)+": resources/list and resources/templates/list name those there are", f)
}

// sizeOfContents guesses the bytes of contents in JSON.
func sizeOfContents(contents []mcp.ResourceContents) int {
	size := 512
	for i := range contents {
		c := &contents[i]
		size += len(c.URI) + len(c.Text) + len(c.Text)/8 + 2*len(c.Blob) + 64
	}
	return size
}

// subscribe answers resources/subscribe (2025-11-25 server/resources,
// "Subscriptions"), the legacy way to be told of changes.
func (s *Server) subscribe(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	uri, err := mcp.ParseURI(r.params.Raw())
	if err != nil {
		return nil, err
	}
	address, ok := s.catalog().Resource(uri)
	if !ok {
		return nil, unknownResource(uri, r.scope.Features)
	}
	needs := readingTarget(address.Reading)
	if err := r.admits(&needs, "resource"); err != nil {
		return nil, err
	}
	if _, failure := placeOf(&address); failure != nil {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "resource %s cannot be watched: %v", quote(uri), failure)
	}
	if err := s.hub.hasRoom(uri, address.Reading.Backend.Name()); err != nil {
		return nil, err
	}
	if refusal := r.conn.Subscribe(r.ctx, uri); refusal != nil {
		return nil, r.refuse(refusal)
	}
	s.hub.retainFor(r.conn.Key(), uri)
	s.hub.resubscribed(r.conn.Key())
	s.hub.awaitFor(r.ctx, r.conn.Key(), uri)
	return mcp.AppendEmptyResult(dst, r.scope.Features, nil), nil
}

// unsubscribe answers resources/unsubscribe; a URI without a subscription is
// none that could fail to end.
func (s *Server) unsubscribe(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	uri, err := mcp.ParseURI(r.params.Raw())
	if err != nil {
		return nil, err
	}
	if refusal := r.conn.Unsubscribe(r.ctx, uri); refusal != nil {
		return nil, r.refuse(refusal)
	}
	s.hub.resubscribed(r.conn.Key())
	return mcp.AppendEmptyResult(dst, r.scope.Features, nil), nil
}

// quote repeats a peer's own text in an error.
func quote(text string) string { return strconv.Quote(jsonrpc.Echo(text)) }
