package lint

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// interaction looks at what a method has of bridge.v1 in a place where it does nothing.
func (f *findings) interaction(s *Subject) {
	if idle := idleResponses(s.Method.Input()); len(idle) > 0 {
		f.add(answersUnfilled, "inputSchema", "make it a single and direct field of the request, and have one of them",
			"answers to what the method asks come in the first field of the request that is a single bridge.v1.InputResponses, "+
				"else in the metadata; clients cannot set these, and nobody does: %s", strings.Join(leading(idle, named), ", "))
	}
	if data := eventsAsData(s.Method); len(data) > 0 {
		f.add(eventIsData, "outputSchema", "return a stream, and make it a member of a oneof of its messages",
			"clients are not told of it, as it stands in the result like any other field: %s", strings.Join(leading(data, named), ", "))
	}
}

// idleResponses lists the paths of the fields of a request, and of what is in it, that hold answers and are not the one that the
// bridge fills.
func idleResponses(request protoreflect.MessageDescriptor) []string {
	var idle []string
	filled := false
	visitFields(request, func(path string, fd protoreflect.FieldDescriptor) bool {
		if !annotation.HoldsResponses(fd) {
			return true
		}
		if direct := fd.ContainingMessage() == request && !strings.Contains(path, "."); direct && annotation.IsResponses(fd) && !filled {
			filled = true
		} else {
			idle = append(idle, path)
		}
		return false
	})
	return idle
}

// eventsAsData lists the direct fields of a method's response that are progress or a line of the log by their type, and data by
// their place.
func eventsAsData(method protoreflect.MethodDescriptor) []string {
	var data []string
	fields := method.Output().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if !annotation.IsProgress(fd.Message()) && !annotation.IsLog(fd.Message()) {
			continue
		}
		if oneof := fd.ContainingOneof(); !method.IsStreamingServer() || oneof == nil || oneof.IsSynthetic() {
			data = append(data, string(fd.Name()))
		}
	}
	return data
}

// visitFields visits the fields of a message and of what is in it, breadth first, each message once, with their paths. What is behind a
// field is visited where visit says so.
func visitFields(md protoreflect.MessageDescriptor, visit func(path string, fd protoreflect.FieldDescriptor) bool) {
	type place struct {
		md   protoreflect.MessageDescriptor
		path string
	}
	seen := map[protoreflect.FullName]bool{md.FullName(): true}
	for queue := []place{{md: md}}; len(queue) > 0; queue = queue[1:] {
		fields := queue[0].md.Fields()
		for i := range fields.Len() {
			fd := fields.Get(i)
			path := strings.TrimPrefix(queue[0].path+"."+string(fd.Name()), ".")
			within := valueMessage(fd)
			if visit(path, fd) && within != nil && !seen[within.FullName()] {
				seen[within.FullName()] = true
				queue = append(queue, place{within, path})
			}
		}
	}
}
