package bridge_test

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// compileSchema compiles a schema as clients do: it has to be one by the meta-schema of the draft, and formats are asserted.
func compileSchema(raw []byte, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.AssertFormat()
	c.AssertContent()
	if err := c.AddResource("corpus:schema", doc); err != nil {
		return nil, err
	}
	return c.Compile("corpus:schema")
}

// mustCompile is compileSchema for schemas of which other tests say that they compile.
func mustCompile(t rapid.TB, s subject, raw []byte) *jsonschema.Schema {
	compiled, err := compileSchema(raw, jsonschema.Draft2020)
	if err != nil {
		t.Fatalf("%s: %v\n%s", s, err, raw)
	}
	return compiled
}

// promise is how responses of a method become results, and what is promised of them.
type promise struct {
	codecs  map[bool]*transcode.Codec // by whether defaults are emitted
	schemas map[schema.Profile]*jsonschema.Schema
}

func newPromise(t rapid.TB, s subject) promise {
	a := promise{map[bool]*transcode.Codec{}, map[schema.Profile]*jsonschema.Schema{}}
	for _, defaults := range []bool{false, true} {
		a.codecs[defaults] = s.codec(t, transcode.Options{EmitDefaults: defaults, MaxResult: 64 << 20})
	}
	for p, g := range s.generators {
		_, output := schemasOf(g, s.method)
		a.schemas[p] = mustCompile(t, s, output.JSON)
	}
	return a
}

// TestCorpusResponses: what becomes of any response, be it legal or not, is what the output schemas promise.
func TestCorpusResponses(t *testing.T) {
	t.Parallel()
	checkMethods(t, property[promise]{newPromise, func(t *rapid.T, s subject, a promise) (looked int) {
		wire := drawWire(t, s.set.Types(), s.method.Output())
		for _, defaults := range []bool{false, true} {
			result, _, err := a.codecs[defaults].AppendJSON(nil, wire)
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			result = resultOf(s.method, result)
			instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(result))
			if err != nil {
				t.Fatalf("%s: not JSON: %v\n%s", s, err, result)
			}
			for p, promised := range a.schemas {
				if err := promised.Validate(instance); err != nil {
					t.Fatalf("%s: the schema of profile %v refuses the result: %v\n%.2000s", s, p, err, result)
				}
			}
			looked += len(result)
		}
		return looked
	}})
}

// TestResponseCheckFails: the check above tells results that are not what was promised.
func TestResponseCheckFails(t *testing.T) {
	t.Parallel()
	promised, err := compileSchema([]byte(`{"type":"object","properties":{"size":{"type":"string"}}}`), jsonschema.Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	if promised.Validate(map[string]any{"size": 1.0}) == nil || promised.Validate(map[string]any{"size": nil}) == nil {
		t.Error("a number and null pass for a string")
	}
}
