package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
)

// collector takes spans by OTLP over HTTP.
type collector struct {
	mu    sync.Mutex
	spans []*tracev1.ResourceSpans
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var export collectorv1.ExportTraceServiceRequest
	body, err := io.ReadAll(r.Body)
	if err != nil || proto.Unmarshal(body, &export) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spans = append(c.spans, export.GetResourceSpans()...)
}

// told returns "service: span in trace below parent" of each span.
func (c *collector) told() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, r := range c.spans {
		service := ""
		for _, a := range r.GetResource().GetAttributes() {
			if a.GetKey() == "service.name" {
				service = a.GetValue().GetStringValue()
			}
		}
		for _, scope := range r.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				all = append(all, fmt.Sprintf("%s: %s in %x below %x", service, s.GetName(), s.GetTraceId(), s.GetParentSpanId()))
			}
		}
	}
	return all
}

const (
	traceID  = "0af7651916cd43dd8448eb211c80319c"
	parentID = "b7ad6b7169203331"
)

// callOnce serves the library, calls it once below a span of the caller's, asks for its health and its descriptors, and ends it.
func callOnce(t *testing.T) {
	t.Helper()
	t.Run("call", func(t *testing.T) {
		addr, _ := started(t, "library")
		ctx := metadata.AppendToOutgoingContext(t.Context(), "traceparent", "00-"+traceID+"-"+parentID+"-01")
		book, err := libraryv1.NewLibraryServiceClient(dial(t, addr)).GetBook(ctx, &libraryv1.GetBookRequest{Name: "books/dune"})
		if err != nil || book.GetTitle() != "Dune" {
			t.Errorf("GetBook = %v, %v", book, err)
		}
		if code := run(t.Context(), []string{"health", "--listen", addr}, io.Discard, io.Discard); code != 0 {
			t.Errorf("health: exit %d", code)
		}
	})
}

// TestTraces: the span of a call is below the caller's, and is there when the program has ended; a health check has none.
func TestTraces(t *testing.T) {
	const below = " in " + traceID + " below " + parentID
	tests := map[string]struct {
		env  map[string]string
		want string
	}{
		"endpoint":            {nil, "library: library.v1.LibraryService/GetBook" + below},
		"named":               {map[string]string{"OTEL_SERVICE_NAME": "shelf"}, "shelf: library.v1.LibraryService/GetBook" + below},
		"exporter":            {map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, "library: library.v1.LibraryService/GetBook" + below},
		"disabled":            {map[string]string{"OTEL_SDK_DISABLED": "true"}, ""},
		"no exporter":         {map[string]string{"OTEL_TRACES_EXPORTER": "none"}, ""},
		"none recorded":       {map[string]string{"OTEL_TRACES_SAMPLER": "always_off"}, ""},
		"nowhere to be taken": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			taken := new(collector)
			server := httptest.NewServer(taken)
			defer server.Close()
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
			for key, value := range tt.env {
				t.Setenv(key, value)
			}
			callOnce(t)
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			if got := taken.told(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("spans %q, want %q", got, want)
			}
		})
	}
}

// TestUnknownExporter: what the environment asks for and is not there is an error, and not a server without spans.
func TestUnknownExporter(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "pigeon")
	var stderr bytes.Buffer
	if code := run(context.Background(), []string{"--listen", "127.0.0.1:0", "library"}, io.Discard, &stderr); code != 1 ||
		!bytes.Contains(stderr.Bytes(), []byte("pigeon")) {
		t.Errorf("exit %d with %q, want 1 and the exporter's name", code, stderr.String())
	}
}

// TestCollectorGone: a collector that is not there takes neither the call nor the exit code along, which callOnce holds at 0.
func TestCollectorGone(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "200")
	callOnce(t)
}
