package main

import (
	"strings"
	"testing"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"

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
