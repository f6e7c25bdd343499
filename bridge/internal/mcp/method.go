package mcp

// Methods of requests from client to server.
const (
	// MethodInitialize opens a legacy session.
	MethodInitialize = "initialize"
	// MethodPing asks for a sign of life (legacy).
	MethodPing = "ping"
	// MethodDiscover asks what the server is and speaks (modern).
	MethodDiscover = "server/discover"
	// MethodToolsList lists the tools, page by page.
	MethodToolsList = "tools/list"
	// MethodToolsCall calls one tool.
	MethodToolsCall = "tools/call"
	// MethodResourcesRead reads one resource.
	MethodResourcesRead = "resources/read"
	// MethodPromptsGet renders one prompt.
	MethodPromptsGet = "prompts/get"
	// MethodSubscriptionsListen opens a stream of change notifications (modern).
	MethodSubscriptionsListen = "subscriptions/listen"
)

// Methods of notifications from client to server.
const (
	// MethodInitialized ends the legacy handshake.
	MethodInitialized = "notifications/initialized"
	// MethodCancelled withdraws a request in flight.
	MethodCancelled = "notifications/cancelled"
)
