package mcp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// notifications writes each kind of notification; meta is that of a listen
// stream, nil elsewhere.
var notifications = map[string]func(meta []byte) []byte{
	"LoggingMessageNotification": func([]byte) []byte {
		return (&mcp.LogMessage{Level: mcp.LevelWarning, Logger: "bridge", Data: []byte(`{"message":"m"}`)}).AppendNotification(nil)
	},
	"ToolListChangedNotification":     func(meta []byte) []byte { return mcp.AppendListChanged(nil, mcp.MethodToolsChanged, meta) },
	"PromptListChangedNotification":   func(meta []byte) []byte { return mcp.AppendListChanged(nil, mcp.MethodPromptsChanged, meta) },
	"ResourceListChangedNotification": func(meta []byte) []byte { return mcp.AppendListChanged(nil, mcp.MethodResourcesChanged, meta) },
	"ResourceUpdatedNotification":     func(meta []byte) []byte { return mcp.AppendResourceUpdated(nil, "x:y", meta) },
	"CancelledNotification":           func([]byte) []byte { return mcp.AppendCancelled(nil, jsonrpc.IntID(7), "bye") },
}

// TestNotificationsAreValidInEveryRevision holds each notification against the
// official schema of each revision.
func TestNotificationsAreValidInEveryRevision(t *testing.T) {
	t.Parallel()
	documents := schemas(t)
	for _, r := range revisions {
		for definition, write := range notifications {
			var meta []byte
			if r.features.Modern {
				meta = mcp.SubscriptionMeta(jsonrpc.StringID("s"))
			}
			documents[r.version].valid(t, r.version, definition, write(meta))
			documents[r.version].conforms(t, r.version, "JSONRPCNotification", write(nil))
		}
	}
	everything := mcp.Subscription{Tools: true, Prompts: true, Resources: true, URIs: []string{"x:y", "x:z"}}
	for _, s := range []mcp.Subscription{{}, everything} {
		acknowledged := mcp.AppendAcknowledged(nil, &s, mcp.SubscriptionMeta(jsonrpc.IntID(1)))
		documents[mcp.V20260728].valid(t, mcp.V20260728, "SubscriptionsAcknowledgedNotification", acknowledged)
	}
	ended := mcp.AppendEmptyResult(nil, newest, mcp.SubscriptionMeta(jsonrpc.IntID(1)))
	documents[mcp.V20260728].valid(t, mcp.V20260728, "SubscriptionsListenResult", ended)
}

// TestNotifications writes one of each, byte for byte.
func TestNotifications(t *testing.T) {
	t.Parallel()
	const open, about = `{"jsonrpc":"2.0","method":"notifications/`, `"_meta":{"io.modelcontextprotocol/subscriptionId":"l\"1"}`
	meta := mcp.SubscriptionMeta(jsonrpc.StringID(`l"1`))
	some := mcp.Subscription{Tools: true, URIs: []string{"x:\"", "x:z"}}
	for name, tt := range map[string]struct {
		got  []byte
		want string
	}{
		"log": {
			notifications["LoggingMessageNotification"](nil),
			open + `message","params":{"level":"warning","logger":"bridge","data":{"message":"m"}}}`,
		},
		"log without a logger": {
			(&mcp.LogMessage{Level: mcp.LevelDebug, Data: []byte(`"d"`)}).AppendNotification([]byte("x")),
			"x" + open + `message","params":{"level":"debug","data":"d"}}`,
		},
		"list": {mcp.AppendListChanged(nil, mcp.MethodToolsChanged, nil), open + `tools/list_changed"}`},
		"list, listening": {
			mcp.AppendListChanged(nil, mcp.MethodPromptsChanged, meta), open + `prompts/list_changed","params":{` + about + `}}`,
		},
		"resource":            {mcp.AppendResourceUpdated(nil, "x:y", nil), open + `resources/updated","params":{"uri":"x:y"}}`},
		"resource, listening": {mcp.AppendResourceUpdated(nil, "x:y", meta), open + `resources/updated","params":{` + about + `,"uri":"x:y"}}`},
		"acknowledged": {
			mcp.AppendAcknowledged(nil, &some, meta),
			open + `subscriptions/acknowledged","params":{` + about +
				`,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x:\"","x:z"]}}}`,
		},
		"acknowledged, nothing": {
			mcp.AppendAcknowledged(nil, &mcp.Subscription{}, meta),
			open + `subscriptions/acknowledged","params":{` + about + `,"notifications":{}}}`,
		},
		"cancelled": {mcp.AppendCancelled(nil, jsonrpc.IntID(7), ""), open + `cancelled","params":{"requestId":7}}`},
		"cancelled with reason": {
			mcp.AppendCancelled(nil, jsonrpc.StringID("a"), "bye"), open + `cancelled","params":{"requestId":"a","reason":"bye"}}`,
		},
	} {
		if diff := cmp.Diff(tt.want, string(tt.got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestLevels: RFC 5424 §6.2.1 and 2025-11-25 server/utilities/logging, "Log Levels".
func TestLevels(t *testing.T) {
	t.Parallel()
	names := []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	for i, name := range names {
		level, ok := mcp.ParseLevel(name)
		if !ok || level.String() != name || level != mcp.LevelDebug+mcp.Level(i) {
			t.Errorf("%s is %d", name, level)
		}
		for j, other := range names {
			if m, _ := mcp.ParseLevel(other); level.Admits(m) != (j >= i) {
				t.Errorf("who asked for %s is sent %s: %v", name, other, j < i)
			}
		}
		if mcp.LevelNone.Admits(level) {
			t.Errorf("who asked for nothing is sent %s", name)
		}
	}
	for _, name := range []string{"", "Debug", "warn", "debug "} {
		if level, ok := mcp.ParseLevel(name); ok || level != mcp.LevelNone {
			t.Errorf("%q is level %d", name, level)
		}
	}
}
