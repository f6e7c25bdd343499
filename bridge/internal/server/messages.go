package server

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/redact"
	"github.com/mcpgrpc/bridge/bridge/internal/rules"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// requests makes the requests of a streaming method from the arguments of a call,
// and holds each against the rules of the API: the elements of messages where the
// client side streams, else the arguments as a whole.
func (s *Server) requests(c *call, arguments []byte) ([][]byte, error) {
	if !c.target.stream.Client {
		wire, err := s.wireOf(c.target.codec, arguments)
		if err != nil {
			return nil, err
		}
		c.request.noteArguments(&c.target, wire)
		return [][]byte{wire}, s.keepsRules(c, wire)
	}
	list, fault := listed(arguments)
	if fault != nil {
		return nil, fault
	}
	requests, err := transcoded(c.target.codec, list, len(arguments))
	if err != nil {
		return nil, err
	}
	c.request.noteMessages(&c.target, requests)
	for i, wire := range requests {
		if err := s.keepsRules(c, wire); err != nil {
			return nil, within(i, err)
		}
	}
	return requests, nil
}

// listed returns the array that the arguments of a client stream have.
func listed(arguments []byte) (list []byte, fault *transcode.ArgumentError) {
	fault = readMembers(arguments, []member{{
		name: schema.MessagesKey, needs: "give a list of the messages to send, in order; [] sends none", read: array(&list),
	}}, "")
	return list, fault
}

// array reads an array, in a string as well.
func array(to *[]byte) func([]byte) string {
	return func(value []byte) string {
		if text, ok := jsonrpc.Unquote(value); ok {
			value = bytes.Trim([]byte(text), " \t\r\n")
			if jsonrpc.Check(value, jsonrpc.DefaultLimits) != nil {
				return "an array"
			}
		}
		if !bytes.HasPrefix(value, []byte("[")) {
			return "an array"
		}
		*to = value
		return ""
	}
}

// transcoded makes a request of each element; all of them share one buffer, of
// which size guesses the bytes.
func transcoded(codec *transcode.Codec, list []byte, size int) ([][]byte, error) {
	buffer := make([]byte, 0, size)
	var ends []int
	for element := range jsonrpc.Elements(list) {
		var err error
		if buffer, err = codec.AppendWire(buffer, element); err != nil {
			return nil, within(len(ends), err)
		}
		ends = append(ends, len(buffer))
	}
	requests, begin := make([][]byte, len(ends)), 0
	for i, end := range ends {
		requests[i], begin = buffer[begin:end:end], end
	}
	return requests, nil
}

// within puts the place of a message before the paths of its fault.
func within(i int, err error) error {
	place := fmt.Sprintf("%s[%d]", schema.MessagesKey, i)
	var argument *transcode.ArgumentError
	var broken *rules.Violations
	switch {
	case errors.As(err, &argument):
		moved := *argument
		moved.Path = below(place, moved.Path)
		return &moved
	case errors.As(err, &broken):
		moved := &rules.Violations{}
		for _, v := range broken.List {
			v.Path = below(place, v.Path)
			moved.List = append(moved.List, v)
		}
		return moved
	}
	return err
}

// below is the path of what is at a path in something at a place.
func below(place, path string) string {
	if path == "" || strings.HasPrefix(path, "[") {
		return place + path
	}
	return place + "." + path
}

// maxNoted is how many bytes of messages are recorded of a call; more would be
// cut.
const maxNoted = 8 << 10

// noteMessages records the messages of a client stream, as noteArguments does
// with the arguments.
func (r *request) noteMessages(t *target, requests [][]byte) {
	if !r.content {
		return
	}
	text := []byte(`{"` + schema.MessagesKey + `":[`)
	for i, wire := range requests {
		one, err := redact.JSON(t.method.Input(), wire, t.codec.Types())
		if err != nil || len(text) > maxNoted {
			break
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, one...)
	}
	r.operation.Arguments(append(text, "]}"...))
}
