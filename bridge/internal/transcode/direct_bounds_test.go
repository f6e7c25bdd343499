package transcode_test

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// allocated returns how many bytes f allocates. Tests that ask for it run alone.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestMemoryOfMaps bounds what a reply allocates that repeats the entries of a map, or has more of them than a result may.
func TestMemoryOfMaps(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates, too")
	}
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{MaxResult: 256 << 10})
	numbers, texts := md.Fields().ByName("map_int32_string").Number(), md.Fields().ByName("map_string_string").Number()
	distinct := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(field(numbers, varintField(1, uint64(i))))
		}
		return b.String()
	}
	for name, reply := range map[string]struct {
		wire string
		want bool
	}{
		"no key":           {strings.Repeat(field(numbers), 200_000), true},
		"one key":          {strings.Repeat(field(texts, field(1, "k")), 125_000), true},
		"thousand keys":    {strings.Repeat(distinct(1000), 150), true},
		"too many entries": {distinct(100_000), false},
	} {
		t.Run(name, func(t *testing.T) {
			wire := []byte(reply.wire)
			took := allocated(func() {
				if _, ok := c.DirectJSON(nil, wire); ok != reply.want {
					t.Errorf("written: %v, want %v", ok, reply.want)
				}
			})
			if took > 8*len(wire) {
				t.Errorf("%d bytes allocated for a reply of %d", took, len(wire))
			}
			sameResult(t, c, wire)
		})
	}
}

// sameResult wants both paths to write the same result, or the direct one to decline.
func sameResult(t *testing.T, c *transcode.Codec, wire []byte) (written bool) {
	t.Helper()
	got, written := c.DirectJSON(nil, wire)
	want, _, err := c.ReferenceJSON(nil, wire)
	if written && (err != nil || !bytes.Equal(got, want)) {
		t.Errorf("the direct path wrote %.200s, the reference path %.200s, %v", got, want, err)
	}
	return written
}

// TestEntriesThatAreDropped makes sure that the entries are read which others with the same key follow, however many.
func TestEntriesThatAreDropped(t *testing.T) {
	t.Parallel()
	w := features(t)
	md, types := everything(t)
	texts := md.Fields().ByName("map_string_string").Number()
	c := compile(t, md, types, transcode.Options{})
	keys := func(n int, value string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(field(texts, field(1, fmt.Sprintf("key %d", i*7919%n)), field(2, value)))
		}
		return b.String()
	}
	for name, reply := range map[string]struct {
		wire string
		want bool
	}{
		"twice":          {keys(3000, "first") + keys(3000, "second"), true},
		"thrice":         {keys(5000, "first") + keys(3000, "second") + keys(6000, "third"), true},
		"fault early":    {keys(1, "\xff") + keys(9000, "second"), false},
		"fault late":     {keys(9000, "first") + keys(1, "\xff") + keys(1, "last"), false},
		"fault in a key": {keys(9000, "first") + field(texts, field(1, "\xff")) + keys(9000, "second"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if written := sameResult(t, c, []byte(reply.wire)); written != reply.want {
				t.Errorf("written: %v, want %v", written, reply.want)
			}
		})
	}
	all := w.message(t, "t3.All")
	allCodec := compile(t, all, w.types, transcode.Options{})
	for i := range all.Fields().Len() {
		fd := all.Fields().Get(i)
		if !fd.IsMap() {
			continue
		}
		sameResult(t, allCodec, []byte(strings.Repeat(field(fd.Number()), 10_000)))
	}
}

// TestResultWithoutBound puts a result after other bytes where nothing bounds it.
func TestResultWithoutBound(t *testing.T) {
	t.Parallel()
	w := features(t)
	c := w.codec(t, "t3.All", transcode.Options{MaxResult: math.MaxInt})
	wire, err := c.AppendWire(nil, []byte(`{"mString":{"a":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	got, ok := c.DirectJSON([]byte("before"), wire)
	if want := `before{"mString":{"a":1}}`; !ok || string(got) != want {
		t.Errorf("written: %v, %s; want %s", ok, got, want)
	}
}

// number is a field, or an extension, that holds an int32.
func number(name string, n int32) *descriptorpb.FieldDescriptorProto {
	return &descriptorpb.FieldDescriptorProto{
		Name: &name, JsonName: &name, Number: &n,
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum(),
	}
}

// declare registers a file of package g with one message, called M.
func declare(t *testing.T, file *descriptorpb.FileDescriptorProto) (protoreflect.MessageDescriptor, *dynamicpb.Types) {
	t.Helper()
	file.Name, file.Package = proto.String("g.proto"), proto.String("g")
	fd, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	files := newFiles()
	if err := files.RegisterFile(fd); err != nil {
		t.Fatal(err)
	}
	return fd.Messages().ByName("M"), dynamicpb.NewTypes(files)
}

// TestMoreFieldsThan16Bits has fields beyond the 65536th.
func TestMoreFieldsThan16Bits(t *testing.T) {
	t.Parallel()
	m := &descriptorpb.DescriptorProto{Name: proto.String("M")}
	for i := range int32(66_000) {
		m.Field = append(m.Field, number(fmt.Sprint("f", i), 100_000+i))
	}
	m.Field[40_000].Label = descriptorpb.FieldDescriptorProto_LABEL_REQUIRED.Enum()
	md, types := declare(t, &descriptorpb.FileDescriptorProto{MessageType: []*descriptorpb.DescriptorProto{m}})
	c := compile(t, md, types, transcode.Options{})
	for _, i := range []int{0, 32_767, 32_768, 40_001, 65_536, 65_999} {
		text := fmt.Sprintf(`{"f%d":7,"f40000":1}`, i)
		if i > 40_000 {
			text = fmt.Sprintf(`{"f40000":1,"f%d":7}`, i)
		}
		wire, ok := c.DirectWire(nil, []byte(text))
		if !ok {
			t.Fatalf("%s was declined", text)
		}
		if got, ok := c.DirectJSON(nil, wire); !ok || string(got) != text {
			t.Errorf("written: %v, %s; want %s", ok, got, text)
		}
		sameResult(t, c, wire)
	}
	for _, text := range []string{`{"f1":7}`, `{"f40000":null}`} {
		if _, ok := c.DirectWire(nil, []byte(text)); ok {
			t.Errorf("%s was written, without a field that is required", text)
		}
	}
}

// manyExtensions is a message without fields, n extensions of it that are numbers, and one that is such a message.
func manyExtensions(n int32) *descriptorpb.FileDescriptorProto {
	file := &descriptorpb.FileDescriptorProto{MessageType: []*descriptorpb.DescriptorProto{{
		Name:           proto.String("M"),
		ExtensionRange: []*descriptorpb.DescriptorProto_ExtensionRange{{Start: proto.Int32(1), End: proto.Int32(n + 2)}},
	}}}
	for i := range n {
		x := number(fmt.Sprint("x", i), i+1)
		x.Extendee = proto.String(".g.M")
		file.Extension = append(file.Extension, x)
	}
	sub := number("sub", n+1)
	sub.Extendee, sub.TypeName = proto.String(".g.M"), proto.String(".g.M")
	sub.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
	file.Extension = append(file.Extension, sub)
	return file
}

// TestMemoryOfExtensions bounds what each of many extensions allocates when it is first met.
func TestMemoryOfExtensions(t *testing.T) {
	const count, most = 4000, 4000 // bytes
	md, types := declare(t, manyExtensions(count))
	c := compile(t, md, types, transcode.Options{})
	var wire, arguments strings.Builder
	for i := range count {
		wire.WriteString(varintField(protowire.Number(count-i), 1))
		fmt.Fprintf(&arguments, `,"[g.x%d]":1`, i)
	}
	text := []byte("{" + arguments.String()[1:] + "}")
	reply := []byte(wire.String())
	for name, f := range map[string]func() bool{
		"arguments": func() bool { _, ok := c.DirectWire(nil, text); return ok },
		"reply":     func() bool { _, ok := c.DirectJSON(nil, reply); return ok },
	} {
		for range 3 {
			ok := false
			if each := allocated(func() { ok = f() }) / count; each > most || !ok {
				t.Errorf("%s: %d bytes an extension, want at most %d; written: %v", name, each, most, ok)
			}
		}
	}
	if written := sameResult(t, c, []byte(wire.String()+wire.String())); !written {
		t.Error("a reply with each extension twice was declined")
	}
	for _, again := range []int{0, 15, 16, 17, count - 1} {
		twice := fmt.Sprintf(`%s,"[g.x%d]":1}`, text[:len(text)-1], again)
		if _, ok := c.DirectWire(nil, []byte(twice)); ok {
			t.Errorf("extension %d was taken twice", again)
		}
	}
	if _, ok := c.DirectWire(nil, text); !ok {
		t.Error("arguments were declined that were taken before")
	}
}

// TestExtensionsInEachOther has the same extensions, many of them, in messages around each other, and meets them from several
// goroutines at once.
func TestExtensionsInEachOther(t *testing.T) {
	t.Parallel()
	const count = 40
	md, types := declare(t, manyExtensions(count))
	c := compile(t, md, types, transcode.Options{})
	numbers := ""
	for i := range count {
		numbers += fmt.Sprintf(`,"[g.x%d]":%d`, i, i)
	}
	numbers = numbers[1:]
	text := []byte(`{"[g.sub]":{"[g.sub]":{` + numbers + `},` + numbers + `},` + numbers + `}`)
	again := []byte(`{` + numbers + `,"[g.sub]":{` + numbers + `},"[g.x30]":1}`)
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			wire, ok := c.DirectWire(nil, text)
			want, err := c.ReferenceWire(nil, text)
			if err != nil || !ok {
				t.Fatalf("written: %v; reference: %v", ok, err)
			}
			sameWire(t, md, types, wire, want)
			if !sameResult(t, c, wire) {
				t.Error("the reply was declined")
			}
			if _, ok := c.DirectWire(nil, again); ok {
				t.Error("an extension was taken twice")
			}
		})
	}
}

// TestMemoryOfEnums bounds what a codec keeps of an enum that many fields have.
func TestMemoryOfEnums(t *testing.T) {
	const fields, most = 200, 4 << 20
	e := &descriptorpb.EnumDescriptorProto{Name: proto.String("E")}
	for i := range int32(1000) {
		e.Value = append(e.Value, &descriptorpb.EnumValueDescriptorProto{Name: proto.String(fmt.Sprint("SOME_VALUE_", i)), Number: &i})
	}
	m := &descriptorpb.DescriptorProto{Name: proto.String("M")}
	for i := range int32(fields) {
		f := number(fmt.Sprint("f", i), i+1)
		f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum(), proto.String(".g.E")
		m.Field = append(m.Field, f)
	}
	md, types := declare(t, &descriptorpb.FileDescriptorProto{
		MessageType: []*descriptorpb.DescriptorProto{m}, EnumType: []*descriptorpb.EnumDescriptorProto{e},
	})
	c := compile(t, md, types, transcode.Options{})
	if took := allocated(func() { c.DirectJSON(nil, nil) }); took > most {
		t.Errorf("%d bytes, want at most %d", took, most)
	}
}

// TestTypeURLsWithoutEnd names a type by more URLs than anybody should remember.
func TestTypeURLsWithoutEnd(t *testing.T) {
	if raceEnabled {
		t.Skip("sync.Pool forgets at random under the race detector")
	}
	c := features(t).codec(t, "t3.All", transcode.Options{})
	named := func(url string) []byte { return fmt.Appendf(nil, `{"any":{"@type":%q}}`, url) }
	dst := make([]byte, 0, 1000)
	for i := range 1000 {
		text := named(fmt.Sprintf("host%d/t3.Sub", i))
		if _, ok := c.DirectWire(dst, text); !ok {
			t.Fatalf("%s was declined", text)
		}
	}
	for _, url := range []string{"type.googleapis.com/t3.All", "t3.All", strings.Repeat("x", 500) + "/t3.Sub", "a/b/t3.Sub"} {
		text := named(url)
		if n := testing.AllocsPerRun(20, func() { c.DirectWire(dst, text) }); n > 0 {
			t.Errorf("%v allocations for %.40s", n, url)
		}
	}
	for _, url := range []string{"t3.Sub/", "t3.Sub/x", "host/t3", "/"} {
		if _, ok := c.DirectWire(dst, named(url)); ok {
			t.Errorf("%q was taken", url)
		}
	}
}
