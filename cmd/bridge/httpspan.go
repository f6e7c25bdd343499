package main

import (
	"net"
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgrpc/bridge/bridge"
)

// Wrap gives each request for the MCP endpoint a span by the semantic conventions for HTTP or, where the configuration wants
// none, at least the place in a trace that its headers name.
//
// It does what otelhttp does, but asks first whether the span is kept: that one describes each request before it asks, which
// costs a call whose trace is not kept a tenth of its time.
func (t *telemetrySetup) Wrap(next http.Handler) http.Handler {
	if t.tracers == nil {
		return next
	}
	tracer := t.tracers.Tracer("github.com/mcpgrpc/bridge/cmd/bridge", trace.WithInstrumentationVersion(bridge.Version()))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			next.ServeHTTP(w, r)
			return
		}
		ctx := t.propagator.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		if !t.httpSpans {
			next.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		ctx, span := tracer.Start(ctx, spanName(r.Method), trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		if !span.IsRecording() {
			next.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		span.SetAttributes(requestAttributes(r)...)
		answer := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		returned := false
		defer func() {
			if returned || answer.written { // else the request was aborted, and has no status
				noteStatus(span, answer.status)
			}
		}()
		next.ServeHTTP(answer, r.WithContext(ctx))
		returned = true
	})
}

// spanName names the methods that the endpoint knows, and others HTTP, as the semantic conventions have it.
func spanName(method string) string {
	if known := knownMethod(method); known != otherMethod {
		return known + " " + path
	}
	return "HTTP " + path
}

// otherMethod stands for methods that nobody knows.
const otherMethod = "_OTHER"

func knownMethod(method string) string {
	switch method {
	case http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions, http.MethodHead, http.MethodPut, http.MethodPatch:
		return method
	}
	return otherMethod
}

// maxHTTPText is how much of a header an attribute has, in bytes.
const maxHTTPText = 256

// requestAttributes describe a request. What a client can put into it is in them only where the semantic conventions ask for it.
func requestAttributes(r *http.Request) []attribute.KeyValue {
	list := make([]attribute.KeyValue, 0, 10)
	list = append(list,
		attribute.String("http.request.method", knownMethod(r.Method)),
		attribute.String("http.route", path),
		attribute.String("url.path", path),
		attribute.String("url.scheme", "http"),
		attribute.String("network.protocol.version", strconv.Itoa(r.ProtoMajor)+"."+strconv.Itoa(r.ProtoMinor)),
	)
	list = appendPlace(list, "server.address", "server.port", r.Host)
	list = appendPlace(list, "network.peer.address", "network.peer.port", r.RemoteAddr)
	if agent := r.UserAgent(); agent != "" {
		list = append(list, attribute.String("user_agent.original", beginning(agent, maxHTTPText)))
	}
	return list
}

// appendPlace appends a host and its port, where it has one.
func appendPlace(list []attribute.KeyValue, address, port attribute.Key, place string) []attribute.KeyValue {
	host, number, err := net.SplitHostPort(place)
	if err != nil {
		return append(list, address.String(beginning(place, maxHTTPText)))
	}
	list = append(list, address.String(beginning(host, maxHTTPText)))
	if n, err := strconv.ParseUint(number, 10, 16); err == nil {
		list = append(list, port.Int(int(n)))
	}
	return list
}

// noteStatus notes how a request was answered.
func noteStatus(span trace.Span, status int) {
	span.SetAttributes(attribute.Int("http.response.status_code", status))
	if status >= http.StatusInternalServerError {
		span.SetAttributes(attribute.String("error.type", strconv.Itoa(status)))
		span.SetStatus(codes.Error, "")
	}
}

// statusWriter notes the status of an answer.
type statusWriter struct {
	http.ResponseWriter

	status  int
	written bool
}

// WriteHeader sends the status; those of 1xx go before it.
func (w *statusWriter) WriteHeader(status int) {
	if !w.written && status >= http.StatusOK {
		w.status, w.written = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *statusWriter) Write(b []byte) (int, error) {
	w.written = true
	return w.ResponseWriter.Write(b)
}

// Unwrap is what http.ResponseController asks for the writer within.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
