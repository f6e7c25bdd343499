package catalog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// maxRawSchema is the size, in bytes, of the largest input schema that may be given.
const maxRawSchema = 64 << 10

// rawSchema returns the input schema that is given as compact JSON, and the arguments that clients repeat in headers
// by it; nil for none and for one that clients would refuse, be it with all the other tools.
func (m *maker) rawSchema(given string) ([]byte, []mcp.HeaderParam) {
	if given == "" {
		return nil, nil
	}
	by := m.by((*bridgev1.Tool).GetInputSchema)
	compact, err := compactSchema([]byte(given))
	if err != nil {
		m.faultf("the input_schema of %s is not sent, the derived one is: %v", by.of(), err)
		return nil, nil
	}
	if reason := m.refusalOfRaw(compact); reason != "" {
		m.faultf("the input_schema of %s is not sent, the derived one is: %s", by.of(), reason)
		return nil, nil
	}
	params, lost, faults := m.source.generator.RawHeaders(m.method.Input(), compact)
	if len(faults) > 0 {
		m.faultf("the input_schema of %s is not sent, the derived one is: %s", by.of(), strings.Join(faults, ", and "))
		return nil, nil
	}
	m.faults = append(m.faults, lost...)
	return compact, params
}

// refusalOfRaw says what the linter would withhold a tool for that has the given input schema, "" for nothing. The tool that it
// looks at has nothing else to find fault with.
func (m *maker) refusalOfRaw(given []byte) string {
	return refusalOf(lint.Errors(lint.Subject{
		Tool:   &mcp.Tool{Name: "it", Description: "It.", InputSchema: given},
		Method: m.method, Reader: m.source.reader, Portable: m.source.Profile == schema.Portable, RawInput: true,
	}))
}

func compactSchema(given jsontext.Value) ([]byte, error) {
	if len(given) > maxRawSchema {
		return nil, fmt.Errorf("it has %d bytes: at most %d are possible", len(given), maxRawSchema)
	}
	if err := jsonrpc.Check(given, jsonrpc.DefaultLimits); err != nil {
		return nil, fmt.Errorf("it is no sound JSON: %s", err.Message)
	}
	if err := checkObject(given); err != nil {
		return nil, err
	}
	if err := given.Compact(); err != nil {
		return nil, fmt.Errorf("it is no sound JSON: %w", err)
	}
	if err := checkReferences(given); err != nil {
		return nil, err
	}
	return given, nil
}

// checkObject looks at what clients look at, in the strictest of the revisions (2024-11-05 to 2025-11-25, Tool).
func checkObject(schema []byte) error {
	kind, _ := jsonrpc.Find(schema, "type")
	if string(kind) != `"object"` {
		return errors.New(`it is no schema of an object: give it "type": "object"`)
	}
	for name, value := range jsonrpc.Pairs(schema) {
		var sound bool
		switch string(name) {
		case "$schema":
			sound = value[0] == '"'
		case "properties":
			sound = value[0] == '{'
			for _, property := range jsonrpc.Pairs(value) {
				sound = sound && property[0] == '{'
			}
		case "required":
			sound = value[0] == '['
			for element := range jsonrpc.Elements(value) {
				sound = sound && element[0] == '"'
			}
		default:
			sound = true
		}
		if !sound {
			return fmt.Errorf("clients refuse its %s: properties is an object of schemas that are objects, required a list of names, $schema a URI",
				name)
		}
	}
	return nil
}
