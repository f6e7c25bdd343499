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
	// MethodResourcesList lists the resources, page by page.
	MethodResourcesList = "resources/list"
	// MethodResourceTemplatesList lists the resource templates, page by page.
	MethodResourceTemplatesList = "resources/templates/list"
	// MethodResourcesRead reads one resource.
	MethodResourcesRead = "resources/read"
	// MethodResourcesSubscribe asks to be told when a resource changes (legacy).
	MethodResourcesSubscribe = "resources/subscribe"
	// MethodResourcesUnsubscribe ends that (legacy).
	MethodResourcesUnsubscribe = "resources/unsubscribe"
	// MethodPromptsList lists the prompts, page by page.
	MethodPromptsList = "prompts/list"
	// MethodPromptsGet renders one prompt.
	MethodPromptsGet = "prompts/get"
	// MethodComplete completes an argument of a prompt or a resource template.
	MethodComplete = "completion/complete"
	// MethodSetLevel sets which log messages a session gets (legacy).
	MethodSetLevel = "logging/setLevel"
	// MethodSubscriptionsListen opens a stream of change notifications (modern).
	MethodSubscriptionsListen = "subscriptions/listen"
	// MethodTasksGet asks how a task stands (modern, an extension).
	MethodTasksGet = "tasks/get"
	// MethodTasksUpdate answers what a task asks for.
	MethodTasksUpdate = "tasks/update"
	// MethodTasksCancel gives a task up.
	MethodTasksCancel = "tasks/cancel"
)

// Methods of requests from server to client, which are sent as such in the legacy
// era alone.
const (
	// MethodElicit asks the user.
	MethodElicit = "elicitation/create"
	// MethodSample has the client's model write something.
	MethodSample = "sampling/createMessage"
	// MethodListRoots asks for the places in which the client works.
	MethodListRoots = "roots/list"
)

// Methods of notifications from client to server.
const (
	// MethodInitialized ends the legacy handshake.
	MethodInitialized = "notifications/initialized"
	// MethodCancelled withdraws a request in flight.
	MethodCancelled = "notifications/cancelled"
)

// Methods of notifications from server to client; cancelled goes both ways.
const (
	// MethodProgress says how far a request has come.
	MethodProgress = "notifications/progress"
	// MethodTaskChanged says how a task stands now (modern, an extension).
	MethodTaskChanged = "notifications/tasks"
	// MethodMessage is a log message.
	MethodMessage = "notifications/message"
	// MethodToolsChanged says that the list of tools is another one now.
	MethodToolsChanged = "notifications/tools/list_changed"
	// MethodPromptsChanged says that the list of prompts is another one now.
	MethodPromptsChanged = "notifications/prompts/list_changed"
	// MethodResourcesChanged says that a list of resources or of resource
	// templates is another one now.
	MethodResourcesChanged = "notifications/resources/list_changed"
	// MethodResourceUpdated says that a resource may have changed.
	MethodResourceUpdated = "notifications/resources/updated"
	// MethodAcknowledged opens the stream of subscriptions/listen (modern).
	MethodAcknowledged = "notifications/subscriptions/acknowledged"
)
