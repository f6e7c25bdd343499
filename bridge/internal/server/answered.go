package server

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// answersField is the field of the request in which answers travel; nil where
// they go with the metadata: the type has none, or no message is sent.
func (c *call) answersField() protoreflect.FieldDescriptor {
	if c.bare {
		return nil
	}
	fields := c.target.method.Input().Fields()
	for i := range fields.Len() {
		if fd := fields.Get(i); annotation.IsResponses(fd) {
			return fd
		}
	}
	return nil
}

// answered is a request with the answers in it, where it has a field for them.
// The request itself stays as it is: an attempt before may still be sending it.
func (c *call) answered(wire []byte, answers *bridgev1.InputResponses) []byte {
	if answers == nil {
		return wire
	}
	fd := c.answersField()
	if fd == nil {
		return wire
	}
	with, err := interaction.AppendResponses(slices.Clip(wire), fd, answers)
	if err != nil {
		return wire // text that is not UTF-8, which no client can have sent
	}
	return with
}

// allAnswered is answered for a stream, of which the first message has the
// answers.
func (c *call) allAnswered(requests [][]byte, answers *bridgev1.InputResponses) [][]byte {
	if answers == nil || len(requests) == 0 {
		return requests
	}
	requests = slices.Clone(requests)
	requests[0] = c.answered(requests[0], answers)
	return requests
}
