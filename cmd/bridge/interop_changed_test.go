package main_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgrpc/bridge/services/conformance"
	"github.com/mcpgrpc/bridge/services/host"
)

// patience is how long a test waits for what has to come.
const patience = 30 * time.Second

// TestInteropChanges has the client of the official Go SDK listen, in every revision, over HTTP and over stdio: to a resource
// that it subscribes to, and to the list of tools. In the legacy revisions the first comes on the stream of its session, which
// it opens over HTTP before it has said that it is initialized; in the modern one on a stream for each.
func TestInteropChanges(t *testing.T) {
	// One backend for each, since it goes on from where the last client has left it.
	url := startServe(t, "--backend", startConformance(t), "--plaintext")
	backend := startConformance(t)
	for _, version := range interopVersions {
		t.Run("serve/"+version, func(t *testing.T) {
			checkChanges(t, overHTTP(url), version, true)
		})
		t.Run("stdio/"+version, func(t *testing.T) {
			checkChanges(t, overStdio(t, "--backend", backend, "--plaintext"), version, version == "2026-07-28")
		})
	}
}

func startConformance(t *testing.T) string {
	t.Helper()
	return startServices(t, host.Described(conformance.New(), conformance.DescriptorSet()))
}

// checkChanges changes a resource and the list of tools, twice each, from right behind the subscription on. With late, the
// client's stream may be open later than it says that it has subscribed: over HTTP, and in the modern revision, where it does
// not wait for the acknowledgement.
func checkChanges(t *testing.T, transport mcp.Transport, version string, late bool) {
	t.Helper()
	updated, listed := make(chan string, 100), make(chan string, 100)
	s := connect(t, transport, version, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { listed <- "" },
	})
	if got := s.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}
	if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: watched}); err != nil {
		t.Fatal(err)
	}
	if late {
		opened := make(chan struct{})
		go changeUntil(t, s, opened)
		for range 2 { // the first may say that nobody knows, since the client's stream was not open yet
			await(t, updated, watched)
		}
		opened <- struct{}{}
	}
	for range 2 {
		changes := callJSON(t, s, "test_change_watched_resource", `{}`)["changes"]
		await(t, updated, watched)
		if got, want := read(t, s, watched), fmt.Sprintf(`"changes":%v}`, changes); !strings.Contains(got, want) {
			t.Errorf("the resource is %s, which lacks %s", got, want)
		}
	}
	for range 2 {
		offered := callJSON(t, s, "test_trigger_tool_change", `{}`)["offered"]
		await(t, listed, "")
		if got := lists(t, s, "test_extra_tool"); got != offered {
			t.Errorf("test_extra_tool is listed: %v, want %v", got, offered)
		}
	}
	if err := s.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: watched}); err != nil {
		t.Fatal(err)
	}
}

// watched is a resource that its backend tells the changes of.
const watched = "test://watched-resource"

// changeUntil changes the watched resource now and then: what changes while the client has no stream is not told one by one.
func changeUntil(t *testing.T, s *mcp.ClientSession, opened <-chan struct{}) {
	t.Helper()
	for {
		if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "test_change_watched_resource"}); err != nil {
			t.Error(err)
		}
		select {
		case <-opened:
			return
		case <-t.Context().Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// await wants a notification of what has changed.
func await(t *testing.T, changed <-chan string, want string) {
	t.Helper()
	select {
	case got := <-changed:
		if got != want {
			t.Errorf("told of %q, want %q", got, want)
		}
	case <-time.After(patience):
		t.Fatalf("told of nothing, want %q", want)
	}
}

// read returns the text of a resource.
func read(t *testing.T, s *mcp.ClientSession, uri string) string {
	t.Helper()
	result, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatal(err)
	}
	return result.Contents[0].Text
}

// lists reports whether a tool is listed.
func lists(t *testing.T, s *mcp.ClientSession, name string) bool {
	t.Helper()
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.Name == name {
			return true
		}
	}
	return false
}
