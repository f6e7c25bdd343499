package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// modernMeta is what a request of the newest revision says of itself, without the braces.
const modernMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`

// toolCall is a call of the newest revision; meta is more of its _meta, which begins with a comma, or "".
func toolCall(id int, tool, arguments, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{%s%s}}}`,
		id, tool, arguments, modernMeta, meta)
}

// modernHeaders are those of a call of the newest revision.
func modernHeaders(tool string) map[string]string {
	return map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool}
}

// readExport decodes what was sent by HTTP.
func readExport(t *testing.T, r *http.Request) *collectorv1.ExportTraceServiceRequest {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	request := &collectorv1.ExportTraceServiceRequest{}
	if err := proto.Unmarshal(body, request); err != nil {
		t.Error(err)
	}
	return request
}

// resource returns attributes of the resource by name.
func (e export) resource(names ...string) map[string]string {
	found := map[string]string{}
	for _, r := range e.request.GetResourceSpans() {
		for _, a := range r.GetResource().GetAttributes() {
			if slices.Contains(names, a.GetKey()) {
				found[a.GetKey()] = a.GetValue().GetStringValue()
			}
		}
	}
	return found
}

func (e export) spans() []*tracev1.Span {
	var spans []*tracev1.Span
	for _, r := range e.request.GetResourceSpans() {
		for _, s := range r.GetScopeSpans() {
			spans = append(spans, s.GetSpans()...)
		}
	}
	return spans
}

// named returns the names of the spans of a kind.
func (e export) named(kind tracev1.Span_SpanKind) []string {
	var names []string
	for _, s := range e.spans() {
		if s.GetKind() == kind {
			names = append(names, s.GetName())
		}
	}
	return names
}
