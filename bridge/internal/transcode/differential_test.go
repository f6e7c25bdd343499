package transcode_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// payloads are the types that a random Any of the tests holds.
var payloads = []protoreflect.FullName{
	"echo.v1.Everything", "echo.v1.Nested", "google.protobuf.Empty", "google.protobuf.Duration", "google.protobuf.Struct",
	"google.protobuf.Value", "google.protobuf.StringValue", "google.protobuf.Any", "google.protobuf.FieldMask",
}

// everything is echo.v1.Everything with the types around it.
func everything(t testing.TB) (protoreflect.MessageDescriptor, *dynamicpb.Types) {
	t.Helper()
	md := new(echov1.Everything).ProtoReflect().Descriptor()
	w := world{files: newFiles()}
	register(t, w.files, md.ParentFile())
	return w.message(t, md.FullName()), dynamicpb.NewTypes(w.files)
}

// oracle is what protojson makes of m, compact.
func oracle(m proto.Message, types transcode.Resolver, defaults bool) (string, error) {
	out, err := protojson.MarshalOptions{EmitDefaultValues: defaults, Resolver: types, AllowPartial: true}.Marshal(m)
	if err != nil {
		return "", err
	}
	v := jsontext.Value(out)
	err = v.Compact()
	return string(v), err
}

func wireOf(t rapid.TB, m proto.Message) []byte {
	wire, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return wire
}

// sameJSON holds the codec's result against protojson's: equal where that has one, a warning where it has none.
func sameJSON(t rapid.TB, c *transcode.Codec, m proto.Message, types transcode.Resolver, defaults bool) {
	got, warnings, err := c.AppendJSON(nil, wireOf(t, m))
	if err != nil {
		t.Fatalf("AppendJSON: %v", err)
	}
	if v := jsontext.Value(got); !v.IsValid() {
		t.Fatalf("the result is not strict JSON: %s", got)
	}
	want, err := oracle(m, types, defaults)
	if key, ok := shape.OutputWrapper(m.ProtoReflect().Descriptor()); ok && err == nil {
		want = fmt.Sprintf(`{%q:%s}`, key, want)
	}
	switch {
	case err != nil && len(warnings) == 0:
		t.Fatalf("protojson refuses this (%v) but there is no warning about %s", err, got)
	case err == nil && len(warnings) != 0:
		t.Fatalf("protojson accepts this, but there are warnings: %q", warnings)
	case err == nil && string(got) != want:
		t.Fatalf("result\n%s, want\n%s", got, want)
	}
}

// sameMessage feeds protojson's JSON of m to the codec and wants m.
func sameMessage(t rapid.TB, c *transcode.Codec, m proto.Message, types transcode.Resolver) {
	text, err := oracle(m, types, false)
	if err != nil {
		t.Fatalf("protojson: %v", err)
	}
	wire, err := c.AppendWire(nil, []byte(text))
	if err != nil {
		t.Fatalf("AppendWire(%s): %v", text, err)
	}
	got := m.ProtoReflect().New().Interface()
	if err := (proto.UnmarshalOptions{Resolver: types}).Unmarshal(wire, got); err != nil {
		t.Fatal(err)
	}
	complete(t, got.ProtoReflect(), types)
	if !proto.Equal(m, got) {
		t.Fatalf("%s became %v, want %v", text, got, m)
	}
}

func TestDifferentialReply(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	for _, defaults := range []bool{false, true} {
		for _, hostile := range []bool{false, true} {
			t.Run(fmt.Sprintf("defaults=%v hostile=%v", defaults, hostile), func(t *testing.T) {
				t.Parallel()
				c := compile(t, md, types, transcode.Options{EmitDefaults: defaults})
				messages := maker{types: types, payloads: payloads, hostile: hostile}.messages(md)
				rapid.Check(t, func(t *rapid.T) { sameJSON(t, c, messages.Draw(t, "message"), types, defaults) })
			})
		}
	}
}

func TestDifferentialArguments(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	messages := maker{types: types, payloads: payloads}.messages(md)
	rapid.Check(t, func(t *rapid.T) { sameMessage(t, c, messages.Draw(t, "message"), types) })
}

// What protojson accepts of arguments that something was done to, the codec accepts with the same meaning.
func TestDifferentialDamagedArguments(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	messages := maker{types: types, payloads: payloads}.messages(md)
	junk := []string{
		`null`, `0`, `-0`, `1.0`, `1e1`, `"1e1"`, `"0x1"`, `""`, `" "`, `true`, `"true"`, `{}`, `[]`, `"NaN"`, `"1s"`, `"AQI"`, `"COLOR_RED"`,
		`[null]`, `{"@type":"x/echo.v1.Nested"}`,
	}
	rapid.Check(t, func(t *rapid.T) {
		text, err := oracle(messages.Draw(t, "message"), types, false)
		if err != nil {
			t.Fatal(err)
		}
		starts := valueOffsets([]byte(text))
		at := rapid.SampledFrom(starts).Draw(t, "at")
		dec := jsontext.NewDecoder(strings.NewReader(text[at:]))
		old, err := dec.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		damaged := text[:at] + rapid.SampledFrom(junk).Draw(t, "junk") + text[at+len(old):]
		agree(t, c, md, types, damaged)
	})
}

// valueOffsets tells where the values of members and elements begin.
func valueOffsets(text []byte) []int {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	starts := []int{0}
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return starts
		}
		end := int(dec.InputOffset())
		if kind, n := dec.StackIndex(dec.StackDepth()); tok.Kind() == '"' && kind == '{' && n%2 == 1 {
			starts = append(starts, end+1)
		}
	}
}

// agree wants the codec to accept what protojson accepts, and to understand the same.
func agree(t rapid.TB, c *transcode.Codec, md protoreflect.MessageDescriptor, types transcode.Resolver, arguments string) {
	want := dynamicpb.NewMessage(md)
	if (protojson.UnmarshalOptions{Resolver: types, RecursionLimit: 50}).Unmarshal([]byte(arguments), want) != nil {
		return
	}
	wire, err := c.AppendWire(nil, []byte(arguments))
	if err != nil {
		t.Fatalf("protojson accepts %s, the codec says %v", arguments, err)
	}
	got := dynamicpb.NewMessage(md)
	if err := (proto.UnmarshalOptions{Resolver: types}).Unmarshal(wire, got); err != nil {
		t.Fatal(err)
	}
	complete(t, want, types)
	complete(t, got, types)
	if !proto.Equal(want, got) {
		t.Fatalf("%s means %v to the codec, %v to protojson", arguments, got, want)
	}
}

// complete gives every Any in m a type URL with a slash, as the codec does and protojson does not, and its payload the order of
// deterministic bytes.
func complete(t rapid.TB, m protoreflect.Message, types transcode.Resolver) {
	if m.Descriptor().FullName() == "google.protobuf.Any" {
		completeAny(t, m, types)
		return
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap() && fd.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				complete(t, v.Message(), types)
				return true
			})
		case fd.IsList() && fd.Message() != nil:
			for i := range v.List().Len() {
				complete(t, v.List().Get(i).Message(), types)
			}
		case !fd.IsMap() && fd.Message() != nil:
			complete(t, v.Message(), types)
		}
		return true
	})
}

func completeAny(t rapid.TB, m protoreflect.Message, types transcode.Resolver) {
	fields := m.Descriptor().Fields()
	url := m.Get(fields.ByNumber(1)).String()
	if url == "" {
		return
	}
	mt, err := types.FindMessageByURL(url)
	if err != nil {
		t.Fatal(err)
	}
	payload := mt.New()
	options := proto.UnmarshalOptions{Resolver: types, AllowPartial: true}
	if err := options.Unmarshal(m.Get(fields.ByNumber(2)).Bytes(), payload.Interface()); err != nil {
		t.Fatal(err)
	}
	complete(t, payload, types)
	if !strings.Contains(url, "/") {
		url = "type.googleapis.com/" + url
	}
	m.Set(fields.ByNumber(1), protoreflect.ValueOfString(url))
	m.Set(fields.ByNumber(2), protoreflect.ValueOfBytes(wireOf(t, payload.Interface())))
}

// Strings that are not UTF-8 are mended wherever they are, and nothing else changes.
func TestDifferentialUTF8(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	messages := maker{types: types, payloads: payloads, marked: true}.messages(md)
	rapid.Check(t, func(t *rapid.T) {
		m := messages.Draw(t, "message")
		text, err := oracle(m, types, false)
		if err != nil {
			t.Fatal(err)
		}
		wire := wireOf(t, m)
		damaged := bytes.ReplaceAll(wire, []byte(marker), []byte(strings.Repeat("\xff", len(marker))))
		got, warnings, err := c.AppendJSON(nil, damaged)
		if err != nil {
			t.Fatalf("AppendJSON: %v", err)
		}
		if (len(warnings) > 0) != strings.Contains(text, marker) {
			t.Errorf("warnings %q about %s", warnings, text)
		}
		want, result := jsontext.Value(strings.ReplaceAll(text, marker, "\uFFFD")), jsontext.Value(got)
		if !want.IsValid() {
			t.Skip("two keys of a map became one")
		}
		if err := cmp.Or(want.Canonicalize(), result.Canonicalize()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(result, want) { // apart from the order of map entries, whose keys were mended
			t.Errorf("result\n%s, want\n%s", result, want)
		}
	})
}

// The same on messages of real APIs: a few random ones of each request and response type.
func TestDifferentialCorpus(t *testing.T) {
	t.Parallel()
	sets, _ := filepath.Glob("../../../../shared/corpus/*.binpb")
	if len(sets) == 0 {
		t.Skip("no corpus of descriptor sets beside the project")
	}
	examples := 5
	if testing.Short() {
		examples = 1
	}
	for _, set := range sets {
		t.Run(strings.TrimSuffix(filepath.Base(set), ".binpb"), func(t *testing.T) {
			t.Parallel()
			w := loadSet(t, set)
			tested, skipped := 0, 0
			for _, md := range w.methodTypes() {
				if !canonical(md, map[protoreflect.FullName]bool{}) {
					skipped++
					continue
				}
				tested++
				c := compile(t, md, w.types, transcode.Options{EmitDefaults: true})
				for seed := range examples {
					m := maker{types: w.types, payloads: []protoreflect.FullName{md.FullName()}}.messages(md).Example(seed)
					sameJSON(t, c, m, w.types, true)
					if _, wrapped := shape.InputWrapper(md); !wrapped {
						sameMessage(t, c, m, w.types)
					}
					m = maker{types: w.types, payloads: []protoreflect.FullName{md.FullName()}, hostile: true}.messages(md).Example(seed)
					sameJSON(t, c, m, w.types, true)
				}
				if t.Failed() {
					t.Fatalf("in %s", md.FullName())
				}
			}
			t.Logf("%d types, %d examples each; %d types skipped for names that differ from ProtoJSON's", tested, examples, skipped)
		})
	}
}

func loadSet(t testing.TB, path string) world {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	set := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(raw, set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatal(err)
	}
	return world{files, dynamicpb.NewTypes(files)}
}

// methodTypes returns every request and response type once.
func (w world) methodTypes() []protoreflect.MessageDescriptor {
	var types []protoreflect.MessageDescriptor
	seen := map[protoreflect.FullName]bool{}
	add := func(md protoreflect.MessageDescriptor) {
		if !seen[md.FullName()] {
			seen[md.FullName()] = true
			types = append(types, md)
		}
	}
	w.files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			methods := file.Services().Get(i).Methods()
			for j := range methods.Len() {
				add(methods.Get(j).Input())
				add(methods.Get(j).Output())
			}
		}
		return true
	})
	return types
}

// canonical reports whether every field that md can hold is advertised by its JSON name.
func canonical(md protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) bool {
	if seen[md.FullName()] {
		return true
	}
	seen[md.FullName()] = true
	for _, f := range shape.Of(md).Fields() {
		if f.Name != f.Descriptor.JSONName() {
			return false
		}
		if inner := f.Descriptor.Message(); inner != nil && !canonical(inner, seen) {
			return false
		}
	}
	return true
}
