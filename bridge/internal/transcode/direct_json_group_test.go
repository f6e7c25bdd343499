package transcode_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// tree is a message that holds itself: in the group "g" or, hidden, "h"; with a length as "p"; in the map "m"; and a number.
func tree(t *testing.T) protoreflect.MessageDescriptor {
	t.Helper()
	const text = `name: "tree.proto" package: "tree" syntax: "editions" edition: EDITION_2023
		message_type { name: "M"
			field {
				name: "g" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".tree.M"
				options { features { message_encoding: DELIMITED } }
			}
			field {
				name: "h" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".tree.M"
				options { features { message_encoding: DELIMITED } }
			}
			field { name: "p" number: 3 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".tree.M" }
			field { name: "n" number: 4 label: LABEL_OPTIONAL type: TYPE_INT32 }
			field { name: "m" number: 5 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".tree.M.MEntry" }
			nested_type { name: "MEntry" options { map_entry: true }
				field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
				field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".tree.M" } } }`
	fd := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(text), fd); err != nil {
		t.Fatal(err)
	}
	file, err := protodesc.NewFile(fd, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file.Messages().Get(0)
}

// inGroups puts wire into so many groups of a field in each other.
func inGroups(num protowire.Number, n int, wire string) string {
	open := string(protowire.AppendTag(nil, num, protowire.StartGroupType))
	shut := string(protowire.AppendTag(nil, num, protowire.EndGroupType))
	return strings.Repeat(open, n) + wire + strings.Repeat(shut, n)
}

// Groups may be in each other up to a bound, which a length between them begins anew.
func TestGroupsInEachOther(t *testing.T) {
	t.Parallel()
	md := tree(t)
	hide := func(fd protoreflect.FieldDescriptor) bool { return fd.Name() == "h" }
	c := compile(t, md, nil, transcode.Options{MaxDepth: 500, Hide: hide})
	const most = 64
	one := varintField(4, 1)
	for name, test := range map[string]struct {
		wire    string
		refused bool
	}{
		"shown":             {wire: inGroups(1, most, one)},
		"shown, large":      {wire: inGroups(1, most, strings.Repeat(one, 200))},
		"shown, deeper":     {wire: inGroups(1, most+1, one), refused: true},
		"hidden":            {wire: inGroups(2, 1, inGroups(1, most-1, one))},
		"hidden, deeper":    {wire: inGroups(2, 1, inGroups(1, most, one)), refused: true},
		"unknown":           {wire: inGroups(9, most, one)},
		"unknown, deeper":   {wire: inGroups(9, most+1, one), refused: true},
		"mixed, deeper":     {wire: inGroups(1, 30, inGroups(9, most-29, one)), refused: true},
		"length between":    {wire: inGroups(1, most, field(3, inGroups(1, most, one)))},
		"map between":       {wire: inGroups(1, most, field(5, varintField(1, 7)+field(2, inGroups(1, most, one))))},
		"deeper in a map":   {wire: field(5, varintField(1, 7)+field(2, inGroups(1, most+1, one))), refused: true},
		"unknown in entry":  {wire: field(5, inGroups(9, most+1, one)), refused: true},
		"unknown bytes":     {wire: field(9, inGroups(1, most+1, one))},
		"not in order":      {wire: one + inGroups(1, 3, one+inGroups(1, 30, strings.Repeat(one, 30)))},
		"padded end":        {wire: "\x0b" + one + "\x8c\x80\x00"},
		"padded inner end":  {wire: "\x0b\x0b" + strings.Repeat(one, 30) + "\x8c\x80\x00\x8c\x00"},
		"wrong end":         {wire: "\x0b\x0b" + one + "\x14\x0c", refused: true},
		"open":              {wire: "\x0b\x0b" + one + "\x0c", refused: true},
		"several, in order": {wire: inGroups(1, 40, one) + inGroups(9, 40, one) + field(3, inGroups(1, 40, one))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if sameReply(t, c, []byte(test.wire)) {
				t.Error("declined")
			}
			_, _, err := c.AppendJSON(nil, []byte(test.wire))
			if errors.Is(err, transcode.ErrReply) != test.refused {
				t.Errorf("error %v, want one: %v", err, test.refused)
			}
			if strings.HasSuffix(name, "deeper") && !strings.Contains(err.Error(), "more than 64 groups in each other") {
				t.Errorf("error %v, want one that names the bound", err)
			}
		})
	}
}

// What is noted of groups is a small part of them. It runs alone.
func TestMemoryOfGroups(t *testing.T) {
	c := compile(t, tree(t), nil, transcode.Options{})
	wire := []byte(inGroups(1, 60, strings.Repeat(varintField(4, 1), 1<<20)))
	dst := make([]byte, 0, 1<<10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, ok := c.DirectJSON(dst, wire)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; !ok || bytes > 1<<18 {
		t.Errorf("taken %v, %d bytes allocated", ok, bytes)
	}
}

// A reply that is refused leaves the order in which later ones are read as it was, and one with its fields in another order does
// not make those in each other take longer and longer.
func TestUnorderedReplies(t *testing.T) {
	t.Parallel()
	md := tree(t)
	c := compile(t, md, nil, transcode.Options{})
	if c.Scattered(md) {
		t.Fatal("scattered before any reply")
	}
	unordered := varintField(4, 1) + field(3, varintField(4, 2))
	for _, wire := range []string{unordered + "\x0c", unordered + field(3, varintField(4, 1))} {
		if _, ok := c.DirectJSON(nil, []byte(wire)); ok || c.Scattered(md) {
			t.Errorf("%x: taken %v, scattered %v", wire, ok, c.Scattered(md))
		}
	}
	deep := ""
	for range 20 {
		deep = varintField(4, 1) + field(3, deep)
	}
	if sameReply(t, c, []byte(deep)) {
		t.Error("declined")
	}
	if !c.Scattered(md) {
		t.Error("not scattered after a reply in another order")
	}
	c = compile(t, md, nil, transcode.Options{})
	deep = strings.Repeat(varintField(4, 1), 1000)
	for range 90 {
		deep = field(3, deep) + inGroups(2, 1, "")
	}
	if !sameReply(t, c, []byte(deep)) {
		t.Error("not declined, though most of it was to be read 90 times")
	}
}
