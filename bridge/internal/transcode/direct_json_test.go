package transcode_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// sameReply holds the direct path against the reference path: what it does not decline is the same, and dst is as it was where
// it declines. It reports whether the reference path had a result without warnings that the direct path declined.
func sameReply(t rapid.TB, c *transcode.Codec, wire []byte) (declined bool) {
	t.Helper()
	dst := append(make([]byte, 0, 64), "before"...)
	got, ok := c.DirectJSON(dst, wire)
	want, warnings, err := c.ReferenceJSON(dst[:len(dst):len(dst)], wire)
	if !ok {
		if string(got) != "before" {
			t.Fatalf("declined, but dst became %q", got)
		}
		return err == nil && len(warnings) == 0
	}
	if err != nil || len(warnings) > 0 {
		t.Fatalf("the direct path made %s of %x, the reference path says %v, %q", got, wire, err, warnings)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("of %x the direct path made\n%s, want\n%s", wire, got, want)
	}
	return false
}

// shuffled is wire with its fields, and those of the messages in it, in another order; a field's own occurrences keep theirs.
func shuffled(wire []byte, md protoreflect.MessageDescriptor, random *rand.Rand) []byte {
	parts := map[protowire.Number][]byte{}
	var order []protowire.Number
	for len(wire) > 0 {
		num, typ, n := protowire.ConsumeTag(wire)
		size := n + protowire.ConsumeFieldValue(num, typ, wire[n:])
		part := wire[:size]
		if fd := md.Fields().ByNumber(num); fd != nil && fd.Message() != nil && typ == protowire.BytesType {
			inner, _ := protowire.ConsumeBytes(wire[n:])
			part = protowire.AppendBytes(slices.Clone(wire[:n]), shuffled(inner, fd.Message(), random))
		}
		if parts[num] == nil {
			order = append(order, num)
		}
		parts[num] = append(parts[num], part...)
		wire = wire[size:]
	}
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var out []byte
	for _, num := range order {
		out = append(out, parts[num]...)
	}
	return out
}

// Whatever is valid is done directly, in any order, and is what the reference path makes of it.
func TestDirectReply(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	others := features(t)
	for name, opts := range map[string]transcode.Options{
		"": {}, "defaults": {EmitDefaults: true}, "hide": {Hide: hidesSome, Omit: omitsSome},
	} {
		for _, full := range []protoreflect.FullName{"echo.v1.Everything", "t3.All", "t2.Old", "t23.New"} {
			input, resolver := md, transcode.Resolver(types)
			if full != "echo.v1.Everything" {
				input, resolver = others.message(t, full), others.types
			}
			t.Run(fmt.Sprintf("%s/%s", full, name), func(t *testing.T) {
				t.Parallel()
				c := compile(t, input, resolver, opts)
				g := maker{types: resolver}
				if full == "echo.v1.Everything" {
					g.payloads = payloads
				}
				messages := g.messages(input)
				rapid.Check(t, func(t *rapid.T) {
					wire := wireOf(t, messages.Draw(t, "message"))
					random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
					for _, wire := range [][]byte{wire, shuffled(wire, input, random)} {
						if sameReply(t, c, wire) {
							t.Fatalf("declined %x", wire)
						}
					}
				})
			})
		}
	}
}

func hidesSome(fd protoreflect.FieldDescriptor) bool { return fd.Number()%5 == 3 && !fd.IsExtension() }
func omitsSome(fd protoreflect.FieldDescriptor) bool { return fd.Number()%7 == 1 }

// Damaged wire is declined, or gives what the reference path gives.
func TestDirectReplyDamaged(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	for _, opts := range []transcode.Options{{}, {EmitDefaults: true, Hide: hidesSome}, {MaxDepth: 4, MaxResult: 300}} {
		c := compile(t, md, types, opts)
		messages := maker{types: types, payloads: payloads, hostile: true}.messages(md)
		rapid.Check(t, func(t *rapid.T) {
			wire := wireOf(t, messages.Draw(t, "message"))
			sameReply(t, c, wire)
			if len(wire) == 0 {
				return
			}
			at := rapid.IntRange(0, len(wire)-1).Draw(t, "at")
			sameReply(t, c, wire[:at])
			wire[at] = rapid.Byte().Draw(t, "byte")
			sameReply(t, c, wire)
			sameReply(t, c, append(wire[at:], wire[:at]...))
		})
	}
}

// Every form of wire that has a meaning, by the name of what is special about it; declined are those that are left to the
// reference path.
func TestDirectReplyForms(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	number := func(name protoreflect.Name) protowire.Number {
		fd := md.Fields().ByName(name)
		if fd == nil {
			t.Fatalf("there is no field %s", name)
		}
		return fd.Number()
	}
	tag := func(name protoreflect.Name, typ protowire.Type) string {
		return string(protowire.AppendTag(nil, number(name), typ))
	}
	varint := func(name protoreflect.Name, v uint64) string {
		return tag(name, protowire.VarintType) + string(protowire.AppendVarint(nil, v))
	}
	bytesOf := func(name protoreflect.Name, s ...string) string { return field(number(name), s...) }
	for name, test := range map[string]struct {
		wire     string
		declined bool
	}{
		"nothing":            {wire: ""},
		"last of scalars":    {wire: varint("single_int32", 1) + varint("single_bool", 1) + varint("single_int32", 2)},
		"last is zero":       {wire: varint("single_int32", 1) + varint("single_int32", 0)},
		"wide int32":         {wire: varint("single_int32", 1<<40) + varint("single_bool", 1<<40)},
		"last of strings":    {wire: bytesOf("single_string", "a") + bytesOf("single_string", "b")},
		"earlier string bad": {wire: bytesOf("single_string", "\xff") + bytesOf("single_string", "b")},
		"other wire type":    {wire: bytesOf("single_int32", "abc") + varint("single_string", 1)},
		"packed and not":     {wire: varint("repeated_int32", 1) + bytesOf("repeated_int32", "\x02\x03") + varint("repeated_int32", 4)},
		"packed, empty":      {wire: bytesOf("repeated_int32", "")},
		"packed, cut":        {wire: bytesOf("repeated_int32", "\x02\x80")},
		"list split": {
			wire: bytesOf("repeated_string", "a") + varint("single_bool", 1) + bytesOf("repeated_string", "b"), declined: true,
		},
		"message split": {wire: bytesOf("single_nested", varintField(1, 1)) + bytesOf("single_nested", ""), declined: true},
		"oneof twice":   {wire: bytesOf("choice_string", "a") + varint("choice_int64", 1), declined: true},
		"map keys twice": {
			wire: bytesOf("map_int32_string", "\x08\x02",
				field(2, "b")) + bytesOf("map_int32_string", "\x08\x01", field(2, "a")) + bytesOf("map_int32_string", "\x08\x02", field(2, "c")),
		},
		"map earlier value bad": {
			wire: bytesOf("map_int32_string", "\x08\x02", field(2, "\xff")) + bytesOf("map_int32_string", "\x08\x02", field(2, "c")),
		},
		"map without key": {wire: bytesOf("map_int32_string", field(2, "b")) + bytesOf("map_bool_string", "")},
		"map value first": {wire: bytesOf("map_int32_string", field(2, "b"), "\x08\x07")},
		"map negative keys": {
			wire: bytesOf("map_int32_string", "\x08\x01") + bytesOf("map_int32_string", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
		},
		"map key of another type": {wire: bytesOf("map_int32_string", field(1, "b")), declined: true},
		"map value twice":         {wire: bytesOf("map_int32_string", "\x08\x01", field(2, "a"), field(2, "b")), declined: true},
		"unknown": {
			wire: varintField(5000,
				1) + varint("single_bool",
				1) + string(protowire.AppendTag(nil, 5001, protowire.StartGroupType)) + string(protowire.AppendTag(nil, 5001, protowire.EndGroupType)),
		},
		"unknown group open":     {wire: string(protowire.AppendTag(nil, 5001, protowire.StartGroupType))},
		"end of no group":        {wire: string(protowire.AppendTag(nil, 5001, protowire.EndGroupType))},
		"field number 0":         {wire: "\x00\x00"},
		"field number too large": {wire: string(protowire.AppendVarint(nil, (1<<29)<<3)) + "\x00"},
		"reserved wire type":     {wire: tag("single_int32", 6)},
		"long varint":            {wire: tag("single_int32", 0) + strings.Repeat("\x80", 9) + "\x02"},
		"padded tag": {
			wire: string([]byte{tag("repeated_string", 2)[0] | 0x80}) + tail(tag("repeated_string", 2)) + field(1, "a")[1:],
		},
		"length too large": {wire: tag("single_string", 2) + "\x7f"},
		"length huge":      {wire: tag("single_string", 2) + strings.Repeat("\xff", 9) + "\x01"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, opts := range []transcode.Options{{}, {EmitDefaults: true}, {Hide: func(protoreflect.FieldDescriptor) bool { return true }}} {
				declined := sameReply(t, compile(t, md, types, opts), []byte(test.wire))
				if opts.Hide == nil && declined != test.declined {
					t.Errorf("declined %v, want %v", declined, test.declined)
				}
			}
		})
	}
}

// Extensions stand behind the fields, by name, unless they are hidden, cannot be found or hold nothing.
func TestDirectReplyExtensions(t *testing.T) {
	t.Parallel()
	w := features(t)
	hide := func(fd protoreflect.FieldDescriptor) bool {
		return fd.IsExtension() && fd.Kind() == protoreflect.StringKind
	}
	for _, name := range []protoreflect.FullName{"t2.Old", "t23.New"} {
		md := w.message(t, name)
		var all, reversed []byte
		for num := protowire.Number(100); num < 130; num++ {
			for _, part := range []string{varintField(num, 3), field(num, ""), field(num, "\x08\x01")} {
				all, reversed = append(all, part...), append([]byte(part), reversed...)
			}
			one := []byte(varintField(num, 3) + field(num, "\x08\x01"))
			for _, opts := range []transcode.Options{{}, {EmitDefaults: true}, {Hide: hide}} {
				if c := compile(t, md, w.types, opts); sameReply(t, c, one) || sameReply(t, c, []byte(field(num, ""))) {
					t.Errorf("declined %s with extension %d", name, num)
				}
			}
		}
		for _, wire := range [][]byte{all, reversed, append(reversed, all...)} {
			sameReply(t, compile(t, md, w.types, transcode.Options{EmitDefaults: true}), wire)
			sameReply(t, compile(t, md, w.types, transcode.Options{Hide: hide}), wire)
		}
	}
}

func varintField(number protowire.Number, v uint64) string {
	return string(protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), v))
}

// tail is what a padded varint needs after its first byte, which has been marked.
func tail(tag string) string {
	if len(tag) == 1 {
		return "\x00"
	}
	return tag[1:len(tag)-1] + string([]byte{tag[len(tag)-1] | 0x80, 0})
}

// Over real APIs nothing that is valid is declined.
func TestDirectReplyCorpus(t *testing.T) {
	t.Parallel()
	sets, _ := filepath.Glob("../../../../shared/corpus/*.binpb")
	if len(sets) == 0 {
		t.Skip("no corpus of descriptor sets beside the project")
	}
	for _, set := range sets {
		t.Run(strings.TrimSuffix(filepath.Base(set), ".binpb"), func(t *testing.T) {
			t.Parallel()
			w := loadSet(t, set)
			random := rand.New(rand.NewPCG(1, 2))
			replies := 0
			for md := range w.everyType() {
				for _, defaults := range []bool{true, false} {
					c := compile(t, md, w.types, transcode.Options{EmitDefaults: defaults})
					for _, hostile := range []bool{false, true} {
						g := maker{types: w.types, payloads: []protoreflect.FullName{md.FullName()}, hostile: hostile}
						wire := wireOf(t, g.messages(md).Example(1))
						for _, wire := range [][]byte{wire, shuffled(wire, md, random)} {
							replies++
							if sameReply(t, c, wire) {
								t.Fatalf("declined a %s: %x", md.FullName(), wire)
							}
						}
					}
				}
			}
			t.Logf("%d replies, 0 declined", replies)
		})
	}
}

// Nothing is allocated for a reply like those before.
func TestDirectReplyAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{EmitDefaults: true})
	m := dynamicpb.NewMessage(md)
	for size, text := range samples() {
		wire, err := c.AppendWire(nil, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for name, wire := range map[string][]byte{size: wire, size + " shuffled": shuffled(wire, m.Descriptor(), rand.New(rand.NewPCG(1, 2)))} {
			var dst []byte
			allocs := testing.AllocsPerRun(50, func() {
				var ok bool
				if dst, ok = c.DirectJSON(dst[:0], wire); !ok {
					t.Fatal("declined")
				}
			})
			if allocs >= 1 {
				t.Errorf("%s: %v allocations for each reply, want none", name, allocs)
			}
		}
	}
}
