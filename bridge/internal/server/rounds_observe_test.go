package server_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// askingPlace is what the backend asks before it places an order.
const askingPlace = `Place: asks {"requests":[{"key":"where","roots":{}}]} | {"text":"placed"}`

// canRoots is the metadata of a client that can be asked for roots, without and with a place in a trace.
const canRoots = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}`

// TestRoundsAreOneTrace: the later round of a call is in the trace of the first, and linked to it where the client has its own.
func TestRoundsAreOneTrace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ first, second, trace string }{
		"without traces":        {"", "", "first"},
		"that of the first":     {"," + clientPlace, "", "first"},
		"one of its own":        {"", "," + clientPlace, clientTrace},
		"the same in both":      {"," + clientPlace, "," + clientPlace, clientTrace},
		"with a state of trace": {"", "," + clientPlace + `,"tracestate":"a=b"`, clientTrace},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixtureOf(t, office, askingPlace, nil)
			spans, _ := f.record(t, telemetry.Config{}, nil)
			ask := func(meta, more string) string {
				return string(f.server.Handle(t.Context(), f.gate.Stream(),
					decode(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"office_place"`+
						more+`,`+canRoots+meta+`}}}`)).Body)
			}
			state := sealed.FindString(ask(c.first, ""))
			if body := ask(c.second, `,"inputResponses":{"where":{"roots":[]}},`+state); !strings.Contains(body, "placed") {
				t.Fatal(body)
			}
			first, second := spans.Ended()[0], spans.Ended()[1]
			want := c.trace
			if want == "first" {
				want = first.SpanContext().TraceID().String()
				if second.Parent().SpanID() != first.SpanContext().SpanID() || len(second.Links()) != 0 {
					t.Errorf("the parent is %v, the links are %v", second.Parent(), second.Links())
				}
			} else if len(second.Links()) != 1 || second.Links()[0].SpanContext.SpanID() != first.SpanContext().SpanID() {
				t.Errorf("the links are %v", second.Links())
			}
			if got := second.SpanContext().TraceID().String(); got != want {
				t.Errorf("the trace is %s, not %s", got, want)
			}
			if got := eventsOf(first); got != "input_required bridge.input.round=1 bridge.input.requests=1" {
				t.Errorf("the first round has the events %s", got)
			}
			if second.Status().Description != "" || first.Status().Description != "" {
				t.Errorf("a round is an error: %v, %v", first.Status(), second.Status())
			}
		})
	}
}

// eventsOf writes the events of a span on one line.
func eventsOf(span sdktrace.ReadOnlySpan) string {
	var all []string
	for _, e := range span.Events() {
		line := e.Name
		for _, a := range e.Attributes {
			line += " " + string(a.Key) + "=" + a.Value.String()
		}
		all = append(all, line)
	}
	return strings.Join(all, ", ")
}

// TestStreamOnItsSpan: what a client is told of a stream, and where that was cut, is on the span; the content is where it is asked
// for.
func TestStreamOnItsSpan(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		f := newFixtureOf(t, office, `Track: {"progress":{"progress":1,"total":2}} | {"step":"packed"} | {"step":"sent"}`+"\n"+
			`ListParts: many 5 {"name":"part $i"}`+"\n"+`Import: {"text":"done"}`, nil)
		spans, _ := f.record(t, telemetry.Config{RecordContent: true}, nil)
		conn := f.gate.Stream()
		for _, call := range []string{
			`"name":"office_track","_meta":{"progressToken":1,`, `"name":"office_list_parts","_meta":{`,
			`"name":"office_import","arguments":{"messages":[{"amount":1},{"amount":2}]},"_meta":{`,
		} {
			params := call + strings.TrimPrefix(canRoots, `"_meta":{`)
			f.server.Admit(t.Context(), conn, decode(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+params+`}}}`), &tape{}).Run()
		}
		var got []string
		for _, span := range spans.Ended() {
			line := span.Name() + ": " + eventsOf(span)
			for _, a := range span.Attributes() {
				if strings.HasPrefix(string(a.Key), "gen_ai.tool.call.") {
					line += "; " + a.Value.String()
				}
			}
			got = append(got, line)
		}
		want := []string{
			`tools/call office_track: progress bridge.progress=1 bridge.progress.total=2; {}; [{"step":"packed"},{"step":"sent"}]`,
			`tools/call office_list_parts: truncated bridge.truncated.reason=messages bridge.truncated.messages=3; {}; ` +
				`[{"name":"part 1"},{"name":"part 2"},{"name":"part 3"}]`,
			`tools/call office_import: ; {"messages":[{"amount":1},{"amount":2}]}; {"text":"done"}`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("spans (-want +got):\n%s", diff)
		}
	})
}
