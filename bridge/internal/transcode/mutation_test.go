package transcode_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// mutation does to a spot what makes arguments unacceptable.
type mutation struct {
	name string
	// fits reports whether it can be done there.
	fits func(s *spot) bool
	// do does it; pick chooses one of n.
	do func(s *spot, pick func(n int) int)
	// says is in the error's reason.
	says string
	// raw says that it makes invalid JSON, which is seen as soon as an Any around it is read.
	raw bool
}

// where is the path by which the error names a spot; outermost is that of the outermost Any around it, if any.
func (m *mutation) where(path string, outermost *string) string {
	if m.raw && outermost != nil {
		return *outermost
	}
	return path
}

// scalarOf makes a mutation that replaces a value of one of the kinds by what is none.
func scalarOf(name, raw, says string, kinds ...protoreflect.Kind) mutation {
	return mutation{name, func(s *spot) bool {
		if s.fd == nil || shape.IsNullValue(s.fd.Enum()) {
			return false
		}
		for _, k := range kinds {
			if s.fd.Kind() == k {
				return true
			}
		}
		return false
	}, replaceBy(raw), says, false}
}

// messageOf makes a mutation of messages of a kind.
func messageOf(name, raw, says string, kind shape.Kind) mutation {
	return mutation{name, func(s *spot) bool {
		return s.fd == nil && s.md == nil && !s.list && !s.dic &&
			s.kind == kind
	}, replaceBy(raw), says, false}
}

func replaceBy(raw string) func(*spot, func(int) int) {
	return func(s *spot, _ func(int) int) { s.raw = raw }
}

// mutations are what programs and models get wrong. Where a value is wrong, the error's path is its place; where a name is
// (not known, given twice, excluding another), it is the object that has it, and the reason says the name. Of a name that is
// twice the same within an Any it is the outermost Any, with the place in the reason.
var mutations = []mutation{
	scalarOf("bool from text", `"yes"`, "want true or false", protoreflect.BoolKind),
	scalarOf("text from a number", `7`, "want a string", protoreflect.StringKind),
	scalarOf("number from a bool", `true`, "want a", protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind,
		protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind,
		protoreflect.Uint64Kind, protoreflect.Fixed64Kind, protoreflect.FloatKind, protoreflect.DoubleKind),
	scalarOf("any scalar from an object", `{"a":[]}`, "got an object", protoreflect.BoolKind, protoreflect.StringKind, protoreflect.BytesKind,
		protoreflect.EnumKind, protoreflect.Int32Kind, protoreflect.Uint64Kind, protoreflect.DoubleKind),
	scalarOf("int32 out of range", `2147483648`, "2147483648", protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind),
	scalarOf("uint32 out of range", `-1`, "-1", protoreflect.Uint32Kind, protoreflect.Fixed32Kind),
	scalarOf("int64 out of range", `"9223372036854775808"`, "9223372036854775808", protoreflect.Int64Kind, protoreflect.Sint64Kind,
		protoreflect.Sfixed64Kind),
	scalarOf("uint64 out of range", `18446744073709551616`, "18446744073709551616", protoreflect.Uint64Kind, protoreflect.Fixed64Kind),
	scalarOf("no integer", `1.5`, "1.5", protoreflect.Int32Kind, protoreflect.Uint32Kind, protoreflect.Int64Kind, protoreflect.Uint64Kind),
	scalarOf("float out of range", `1e39`, "1e39", protoreflect.FloatKind),
	scalarOf("double out of range", `1e400`, "1e400", protoreflect.DoubleKind),
	scalarOf("enum of no such name", `"NO_SUCH_VALUE"`, "NO_SUCH_VALUE", protoreflect.EnumKind),
	scalarOf("bytes that are no base64", `"!"`, "want a base64 string", protoreflect.BytesKind),
	messageOf("timestamp of a 13th month", `"2026-13-01T00:00:00Z"`, "want a timestamp", shape.Timestamp),
	messageOf("timestamp from a number", `1700000000`, "want a timestamp", shape.Timestamp),
	messageOf("duration in hours", `"1h"`, "want a duration", shape.Duration),
	messageOf("field mask from a bool", `true`, "want field paths", shape.FieldMask),
	messageOf("malformed field mask", `"a..b"`, "malformed", shape.FieldMask),
	messageOf("struct from a list", `[]`, "want an object", shape.Struct),
	messageOf("list from an object", `{}`, "want a list", shape.ListValue),
	messageOf("any from a number", `7`, "want an object", shape.Any),
	{"list from a number", func(s *spot) bool { return s.list }, replaceBy(`7`), "want a list", false},
	{"map from a list", func(s *spot) bool { return s.dic }, replaceBy(`[]`), "want an object", false},
	{"message from a text", func(s *spot) bool { return s.md != nil && s.path != "" }, replaceBy(`"x"`), "want an object", false},
	{"unknown name", func(s *spot) bool { return s.md != nil }, func(s *spot, pick func(int) int) {
		s.add(pick(len(s.names)+1), "zzzNoSuchName", `1`)
	}, `unknown argument "zzzNoSuchName"`, false},
	{"unknown extension", func(s *spot) bool { return s.md != nil }, func(s *spot, pick func(int) int) {
		s.add(pick(len(s.names)+1), "[no.such]", `1`)
	}, `unknown extension "[no.such]"`, false},
	{"name given twice", func(s *spot) bool { return s.md != nil && len(s.names) > 0 }, func(s *spot, pick func(int) int) {
		i := pick(len(s.names))
		s.add(len(s.names), s.names[i], s.members[i].String())
	}, "duplicate", true},
	{"name in two spellings", func(s *spot) bool { return len(spellings(s)) > 0 }, func(s *spot, pick func(int) int) {
		all := spellings(s)
		s.add(len(s.names), all[pick(len(all))], `null`)
	}, "are the same argument", false},
	{"two of a choice", func(s *spot) bool { return len(rivals(s)) > 0 }, func(s *spot, pick func(int) int) {
		all := rivals(s)
		s.add(len(s.names), all[pick(len(all))], `{}`)
	}, "exclude each other", false},
}

// spellings are second names of the fields that an object has.
func spellings(s *spot) []string {
	var all []string
	for _, name := range s.names {
		if s.md == nil {
			break
		}
		f, ok := shape.Of(s.md).Lookup(name)
		if other := f.Descriptor; ok && string(other.Name()) != name && !strings.HasPrefix(name, "[") {
			all = append(all, string(other.Name()))
		}
	}
	return all
}

// rivals are fields that exclude one that an object has.
func rivals(s *spot) []string {
	var all []string
	for _, name := range s.names {
		if s.md == nil {
			break
		}
		f, ok := shape.Of(s.md).Lookup(name)
		if !ok || f.Descriptor.ContainingOneof() == nil {
			continue
		}
		for _, other := range shape.Of(s.md).Fields() {
			if other.Descriptor.ContainingOneof() == f.Descriptor.ContainingOneof() && other.Name != f.Name {
				all = append(all, other.Name)
			}
		}
	}
	return all
}

// mutate does one thing to arguments that are well and wants the codec to say where it is. It reports false where it could do
// nothing.
func mutate(
	t rapid.TB, c *transcode.Codec, md protoreflect.MessageDescriptor, types transcode.Resolver, text string, pick func(n int) int,
) bool {
	tree := readTree(t, text)
	w := walker{types: types}
	w.message(md, tree, "")
	type option struct {
		spot
		mutation
	}
	var options []option
	for _, m := range mutations {
		for _, s := range w.spots {
			if m.fits(&s) {
				options = append(options, option{s, m})
			}
		}
	}
	if len(options) == 0 {
		return false
	}
	o := options[pick(len(options))]
	o.do(&o.spot, pick)
	_, err := c.AppendWire(nil, []byte(tree.String()))
	fault, ok := err.(*transcode.ArgumentError)
	switch {
	case !ok:
		t.Fatalf("%s at %q was not refused (error %v): %s", o.name, o.path, err, tree)
	case fault.Path != o.where(o.path, o.outermost), !strings.Contains(fault.Reason, o.says):
		t.Fatalf("%s at %q: error %q with path %q, want one that says %q: %s", o.name, o.path, err, fault.Path, o.says, tree)
	}
	return true
}

// TestMutatedArguments does one thing, somewhere, to arguments that are well.
func TestMutatedArguments(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	messages := maker{types: types, payloads: payloads}.messages(md)
	rapid.Check(t, func(t *rapid.T) {
		text, err := oracle(messages.Draw(t, "message"), types, false)
		if err != nil {
			t.Fatal(err)
		}
		mutate(t, c, md, types, text, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") })
	})
}

// TestEachMutation finds for every mutation arguments to which it can be done, so that none is only thought to be tried.
func TestEachMutation(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	messages := maker{types: types, payloads: payloads}.messages(md)
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			found := 0
			for seed := 0; seed < 300 && found < 10; seed++ {
				text, err := oracle(messages.Example(seed), types, false)
				if err != nil {
					t.Fatal(err)
				}
				w := walker{types: types}
				tree := readTree(t, text)
				w.message(md, tree, "")
				for _, s := range w.spots {
					if !m.fits(&s) {
						continue
					}
					m.do(&s, func(int) int { return 0 })
					fault := refused(t, c, tree.String())
					if fault.Path != m.where(s.path, s.outermost) || !strings.Contains(fault.Reason, m.says) {
						t.Fatalf("at %q: error %q with path %q, want one that says %q: %s", s.path, fault.Error(), fault.Path, m.says, tree)
					}
					found++
					break
				}
			}
			if found == 0 {
				t.Error("no arguments were found to which it could be done")
			}
		})
	}
}

// TestMutatedCorpus makes ten random requests for methods of real APIs (for all of them with CORPUS=all in the environment):
// the codec takes each, and with one thing wrong names the place.
func TestMutatedCorpus(t *testing.T) {
	t.Parallel()
	sets, _ := filepath.Glob("../../../../shared/corpus/*.binpb")
	if len(sets) == 0 {
		t.Skip("no corpus of descriptor sets beside the project")
	}
	seed := time.Now().UnixNano() % 1e9
	t.Logf("seed %d", seed)
	for _, set := range sets {
		t.Run(strings.TrimSuffix(filepath.Base(set), ".binpb"), func(t *testing.T) {
			t.Parallel()
			w := loadSet(t, set)
			methods, mutated := 0, 0
			for i, md := range w.requestTypes() {
				if os.Getenv("CORPUS") != "all" && (int64(i)+seed)%20 != 0 {
					continue
				}
				methods++
				mutated += mutateRequests(t, w, md, int(seed))
			}
			t.Logf("%d methods, %d mutated requests", methods, mutated)
		})
	}
}

// mutateRequests mutates ten random requests of a type, which has to be written as an object, and counts them.
func mutateRequests(t *testing.T, w world, md protoreflect.MessageDescriptor, seed int) int {
	t.Helper()
	c := compile(t, md, w.types, transcode.Options{})
	messages := maker{types: w.types, payloads: []protoreflect.FullName{md.FullName()}}.messages(md)
	mutated := 0
	for i := range 10 {
		m := messages.Example(seed + i)
		text, _, err := c.AppendJSON(nil, wireOf(t, m))
		if err != nil {
			t.Fatal(err)
		}
		if _, wrapped := shape.InputWrapper(md); wrapped {
			continue
		}
		if _, err := c.AppendWire(nil, text); err != nil {
			t.Fatalf("%s: a request was refused: %v: %s", md.FullName(), err, text)
		}
		turn := seed + 7*i
		if mutate(named{t, fmt.Sprintf("%s, seed %d", md.FullName(), seed)}, c, md, w.types, string(text),
			func(n int) int { return (turn * 2654435761 >> 8 & 0xffffff) % n }) {
			mutated++
		}
	}
	return mutated
}

// named says in a failure what failed.
type named struct {
	rapid.TB
	what string
}

func (n named) Fatalf(format string, args ...any) { n.TB.Fatalf(n.what+": "+format, args...) }

// requestTypes returns the request type of every method, in the order of the files.
func (w world) requestTypes() []protoreflect.MessageDescriptor {
	var types []protoreflect.MessageDescriptor
	w.files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			methods := file.Services().Get(i).Methods()
			for j := range methods.Len() {
				types = append(types, methods.Get(j).Input())
			}
		}
		return true
	})
	return types
}
