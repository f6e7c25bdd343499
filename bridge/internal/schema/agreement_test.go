package schema_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// subjects are the methods of the golden files.
func subjects(t *testing.T) []subject {
	t.Helper()
	sources, err := filepath.Glob("testdata/*.proto")
	if err != nil {
		t.Fatal(err)
	}
	var methods []subject
	for _, source := range sources {
		methods = append(methods, portable(t, methodsOf(compile(t, "testdata", filepath.Base(source))))...)
	}
	return methods
}

// TestOutputAdmitsEveryResult encodes random responses, legal or not, and holds the results against the output schema.
func TestOutputAdmitsEveryResult(t *testing.T) {
	t.Parallel()
	for _, m := range subjects(t) {
		t.Run(string(m.FullName()), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { admits(t, m) })
		})
	}
}

// omission leaves out random fields, the same ones each time it is asked; nil for none in half of the cases.
func omission(t *rapid.T) func(protoreflect.FieldDescriptor) bool {
	if rapid.Bool().Draw(t, "complete") {
		return nil
	}
	odd := rapid.Uint64().Draw(t, "omitted")
	return func(fd protoreflect.FieldDescriptor) bool { return odd>>(fd.Index()%64)&1 == 1 }
}

func admits(t *rapid.T, s subject) {
	m := s.MethodDescriptor
	options := transcode.Options{EmitDefaults: rapid.Bool().Draw(t, "defaults"), Omit: omission(t)}
	codec, err := transcode.Compile(m.Input(), m.Output(), nil, options)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := compileSchema(s.output(options.Omit), jsonschema.Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	response := dynamicpb.NewMessage(m.Output())
	filler{t}.message(response, 3)
	wire, err := proto.MarshalOptions{AllowPartial: true}.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}
	result, _, err := codec.AppendJSON(nil, wire)
	if err != nil {
		t.Fatalf("%s: %v", m.FullName(), err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(result))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(instance); err != nil {
		t.Fatalf("%s emits what its schema refuses: %v\n%s", m.FullName(), err, result)
	}
	omitted(t, m.Output(), options.Omit, instance)
}

// omitted holds a result against what was to be left out of it.
func omitted(t *rapid.T, md protoreflect.MessageDescriptor, omit func(protoreflect.FieldDescriptor) bool, result any) {
	if omit == nil || shape.KindOf(md) != shape.Object {
		return
	}
	for _, f := range shape.Of(md).Fields() {
		if _, shown := result.(map[string]any)[f.Name]; shown && omit(f.Descriptor) {
			t.Fatalf("%s shows %s, which is to be omitted", md.FullName(), f.Name)
		}
	}
}

// TestInputIsAccepted writes arguments from nothing but the input schema and gives them to the transcoder.
func TestInputIsAccepted(t *testing.T) {
	t.Parallel()
	for _, m := range subjects(t) {
		t.Run(string(m.FullName()), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { accepts(t, m) })
		})
	}
}

func accepts(t *rapid.T, s subject) {
	m := s.MethodDescriptor
	raw := s.input()
	var node map[string]any
	if err := json.Unmarshal(raw, &node); err != nil {
		t.Fatal(err)
	}
	arguments, err := json.Marshal(sender{t}.value(node, 4), json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := compileSchema(raw, jsonschema.Draft2020)
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(instance); err != nil {
		t.Fatalf("%s: the test does not follow the schema: %v\n%s", m.FullName(), err, arguments)
	}
	codec, err := transcode.Compile(m.Input(), m.Output(), nil, transcode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := codec.AppendWire(nil, arguments); err != nil {
		t.Fatalf("%s invites what is refused: %v\n%s", m.FullName(), err, arguments)
	}
}
