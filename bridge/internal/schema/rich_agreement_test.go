package schema_test

import (
	"bytes"
	"path/filepath"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// richSubject is a method with the generator of its set, and its schemas, compiled once.
type richSubject struct {
	g             *schema.Generator
	m             protoreflect.MethodDescriptor
	input, output func() (*jsonschema.Schema, error)
}

func newRichSubject(g *schema.Generator, m protoreflect.MethodDescriptor) richSubject {
	return richSubject{
		g: g, m: m,
		input: sync.OnceValues(func() (*jsonschema.Schema, error) {
			return compileSchema(g.Input(m.Input()).JSON, jsonschema.Draft2020)
		}),
		output: sync.OnceValues(func() (*jsonschema.Schema, error) {
			return compileSchema(g.Output(m.Output(), nil).JSON, jsonschema.Draft2020)
		}),
	}
}

// promises is the output schema without some fields, nil for with all.
func (s richSubject) promises(omit func(protoreflect.FieldDescriptor) bool) (*jsonschema.Schema, error) {
	if omit == nil {
		return s.output()
	}
	return compileSchema(s.g.Output(s.m.Output(), omit).JSON, jsonschema.Draft2020)
}

func richSubjects(t *testing.T) []richSubject {
	t.Helper()
	var subjects []richSubject
	for _, source := range richSources(t) {
		methods := methodsOf(compile(t, filepath.Dir(source), filepath.Base(source)))
		g := richGenerator(t, methods)
		for _, m := range methods {
			subjects = append(subjects, newRichSubject(g, m))
		}
	}
	return subjects
}

func richCorpus(t *testing.T) []richSubject {
	t.Helper()
	var subjects []richSubject
	for _, set := range corpus(t) {
		g := richGenerator(t, set)
		for _, m := range set {
			subjects = append(subjects, newRichSubject(g, m))
		}
	}
	return subjects
}

// TestRichOutputAdmitsEveryResult encodes random responses, legal or not, and holds the results against the output schema.
func TestRichOutputAdmitsEveryResult(t *testing.T) {
	t.Parallel()
	for _, s := range richSubjects(t) {
		t.Run(string(s.m.FullName()), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, s.admits)
		})
	}
}

func (s richSubject) admits(t *rapid.T) {
	options := transcode.Options{
		EmitDefaults: rapid.Bool().Draw(t, "defaults"), Omit: omission(t), MaxDepth: rapid.SampledFrom([]int{0, 1, 2, 4}).Draw(t, "nesting"),
	}
	codec, err := transcode.Compile(s.m.Input(), s.m.Output(), nil, options)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := s.promises(options.Omit)
	if err != nil {
		t.Fatal(err)
	}
	response := dynamicpb.NewMessage(s.m.Output())
	filler{t}.message(response, 3)
	wire, err := proto.MarshalOptions{AllowPartial: true}.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}
	result, _, err := codec.AppendJSON(nil, wire)
	if err != nil {
		t.Fatalf("%s: %v", s.m.FullName(), err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(result))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(instance); err != nil {
		t.Fatalf("%s emits what its schema refuses: %v\n%s", s.m.FullName(), err, result)
	}
}

// TestRichInputIsAccepted writes arguments from nothing but the input schema and gives them to the transcoder.
func TestRichInputIsAccepted(t *testing.T) {
	t.Parallel()
	for _, s := range richSubjects(t) {
		t.Run(string(s.m.FullName()), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, s.accepts)
		})
	}
}

func TestRichInputIsAcceptedOfTheCorpus(t *testing.T) {
	t.Parallel()
	subjects := richCorpus(t)
	rapid.Check(t, func(t *rapid.T) { rapid.SampledFrom(subjects).Draw(t, "method").accepts(t) })
}

func (s richSubject) accepts(t *rapid.T) {
	raw := s.g.Input(s.m.Input()).JSON
	var node map[string]any
	if err := json.Unmarshal(raw, &node); err != nil {
		t.Fatal(err)
	}
	arguments, err := json.Marshal(richSender{t, node}.value(node, 4), json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := s.input()
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		t.Fatal(err)
	}
	codec, err := transcode.Compile(s.m.Input(), s.m.Output(), protoregistry.GlobalTypes, transcode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = codec.AppendWire(nil, arguments)
	if invalid := compiled.Validate(instance); err != nil && invalid == nil {
		t.Fatalf("%s invites what is refused: %v\n%s", s.m.FullName(), err, arguments)
	} else if err != nil {
		t.Fatalf("%s: the test does not follow the schema: %v\n%s", s.m.FullName(), invalid, arguments)
	}
}
