package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

const (
	clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan  = "00f067aa0ba902b7"
)

// TestWrap: requests for the endpoint, and no others, have a span whose name a client cannot choose; without such spans they
// still belong to the trace of their headers.
func TestWrap(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spans        bool
		method, path string
		names        []string
		parent       string // of what happens within the request: an id, "own" for the span, "" for none
	}{
		"span":              {true, http.MethodPost, "/mcp", []string{"POST /mcp"}, "own"},
		"stream":            {true, http.MethodGet, "/mcp", []string{"GET /mcp"}, "own"},
		"unknown method":    {true, "BREW", "/mcp", []string{"HTTP /mcp"}, "own"},
		"other path":        {true, http.MethodPost, "/favicon.ico", nil, ""},
		"without spans":     {false, http.MethodPost, "/mcp", nil, clientSpan},
		"with query":        {true, http.MethodPost, "/mcp?x=1", []string{"POST /mcp"}, "own"},
		"method in capital": {true, "post", "/mcp", []string{"HTTP /mcp"}, "own"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := tracetest.NewInMemoryExporter()
			setup := &telemetrySetup{
				tracers: sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept)), httpSpans: tt.spans, propagator: propagation.TraceContext{},
			}
			var within trace.SpanContext
			r := httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, strings.NewReader("{}"))
			r.Header.Set("Traceparent", "00-"+clientTrace+"-"+clientSpan+"-01")
			setup.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				within = trace.SpanContextFromContext(r.Context())
			})).ServeHTTP(httptest.NewRecorder(), r)
			var names []string
			parent := tt.parent
			for _, s := range kept.GetSpans() {
				names = append(names, s.Name)
				if s.SpanKind != trace.SpanKindServer || s.Parent.SpanID().String() != clientSpan || s.SpanContext.TraceID().String() != clientTrace {
					t.Errorf("the span %s is %v below %v in %v", s.Name, s.SpanKind, s.Parent.SpanID(), s.SpanContext.TraceID())
				}
				if parent == "own" {
					parent = s.SpanContext.SpanID().String()
				}
			}
			if !cmp.Equal(names, tt.names) {
				t.Errorf("spans %v, want %v", names, tt.names)
			}
			if got := within.SpanID().String(); within.IsValid() && got != parent || within.IsValid() != (parent != "") {
				t.Errorf("within the request is %s, want %q", got, parent)
			}
		})
	}
}

// TestWrapAttributes: a span says what was asked and how it was answered, and no more of what a client sends than is of use.
func TestWrapAttributes(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusAccepted, http.StatusBadRequest, http.StatusInternalServerError} {
		kept := tracetest.NewInMemoryExporter()
		setup := &telemetrySetup{
			tracers: sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept)), httpSpans: true, propagator: propagation.TraceContext{},
		}
		r := httptest.NewRequestWithContext(t.Context(), "BREW", "/mcp?token=canary", http.NoBody)
		r.Header.Set("User-Agent", strings.Repeat("a", 1000))
		setup.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(status)
		})).ServeHTTP(httptest.NewRecorder(), r)
		span := kept.GetSpans()[0]
		got := map[string]string{}
		for _, a := range span.Attributes {
			got[string(a.Key)] = a.Value.String()
		}
		want := map[string]string{
			"http.request.method": "_OTHER", "http.response.status_code": strconv.Itoa(status), "http.route": "/mcp", "url.path": "/mcp",
			"url.scheme": "http", "server.address": "example.com", "network.protocol.version": "1.1", "network.peer.address": "192.0.2.1",
			"network.peer.port": "1234", "user_agent.original": strings.Repeat("a", maxHTTPText) + "…",
		}
		if status == http.StatusInternalServerError {
			want["error.type"] = "500"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d (-want +got):\n%s", status, diff)
		}
		if failed := span.Status.Code == codes.Error; failed != (status >= http.StatusInternalServerError) {
			t.Errorf("%d: the status of the span is %v", status, span.Status)
		}
	}
}

// TestWrapAborted: a request that is aborted has a span that says what was asked, and a status only if one was sent.
func TestWrapAborted(t *testing.T) {
	t.Parallel()
	for _, sent := range []bool{false, true} {
		kept := tracetest.NewInMemoryExporter()
		setup := &telemetrySetup{
			tracers: sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept)), httpSpans: true, propagator: propagation.TraceContext{},
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost:8080/mcp", http.NoBody)
		func() {
			defer func() {
				if recover() != http.ErrAbortHandler {
					t.Error("the panic does not go on")
				}
			}()
			setup.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if sent {
					w.WriteHeader(http.StatusAccepted)
				}
				panic(http.ErrAbortHandler)
			})).ServeHTTP(httptest.NewRecorder(), r)
		}()
		got := map[string]string{}
		for _, a := range kept.GetSpans()[0].Attributes {
			got[string(a.Key)] = a.Value.String()
		}
		want := map[string]string{
			"http.request.method": "POST", "http.route": "/mcp", "url.path": "/mcp", "url.scheme": "http", "server.address": "localhost",
			"server.port": "8080", "network.protocol.version": "1.1", "network.peer.address": "192.0.2.1", "network.peer.port": "1234",
		}
		if sent {
			want["http.response.status_code"] = "202"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("sent %v (-want +got):\n%s", sent, diff)
		}
	}
}

// TestWrapStreams: what a stream has written goes out when it says so.
func TestWrapStreams(t *testing.T) {
	t.Parallel()
	setup := &telemetrySetup{tracers: sdktrace.NewTracerProvider(), httpSpans: true, propagator: propagation.TraceContext{}}
	more := make(chan struct{})
	server := httptest.NewServer(setup.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first\n")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		select {
		case <-more:
		case <-r.Context().Done():
		}
	})))
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first := make([]byte, len("first\n"))
	if _, err := io.ReadFull(res.Body, first); err != nil || string(first) != "first\n" {
		t.Errorf("read %q: %v", first, err)
	}
	close(more)
}
