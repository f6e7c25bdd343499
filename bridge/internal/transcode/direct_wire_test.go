package transcode_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// sameWire wants two requests to mean the same, in whatever order their fields and map entries are.
func sameWire(t rapid.TB, md protoreflect.MessageDescriptor, types transcode.Resolver, got, want []byte) {
	t.Helper()
	read := func(wire []byte) *dynamicpb.Message {
		m := dynamicpb.NewMessage(md)
		if err := (proto.UnmarshalOptions{Resolver: types, AllowPartial: true}).Unmarshal(wire, m); err != nil {
			t.Fatalf("the bytes %x are no %s: %v", wire, md.FullName(), err)
		}
		complete(t, m, types)
		return m
	}
	a, b := read(got), read(want)
	if !proto.Equal(a, b) || !bytes.Equal(wireOf(t, a), wireOf(t, b)) {
		t.Fatalf("the direct path made %v, the reference %v", a, b)
	}
}

// bothWays gives arguments to the direct and to the reference path. What the direct path takes, the reference has to take with
// the same meaning; what it declines leaves dst as it was.
func bothWays(
	t rapid.TB, c *transcode.Codec, md protoreflect.MessageDescriptor, types transcode.Resolver, arguments string,
) (direct, valid bool) {
	t.Helper()
	const before = "before"
	got, direct := c.DirectWire([]byte(before), []byte(arguments))
	want, err := c.ReferenceWire(nil, []byte(arguments))
	switch {
	case string(got[:len(before)]) != before:
		t.Fatalf("%s: dst became %q", arguments, got)
	case !direct && len(got) != len(before):
		t.Fatalf("%s was declined, but dst became %q", arguments, got)
	case direct && err != nil:
		t.Fatalf("the direct path takes %s, the reference says %v", arguments, err)
	case direct:
		sameWire(t, md, types, got[len(before):], want)
	}
	return direct, err == nil
}

// worlds are the descriptors that random messages are made of: a name, and the types of requests.
func worlds(t testing.TB) map[string]world {
	t.Helper()
	md, types := everything(t)
	all := map[string]world{
		"features":   features(t),
		"everything": {files: newFiles(), types: types},
	}
	register(t, all["everything"].files, md.ParentFile())
	return all
}

// requests are the types that arguments can be for, those of well-known types but for what the project's own files define.
func (w world) requests() []protoreflect.MessageDescriptor {
	var list []protoreflect.MessageDescriptor
	w.files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Messages().Len() {
			if !strings.HasPrefix(file.Path(), "google/protobuf/descriptor") {
				list = append(list, file.Messages().Get(i))
			}
		}
		return true
	})
	return list
}

// argumentsOf is JSON that means m.
func argumentsOf(t rapid.TB, c *transcode.Codec, m proto.Message) string {
	text, warnings, err := c.AppendJSON(nil, wireOf(t, m))
	if err != nil || len(warnings) > 0 {
		t.Fatalf("the message has no JSON: %v, %q", err, warnings)
	}
	if rest, ok := bytes.CutPrefix(text, []byte(`{"result":`)); ok &&
		m.ProtoReflect().Descriptor().ParentFile().Package() == "google.protobuf" {
		return `{"value":` + string(rest)
	}
	return string(text)
}

// Nothing that is written as the codec itself writes it is declined, whatever the message.
func TestDirectWireOfRandomMessages(t *testing.T) {
	t.Parallel()
	for name, w := range worlds(t) {
		for _, md := range w.requests() {
			t.Run(fmt.Sprintf("%s/%s", name, md.FullName()), func(t *testing.T) {
				t.Parallel()
				c := compile(t, md, w.types, transcode.Options{EmitDefaults: true})
				held := []protoreflect.FullName{md.FullName(), "google.protobuf.Value", "google.protobuf.Duration", "google.protobuf.Empty"}
				for _, name := range held {
					if _, err := w.types.FindMessageByName(name); err != nil {
						held = held[:1]
						break
					}
				}
				messages := maker{types: w.types, payloads: held}.messages(md)
				rapid.Check(t, func(t *rapid.T) {
					arguments := argumentsOf(t, c, messages.Draw(t, "message"))
					if direct, valid := bothWays(t, c, md, w.types, arguments); !direct || !valid {
						t.Fatalf("%s: taken by the direct path %v, by the reference %v", arguments, direct, valid)
					}
				})
			})
		}
	}
}

// What something was done to is declined, or means what it means to the reference.
func TestDirectWireOfDamagedArguments(t *testing.T) {
	t.Parallel()
	junk := []string{
		"", " ", "\n", ",", ":", "{", "}", "[", "]", `"`, `\`, "null", "true", "0", "-", "1e3", "1.0", `"1"`, "\x00", "\x1f", "\xff", "\u00e9",
		"\u2028",
		`\ud800`, `\ud83d\ude00`, `\u0041`, `\/`, `[null]`, `{"a":{}}`, `"@type":"x/t3.Sub",`, `"type_url":"x/t3.Sub",`,
	}
	for name, w := range worlds(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			md := w.message(t, map[string]protoreflect.FullName{"features": "t3.All", "everything": "echo.v1.Everything"}[name])
			c := compile(t, md, w.types, transcode.Options{MaxDepth: 6})
			messages := maker{types: w.types, payloads: []protoreflect.FullName{md.FullName(), "google.protobuf.Struct"}}.messages(md)
			rapid.Check(t, func(t *rapid.T) {
				text, err := oracle(messages.Draw(t, "message"), w.types, false)
				if err != nil {
					t.Fatal(err)
				}
				for range rapid.IntRange(1, 3).Draw(t, "times") {
					from := rapid.IntRange(0, len(text)).Draw(t, "from")
					to := min(len(text), from+rapid.IntRange(0, 3).Draw(t, "length"))
					text = text[:from] + rapid.SampledFrom(junk).Draw(t, "junk") + text[to:]
				}
				bothWays(t, c, md, w.types, text)
				bothWays(t, c, md, w.types, text[:rapid.IntRange(0, len(text)).Draw(t, "end")])
			})
		})
	}
}

// Fields and values that are hidden are so on both paths.
func TestDirectWireHides(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	hides := func(d protoreflect.Descriptor) bool {
		h := fnv.New32a()
		_, _ = h.Write([]byte(d.FullName()))
		return h.Sum32()%4 == 0
	}
	plain := compile(t, md, types, transcode.Options{})
	c := compile(t, md, types, transcode.Options{
		Hide:      func(fd protoreflect.FieldDescriptor) bool { return hides(fd) },
		HideValue: func(v protoreflect.EnumValueDescriptor) bool { return hides(v) },
	})
	messages := maker{types: types, payloads: payloads}.messages(md)
	rapid.Check(t, func(t *rapid.T) {
		m := messages.Draw(t, "message")
		bothWays(t, c, md, types, argumentsOf(t, plain, m))
		seen, _, err := c.AppendJSON(nil, wireOf(t, m))
		if err != nil {
			t.Fatal(err)
		}
		bothWays(t, c, md, types, string(seen))
	})
}

// No message of a real API is declined.
func TestDirectWireCorpus(t *testing.T) {
	t.Parallel()
	sets, _ := filepath.Glob("../../../../shared/corpus/*.binpb")
	if len(sets) == 0 {
		t.Skip("no corpus of descriptor sets beside the project")
	}
	for _, set := range sets {
		t.Run(strings.TrimSuffix(filepath.Base(set), ".binpb"), func(t *testing.T) {
			t.Parallel()
			w := loadSet(t, set)
			taken := 0
			for md, ofMethod := range w.everyType() {
				examples := 1
				if ofMethod {
					examples = 3
				}
				c := compile(t, md, w.types, transcode.Options{EmitDefaults: true})
				messages := maker{types: w.types, payloads: []protoreflect.FullName{md.FullName()}}.messages(md)
				for seed := range examples {
					arguments := argumentsOf(t, c, messages.Example(seed))
					if direct, valid := bothWays(t, c, md, w.types, arguments); !direct || !valid {
						t.Fatalf("%s: %s: taken by the direct path %v, by the reference %v", md.FullName(), arguments, direct, valid)
					}
					taken++
				}
			}
			t.Logf("%d messages, none declined", taken)
		})
	}
}
