package main

import (
	"strings"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	grpccodes "google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/bridge/ask"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// TestErrorTextStaysOut: the span of a gRPC call that has failed says so, and not in the words of the backend.
func TestErrorTextStaysOut(t *testing.T) {
	clearOTel(t, nil)
	collector := startCollector(t)
	setup := start(t, &configv1.Config{Telemetry: &configv1.Telemetry{Otlp: &configv1.Otlp{Endpoint: collector.grpc}}}, false)
	url := serveEcho(t, setup)
	body, _ := send(t, url, modernHeaders("echo_fail"), toolCall(1, "echo_fail", `{"code":"ABORTED","message":"a canary"}`, ""))
	if !strings.Contains(body, "a canary") {
		t.Errorf("the client is told %s", body)
	}
	setup.Shutdown(t.Context())
	got := <-collector.got
	failed := 0
	for _, s := range got.spans() {
		if strings.Contains(s.String(), "canary") {
			t.Errorf("the text is in %v", s)
		}
		if s.GetKind() == tracev1.Span_SPAN_KIND_CLIENT && s.GetStatus().GetCode() == tracev1.Status_STATUS_CODE_ERROR {
			failed++
		}
	}
	if failed != 1 {
		t.Errorf("%d CLIENT spans of a failed call", failed)
	}
}

// TestAskingIsNoError: the span of a call whose backend asks for input is none of a failure; that of another failure of the same
// code is.
func TestAskingIsNoError(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err  error
		want codes.Code
	}{
		"asks":    {ask.Require(ask.Form("agree", "Agreed?", ask.Bool("yes"))), codes.Ok},
		"refuses": {status.Error(grpccodes.FailedPrecondition, "it is closed"), codes.Error},
		"works":   {nil, codes.Unset},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorder := tracetest.NewSpanRecorder()
			tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
			h := calls{Handler: otelgrpc.NewClientHandler(otelgrpc.WithTracerProvider(tracers))}
			ctx := h.TagRPC(t.Context(), &stats.RPCTagInfo{FullMethodName: "/shop.v1.Shop/Order"})
			h.HandleRPC(ctx, &stats.End{Client: true, Error: tt.err})
			if got := recorder.Ended()[0].Status(); got.Code != tt.want || got.Description != "" {
				t.Errorf("got %+v, want %v", got, tt.want)
			}
		})
	}
}
