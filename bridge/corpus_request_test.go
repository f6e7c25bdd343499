package bridge_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// invitation is what a method asks of a model, and how its arguments become requests.
type invitation struct {
	codec  *transcode.Codec
	schema *jsonschema.Schema
	node   map[string]any // the schema as data
}

func newInvitation(t rapid.TB, s subject) invitation {
	input, _ := schemasOf(s.generators[schema.Portable], s.method)
	raw := input.JSON
	i := invitation{codec: s.codec(t, transcode.Options{}), schema: mustCompile(t, s, raw)}
	if err := json.Unmarshal(raw, &i.node); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return i
}

// TestCorpusInvited: what is written from nothing but the portable input schema is accepted.
func TestCorpusInvited(t *testing.T) {
	t.Parallel()
	checkMethods(t, property[invitation]{newInvitation, func(t *rapid.T, s subject, i invitation) int {
		arguments, err := json.Marshal(model{t}.value(i.node, rapid.IntRange(1, 5).Draw(t, "depth")))
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
		if err != nil {
			t.Fatal(err)
		}
		if err := i.schema.Validate(instance); err != nil {
			t.Fatalf("%s: the test does not follow the schema: %v\n%s", s, err, arguments)
		}
		for _, message := range messagesOf(t, s.method, arguments) {
			if _, err := i.codec.AppendWire(nil, message); err != nil {
				t.Fatalf("%s invites what is refused: %v\n%s", s, err, arguments)
			}
		}
		return len(arguments)
	}})
}

// drawArguments draws a request and writes it as protojson does.
func drawArguments(t *rapid.T, s subject) (*dynamicpb.Message, []byte) {
	request := drawMessage(t, s.set.Types(), s.method.Input(), false)
	arguments, err := protojson.MarshalOptions{Resolver: s.set.Types(), EmitDefaultValues: rapid.Bool().Draw(t, "defaults")}.Marshal(request)
	if err != nil {
		t.Fatalf("%s: protojson: %v", s, err)
	}
	if key, wrapped := shape.InputWrapper(s.method.Input()); wrapped {
		arguments = []byte(`{"` + key + `":` + string(arguments) + `}`)
	}
	return request, arguments
}

func newCodec(t rapid.TB, s subject) *transcode.Codec { return s.codec(t, transcode.Options{}) }

// TestCorpusRequests: any request that ProtoJSON can say is accepted, and is that request.
func TestCorpusRequests(t *testing.T) {
	t.Parallel()
	checkMethods(t, property[*transcode.Codec]{newCodec, func(t *rapid.T, s subject, codec *transcode.Codec) int {
		want, arguments := drawArguments(t, s)
		wire, err := codec.AppendWire(nil, arguments)
		if err != nil {
			t.Fatalf("%s: %v\n%s", s, err, arguments)
		}
		got := dynamicpb.NewMessage(s.method.Input())
		if err := (proto.UnmarshalOptions{Resolver: s.set.Types()}).Unmarshal(wire, got); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		if !proto.Equal(want, got) {
			t.Fatalf("%s: %s became\n%v, want\n%v", s, arguments, got, want)
		}
		return len(arguments)
	}})
}

// TestCorpusMutations: a request with one thing wrong is refused, and the error names the place.
func TestCorpusMutations(t *testing.T) {
	t.Parallel()
	checkMethods(t, property[*transcode.Codec]{newCodec, func(t *rapid.T, s subject, codec *transcode.Codec) int {
		request, arguments := drawArguments(t, s)
		var tree any
		if err := unmarshalNumbers(arguments, &tree); err != nil {
			t.Fatal(err)
		}
		places := placesOf(request, tree)
		if len(places) == 0 {
			return 0
		}
		place := places[pick(t, len(places), "place")]
		bad := place.bad[pick(t, len(place.bad), "bad")]
		mutated, err := json.Marshal(replaced(tree, place.steps, bad))
		if err != nil {
			t.Fatal(err)
		}
		_, err = codec.AppendWire(nil, mutated)
		refusal, ok := errors.AsType[*transcode.ArgumentError](err)
		if !ok {
			t.Fatalf("%s: %v at %s is not refused but %v\n%s", s, bad, place.path, err, mutated)
		}
		if refusal.Path != place.path || place.names != "" && !strings.Contains(refusal.Reason, place.names) {
			t.Fatalf("%s: %v at %q is refused at %q: %v\n%s", s, bad, place.path, refusal.Path, refusal, mutated)
		}
		return len(mutated)
	}})
}

// unmarshalNumbers reads JSON and keeps numbers as they are written.
func unmarshalNumbers(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(into)
}
