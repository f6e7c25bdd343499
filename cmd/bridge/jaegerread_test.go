//go:build real

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// shownAttributes are those that a trace is compared by.
var shownAttributes = []string{
	"error.type", "gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.arguments", "jsonrpc.request.id", "mcp.method.name",
	"mcp.protocol.version", "mcp.session.id", "network.transport", "rpc.response.status_code",
}

// foundSpan is a span as Jaeger gives it back, in the JSON of OTLP.
type foundSpan struct {
	SpanID       string       `json:"spanId"`
	ParentSpanID string       `json:"parentSpanId"`
	Start        string       `json:"startTimeUnixNano"` // all of one length
	Name         string       `json:"name"`
	Kind         int          `json:"kind"`
	Attributes   []foundPair  `json:"attributes"`
	Events       []foundEvent `json:"events"`
	Links        []struct {
		TraceID string `json:"traceId"`
		SpanID  string `json:"spanId"`
	} `json:"links"`
	Status struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"status"`

	service string
}

type foundEvent struct {
	Name       string      `json:"name"`
	Attributes []foundPair `json:"attributes"`
}

type foundPair struct {
	Key   string `json:"key"`
	Value struct {
		StringValue string      `json:"stringValue"`
		IntValue    string      `json:"intValue"`
		DoubleValue json.Number `json:"doubleValue"`
	} `json:"value"`
}

// read waits until Jaeger has as many spans of a trace as there should be, and shows them: see traceCase.
func (j *jaegerTest) read(t *testing.T, id string, count int) string {
	t.Helper()
	spans := j.waitFor(t, id, func(spans []foundSpan) bool { return len(spans) >= count })
	known := map[string]bool{}
	for _, s := range spans {
		known[s.SpanID] = true
	}
	var b strings.Builder
	for _, s := range spans {
		if !known[s.ParentSpanID] {
			j.show(t, &b, spans, s, "")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// show writes a span and those below it.
func (j *jaegerTest) show(t *testing.T, b *strings.Builder, spans []foundSpan, s foundSpan, indent string) {
	t.Helper()
	fmt.Fprintf(b, "%s%s %s %s", indent, s.service, [...]string{"?", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"}[s.Kind], s.Name)
	if s.Status.Code == 2 {
		b.WriteString(" ERROR")
		if s.Kind == 2 {
			fmt.Fprintf(b, "(%s)", s.Status.Message)
		}
	}
	for _, name := range shownAttributes {
		for _, a := range s.Attributes {
			if a.Key == name && (s.Kind == 2 && strings.HasPrefix(s.Name, "tools/") || !strings.HasPrefix(name, "network.")) {
				fmt.Fprintf(b, " %s=%s", name, a.Value.StringValue)
			}
		}
	}
	for _, l := range s.Links {
		linked := j.waitFor(t, l.TraceID, func(found []foundSpan) bool {
			return slices.ContainsFunc(found, func(f foundSpan) bool { return f.SpanID == l.SpanID })
		})
		i := slices.IndexFunc(linked, func(f foundSpan) bool { return f.SpanID == l.SpanID })
		fmt.Fprintf(b, " link=%s", linked[i].Name)
	}
	s.showEvents(b)
	b.WriteString("\n")
	for _, child := range spans {
		if child.ParentSpanID == s.SpanID {
			j.show(t, b, spans, child, indent+" ")
		}
	}
}

// showEvents writes the events of a span, with their attributes by name. How often a task tells how far it has come is a matter of
// time: of that it writes that it does.
func (s *foundSpan) showEvents(b *strings.Builder) {
	events := s.Events
	if tells := func(e foundEvent) bool { return e.Name == "progress" }; s.Kind == 1 && slices.ContainsFunc(events, tells) {
		events = slices.DeleteFunc(slices.Clone(events), tells)
		b.WriteString(" [progress]")
	}
	for _, e := range events {
		fmt.Fprintf(b, " [%s", e.Name)
		slices.SortFunc(e.Attributes, func(x, y foundPair) int { return strings.Compare(x.Key, y.Key) })
		for _, a := range e.Attributes {
			fmt.Fprintf(b, " %s=%s", a.Key, cmp.Or(a.Value.StringValue, a.Value.IntValue, a.Value.DoubleValue.String()))
		}
		b.WriteString("]")
	}
}

// waitFor reads a trace until enough of it is there.
func (j *jaegerTest) waitFor(t *testing.T, id string, enough func([]foundSpan) bool) []foundSpan {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		spans := j.ask(t, id)
		if enough(spans) {
			return spans
		}
		if time.Now().After(deadline) {
			t.Fatalf("trace %s has no more than %d spans: %+v", id, len(spans), spans)
		}
	}
}

// ask reads what Jaeger has of a trace so far.
func (j *jaegerTest) ask(t *testing.T, id string) []foundSpan {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, j.query+"/api/v3/traces/"+id, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Result struct {
			ResourceSpans []struct {
				Resource   struct{ Attributes []foundPair } `json:"resource"`
				ScopeSpans []struct{ Spans []foundSpan }    `json:"scopeSpans"`
			} `json:"resourceSpans"`
		} `json:"result"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	var spans []foundSpan // by their beginnings, as the clock is that of one machine
	for _, r := range answer.Result.ResourceSpans {
		i := slices.IndexFunc(r.Resource.Attributes, func(p foundPair) bool { return p.Key == "service.name" })
		for _, scope := range r.ScopeSpans {
			for _, s := range scope.Spans {
				s.service = r.Resource.Attributes[i].Value.StringValue
				spans = append(spans, s)
			}
		}
	}
	slices.SortStableFunc(spans, func(x, y foundSpan) int { return strings.Compare(x.Start, y.Start) })
	return spans
}
