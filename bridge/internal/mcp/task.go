package mcp

import (
	"strings"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// ExtensionTasks is the extension by which a modern client is given a task in
// place of a result that takes a while.
const ExtensionTasks = "io.modelcontextprotocol/tasks"

// CapabilityTasks is the capability of that extension, for [HasCapability] and
// [MissingCapability].
const CapabilityTasks = "extensions." + ExtensionTasks

// TaskStatus is what becomes of a task.
type TaskStatus string

// The statuses of tasks. The last three are final.
const (
	// TaskWorking says that the call goes on.
	TaskWorking TaskStatus = "working"
	// TaskInputRequired says that it waits for answers of the client.
	TaskInputRequired TaskStatus = "input_required"
	// TaskCompleted says that there is a result, which may be a tool's failure.
	TaskCompleted TaskStatus = "completed"
	// TaskFailed says that there is a JSON-RPC error.
	TaskFailed TaskStatus = "failed"
	// TaskCancelled says that the client gave it up.
	TaskCancelled TaskStatus = "cancelled"
)

// Final reports whether a task stays as it is.
func (s TaskStatus) Final() bool {
	return s == TaskCompleted || s == TaskFailed || s == TaskCancelled
}

// Task is a call that goes on behind its answer.
type Task struct {
	// ID names it; nobody can guess it.
	ID string
	// Status is how it stands, and StatusMessage says so to people; "" for nothing.
	Status        TaskStatus
	StatusMessage string
	// CreatedAt is when it began, LastUpdatedAt when it last changed.
	CreatedAt, LastUpdatedAt time.Time
	// TTL is how long it is kept from CreatedAt on; sent in milliseconds. Zero and
	// less are no limit, which the extension writes as null.
	TTL time.Duration
	// PollInterval is how long to wait before asking again; zero is not said.
	PollInterval time.Duration
	// Result is that of a completed task, Error that of a failed one: objects as raw
	// JSON.
	Result, Error []byte
	// Requests are what a task asks for that waits for answers.
	Requests []InputRequest
}

// append appends the members that every form of a task has.
func (t *Task) append(o *object) {
	o.text("taskId", t.ID)
	o.text("status", string(t.Status))
	o.optional("statusMessage", t.StatusMessage)
	o.text("createdAt", t.CreatedAt.UTC().Format(time.RFC3339Nano))
	o.text("lastUpdatedAt", t.LastUpdatedAt.UTC().Format(time.RFC3339Nano))
	if t.TTL > 0 {
		o.integer("ttlMs", t.TTL.Milliseconds())
	} else {
		o.raw("ttlMs", []byte("null"))
	}
	if t.PollInterval > 0 {
		o.integer("pollIntervalMs", t.PollInterval.Milliseconds())
	}
}

// appendDetails appends what the status has beside.
func (t *Task) appendDetails(o *object) {
	switch t.Status {
	case TaskCompleted:
		o.raw("result", t.Result)
	case TaskFailed:
		o.raw("error", t.Error)
	case TaskInputRequired:
		o.name("inputRequests")
		o.dst = appendInputRequests(o.dst, t.Requests)
	}
}

// AppendCreated appends the task as the result of the call that began it.
func (t *Task) AppendCreated(dst, meta []byte) []byte {
	o := newObject(dst)
	o.text("resultType", "task")
	t.append(&o)
	o.raw("_meta", meta)
	return o.close()
}

// AppendJSON appends the task as the result of tasks/get.
func (t *Task) AppendJSON(dst []byte, f Features, meta []byte) []byte {
	o := newObject(dst)
	t.append(&o)
	t.appendDetails(&o)
	return closeResult(o, f, meta)
}

// AppendNotification appends notifications/tasks, for a listen stream; meta is
// the _meta object of its params.
func (t *Task) AppendNotification(dst, meta []byte) []byte {
	o := newObject(nil)
	t.append(&o)
	t.appendDetails(&o)
	o.raw("_meta", meta)
	return jsonrpc.AppendNotification(dst, MethodTaskChanged, o.close())
}

// ParseTaskID reads the params of tasks/get and tasks/cancel. A missing id is
// -32602.
func ParseTaskID(params jsonrpc.Object) (string, *jsonrpc.Error) {
	raw, _ := params.Find("taskId")
	id, _ := jsonrpc.Unquote(raw)
	if strings.TrimSpace(id) == "" {
		return "", invalidParams("taskId must be a string, the id of a task")
	}
	return id, nil
}

// ParseUpdateTask reads the params of tasks/update. The answers are an object as
// raw JSON, by their keys, and alias the params.
func ParseUpdateTask(params jsonrpc.Object) (id string, responses []byte, err *jsonrpc.Error) {
	if id, err = ParseTaskID(params); err != nil {
		return "", nil, err
	}
	responses, _ = params.Find("inputResponses")
	if !isObject(responses) {
		return "", nil, invalidParams("inputResponses must be an object with an answer for each key of inputRequests")
	}
	return id, responses, nil
}
