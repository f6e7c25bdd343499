package server_test

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// officialSchemas is where the protocol's own schemas lie, one file a revision.
const officialSchemas = "../../../../shared/mcp-schema/"

// resultTypes are the schema's names of the results.
var resultTypes = map[string]string{
	"initialize":      "InitializeResult",
	"ping":            "EmptyResult",
	"server/discover": "DiscoverResult",
	"tools/list":      "ListToolsResult",
	"tools/call":      "CallToolResult",

	"resources/list":           "ListResourcesResult",
	"resources/templates/list": "ListResourceTemplatesResult",
	"resources/read":           "ReadResourceResult",
	"resources/subscribe":      "EmptyResult",
	"resources/unsubscribe":    "EmptyResult",
	"prompts/list":             "ListPromptsResult",
	"prompts/get":              "GetPromptResult",
	"completion/complete":      "CompleteResult",
	"logging/setLevel":         "EmptyResult",
	"subscriptions/listen":     "SubscriptionsListenResult",
}

// notificationTypes are the schema's names of the notifications, and of what a
// server asks.
var notificationTypes = map[string]string{
	"notifications/message":                    "LoggingMessageNotification",
	"notifications/progress":                   "ProgressNotification",
	"notifications/cancelled":                  "CancelledNotification",
	"notifications/tools/list_changed":         "ToolListChangedNotification",
	"notifications/prompts/list_changed":       "PromptListChangedNotification",
	"notifications/resources/list_changed":     "ResourceListChangedNotification",
	"notifications/resources/updated":          "ResourceUpdatedNotification",
	"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",

	"elicitation/create":     "ElicitRequest",
	"sampling/createMessage": "CreateMessageRequest",
	"roots/list":             "ListRootsRequest",
}

// checkOfficial validates a message to a client, a notification or the answer to
// a request of the method, against the official schema of the revision; without the schemas it does nothing.
func checkOfficial(t *testing.T, revision, method, message string) {
	t.Helper()
	if _, err := os.Stat(officialSchemas); err != nil {
		t.Logf("not validated: %v", err)
		return
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(message))
	if err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	check(t, revision, "JSONRPCMessage", value)
	if name, ok := value.(map[string]any)["method"].(string); ok {
		check(t, revision, notificationTypes[name], value)
	}
	if result, ok := value.(map[string]any)["result"]; ok {
		definition := resultTypes[method]
		if members, _ := result.(map[string]any); members["resultType"] == "input_required" {
			definition = "InputRequiredResult"
		}
		check(t, revision, definition, result)
	}
}

// check validates a value against one definition.
func check(t *testing.T, revision, definition string, value any) {
	t.Helper()
	schema, err := official(revision, definition)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		text, _ := json.Marshal(value)
		t.Errorf("%s is no %s of %s: %v", text, definition, revision, err)
	}
}

var compiled struct {
	sync.Mutex
	schemas map[string]*jsonschema.Schema
}

// official compiles a definition of a revision's schema, once.
func official(revision, definition string) (*jsonschema.Schema, error) {
	compiled.Lock()
	defer compiled.Unlock()
	section := "$defs"
	if revision < "2025-11-25" {
		section = "definitions"
	}
	place := officialSchemas + revision + ".json#/" + section + "/" + definition
	if schema := compiled.schemas[place]; schema != nil {
		return schema, nil
	}
	schema, err := jsonschema.NewCompiler().Compile(place)
	if err != nil {
		return nil, err
	}
	if compiled.schemas == nil {
		compiled.schemas = map[string]*jsonschema.Schema{}
	}
	compiled.schemas[place] = schema
	return schema, nil
}
