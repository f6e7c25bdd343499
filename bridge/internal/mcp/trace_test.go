package mcp_test

import (
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// TestTrace: what is not valid W3C Trace Context is as if it were absent, and fails no request.
func TestTrace(t *testing.T) {
	t.Parallel()
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for name, c := range map[string]struct {
		meta string
		want mcp.Trace
	}{
		"parent": {`"traceparent":"` + parent + `"`, mcp.Trace{Parent: parent}},
		"both": {
			`"tracestate":"a=1,b@c=2 , ,d=x/y","traceparent":"` + parent + `"`, mcp.Trace{Parent: parent, State: "a=1,b@c=2 , ,d=x/y"},
		},
		"later version":     {`"traceparent":"cc` + parent[2:] + `-more"`, mcp.Trace{Parent: "cc" + parent[2:] + "-more"}},
		"unknown flags":     {`"traceparent":"` + parent[:53] + `ff"`, mcp.Trace{Parent: parent[:53] + "03"}},
		"unknown and later": {`"traceparent":"cc` + parent[2:53] + `08-more"`, mcp.Trace{Parent: "cc" + parent[2:53] + "00-more"}},
		"state alone":       {`"tracestate":"a=1"`, mcp.Trace{}},
		"version ff":        {`"traceparent":"ff` + parent[2:] + `"`, mcp.Trace{}},
		"longer":            {`"traceparent":"` + parent + `-more"`, mcp.Trace{}},
		"later and glued":   {`"traceparent":"cc` + parent[2:] + `more"`, mcp.Trace{}},
		"upper case":        {`"traceparent":"` + strings.ToUpper(parent) + `"`, mcp.Trace{}},
		"no trace":          {`"traceparent":"00-00000000000000000000000000000000-00f067aa0ba902b7-01"`, mcp.Trace{}},
		"no span":           {`"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"`, mcp.Trace{}},
		"other separators":  {`"traceparent":"` + strings.ReplaceAll(parent, "-", "_") + `"`, mcp.Trace{}},
		"short":             {`"traceparent":"00-"`, mcp.Trace{}},
		"a number":          {`"traceparent":1`, mcp.Trace{}},
		"line end":          {`"traceparent":"cc` + parent[2:] + `-\r\nx: y"`, mcp.Trace{}},
		"line end in state": {`"traceparent":"` + parent + `","tracestate":"a=1\n"`, mcp.Trace{Parent: parent}},
		"no list":           {`"traceparent":"` + parent + `","tracestate":"a"`, mcp.Trace{Parent: parent}},
		"too long":          {`"traceparent":"` + parent + `","tracestate":"a=` + strings.Repeat("x", 511) + `"`, mcp.Trace{Parent: parent}},
		"too many":          {`"traceparent":"` + parent + `","tracestate":"` + strings.Repeat("a=1,", 32) + `b=1"`, mcp.Trace{Parent: parent}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			meta, err := mcp.ParseMeta(jsonrpc.ObjectOf([]byte(`{"_meta":{` + c.meta + `}}`)))
			if err != nil || meta.Trace != c.want {
				t.Errorf("got %+v, %v", meta.Trace, err)
			}
		})
	}
}

// TestParseBaggage: what is over a limit is as if it were absent.
func TestParseBaggage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ params, want string }{
		"one":           {`{"_meta":{"baggage":"user=alice"}}`, "user=alice"},
		"properties":    {`{"_meta":{"a":1,"baggage":"a=1;p=2;q , b=%20x"}}`, "a=1;p=2;q , b=%20x"},
		"64 members":    {`{"_meta":{"baggage":"` + strings.Repeat("a=1,", 63) + `b=1"}}`, strings.Repeat("a=1,", 63) + "b=1"},
		"65 members":    {`{"_meta":{"baggage":"` + strings.Repeat("a=1,", 64) + `b=1"}}`, ""},
		"8192 bytes":    {`{"_meta":{"baggage":"a=` + strings.Repeat("x", 8190) + `"}}`, "a=" + strings.Repeat("x", 8190)},
		"8193 bytes":    {`{"_meta":{"baggage":"a=` + strings.Repeat("x", 8191) + `"}}`, ""},
		"line end":      {`{"_meta":{"baggage":"a=1\r\nb: 2"}}`, ""},
		"not ASCII":     {`{"_meta":{"baggage":"a=é"}}`, ""},
		"a number":      {`{"_meta":{"baggage":1}}`, ""},
		"none":          {`{"_meta":{}}`, ""},
		"no metadata":   {`{}`, ""},
		"metadata null": {`{"_meta":null}`, ""},
		"no params":     {``, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := mcp.ParseBaggage(jsonrpc.ObjectOf([]byte(c.params))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTraceIDMeta(t *testing.T) {
	t.Parallel()
	const want = `{"io.github.mcpgrpc/traceId":"4bf92f3577b34da6a3ce929d0e0e4736"}`
	if got := string(mcp.TraceIDMeta("4bf92f3577b34da6a3ce929d0e0e4736")); got != want {
		t.Errorf("got %s", got)
	}
	if got := mcp.TraceIDMeta(""); got != nil {
		t.Errorf("of no trace: %s", got)
	}
}
