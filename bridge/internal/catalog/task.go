package catalog

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TaskMode says whether a call goes on as a task behind its answer, for clients that have tasks.
type TaskMode int

// The modes of tasks.
const (
	// Never is that the call is answered when it has ended.
	Never TaskMode = iota
	// Optional is a task for clients that have tasks; for others the call is answered when it has ended.
	Optional
	// Required is a task; modern clients that have none cannot call the tool.
	Required
)

// task resolves the option of that name.
func (m *maker) task() TaskMode {
	switch given := m.options.GetTask(); given {
	case bridgev1.TaskMode_TASK_MODE_UNSPECIFIED:
	case bridgev1.TaskMode_TASK_MODE_NEVER:
		return Never
	case bridgev1.TaskMode_TASK_MODE_OPTIONAL:
		return Optional
	case bridgev1.TaskMode_TASK_MODE_REQUIRED:
		return Required
	default:
		m.faultf("task is ignored: %d is no mode; name one of bridge.v1.TaskMode", given)
	}
	if isOperation(m.method) {
		return Optional
	}
	return Never
}

// isOperation says whether a method begins a google.longrunning.Operation and returns it, told by the name of the type and by its
// fields that polling needs (google/longrunning/operations.proto). Those of Operations itself begin none: they tell of one.
func isOperation(method protoreflect.MethodDescriptor) bool {
	md := method.Output()
	if method.IsStreamingServer() || md.FullName() != "google.longrunning.Operation" ||
		method.Parent().FullName() == "google.longrunning.Operations" {
		return false
	}
	of := func(number protoreflect.FieldNumber, kind protoreflect.Kind, message protoreflect.FullName) bool {
		fd := md.Fields().ByNumber(number)
		if fd == nil || fd.Cardinality() == protoreflect.Repeated || fd.Kind() != kind {
			return false
		}
		return kind != protoreflect.MessageKind || fd.Message().FullName() == message
	}
	return of(1, protoreflect.StringKind, "") && of(3, protoreflect.BoolKind, "") &&
		of(4, protoreflect.MessageKind, "google.rpc.Status") && of(5, protoreflect.MessageKind, "google.protobuf.Any")
}
