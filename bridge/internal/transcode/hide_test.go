package transcode_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// hiding hides the fields and extensions with these names, wherever they are.
func hiding(names ...string) transcode.Options {
	return transcode.Options{Hide: func(fd protoreflect.FieldDescriptor) bool {
		for _, name := range names {
			if string(fd.Name()) == name {
				return true
			}
		}
		return false
	}}
}

// TestHiddenArguments: a hidden field is refused with the words for a field that there is not.
func TestHiddenArguments(t *testing.T) {
	t.Parallel()
	w := features(t)
	for name, tt := range map[string]struct {
		message, hidden, arguments string // "$" stands for the name of the hidden field, then for one that there is not
		name, stranger             string
	}{
		"top":              {"t3.All", "f_string", `{"$":"x"}`, "fString", "fStrong"},
		"proto name":       {"t3.All", "f_string", `{"$":"x"}`, "f_string", "f_strong"},
		"nested":           {"t3.All", "full_name", `{"sub":{"$":"x"}}`, "fullName", "fallName"},
		"in a list":        {"t3.All", "n", `{"rSub":[{"fullName":"a"},{"$":1}]}`, "n", "q"},
		"in a map":         {"t3.All", "n", `{"mSub":{"a":{"$":1}}}`, "n", "q"},
		"in an Any":        {"t3.All", "n", `{"any":{"@type":"x/t3.Sub","$":1}}`, "n", "q"},
		"null":             {"t3.All", "f_string", `{"$":null}`, "fString", "fStrong"},
		"all of a message": {"t3.Typed", "type_url", `{"$":""}`, "type_url", "type_uri"},
		"extension":        {"t2.Old", "note", `{"$":"x"}`, "[t2.note]", "[t2.nite]"},
		"group":            {"t2.Old", "grouplike", `{"$":{}}`, "GroupLike", "GroupLake"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open, c := w.codec(t, fullName(tt.message), transcode.Options{}), w.codec(t, fullName(tt.message), hiding(tt.hidden))
			arguments := strings.ReplaceAll(tt.arguments, "$", tt.name)
			if _, err := open.AppendWire(nil, []byte(arguments)); err != nil {
				t.Fatalf("refused when not hidden: %v", err)
			}
			got := refused(t, c, arguments)
			want := refused(t, c, strings.ReplaceAll(tt.arguments, "$", tt.stranger))
			want.Reason = strings.ReplaceAll(want.Reason, tt.stranger, tt.name)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-unknown +hidden):\n%s", diff)
			}
		})
	}
}

// TestHiddenNames: what is hidden is neither listed, nor suggested, nor demanded.
func TestHiddenNames(t *testing.T) {
	t.Parallel()
	w := features(t)
	for name, tt := range map[string]struct {
		message, hidden, arguments, want string
	}{
		"not suggested":   {"t3.Sub", "full_name", `{"fullNam":""}`, `unknown argument "fullNam"; there are: n`},
		"the next best":   {"t3.All", "f_int32", `{"fInt32x":1}`, `unknown argument "fInt32x"; did you mean "fUint32"?`},
		"nothing is left": {"t3.Typed", "type_url", `{"a":1}`, `unknown argument "a"; there are no arguments here`},
		"a choice": {
			"t3.All", "c_sub", `{"choice":1}`, `unknown argument "choice"; it is a choice: set one of cString, cInt32, cValue, cNull`,
		},
		"one of a choice": {
			"t3.All", "c_sub", `{"cString":"","cInt32":1}`,
			`"cString" and "cInt32" exclude each other; set only one of: cString, cInt32, cValue, cNull`,
		},
		"required, another": {"t2.Strict", "pageCount", `{}`, `missing name; required here`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fault := refused(t, w.codec(t, fullName(tt.message), hiding(tt.hidden)), tt.arguments)
			if fault.Error() != tt.want {
				t.Errorf("error %q, want %q", fault.Error(), tt.want)
			}
		})
	}
	t.Run("a choice of nothing", func(t *testing.T) {
		t.Parallel()
		c := w.codec(t, "t3.All", hiding("c_string", "c_int32", "c_sub", "c_value", "c_null"))
		if fault := refused(t, c, `{"choice":1}`); strings.Contains(fault.Hint, "choice") {
			t.Errorf("error %v", fault.Error())
		}
	})
	t.Run("required", func(t *testing.T) {
		t.Parallel()
		if got, _ := roundTrip(t, w.codec(t, "t2.Strict", hiding("pageCount")), `{"name":"a"}`); got != `{"name":"a"}` {
			t.Errorf("result %s", got)
		}
	})
}

// TestHiddenResults: what is hidden is left out at any depth, set or not.
func TestHiddenResults(t *testing.T) {
	t.Parallel()
	w := features(t)
	sub := marshal(t, &anypb.Any{TypeUrl: "x/t3.Sub", Value: []byte("\x08\x01\x12\x01a")})
	for name, tt := range map[string]struct {
		message, hidden, wire, want string
		defaults                    bool
	}{
		"top":             {"t3.All", "f_string", field(fString, "x") + field(rString, "y"), `{"rString":["y"]}`, false},
		"nested":          {"t3.All", "f_string", field(all, field(fString, "x")+field(rString, "y")), `{"all":{"rString":["y"]}}`, false},
		"in a list":       {"t3.All", "n", field(rSub, "\x08\x01\x12\x01a"), `{"rSub":[{"fullName":"a"}]}`, false},
		"in a map":        {"t3.All", "n", field(26, field(1, "k")+field(2, "\x08\x01\x12\x01a")), `{"mSub":{"k":{"fullName":"a"}}}`, false},
		"in an Any":       {"google.protobuf.Any", "n", sub, `{"@type":"x/t3.Sub","fullName":"a"}`, false},
		"defaults":        {"t3.Sub", "n", "", `{"fullName":""}`, true},
		"not valid UTF-8": {"t3.Sub", "full_name", "\x08\x01\x12\x01\xff", `{"n":1}`, false},
		"extension":       {"t2.Old", "note", field(5, "t") + field(100, "secret"), `{"text":"t"}`, false},
		"nothing left":    {"t3.Typed", "type_url", "\x0a\x01a", `{}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := hiding(tt.hidden)
			opts.EmitDefaults = tt.defaults
			got, warnings, err := w.codec(t, fullName(tt.message), opts).AppendJSON(nil, []byte(tt.wire))
			if err != nil || string(got) != tt.want || len(warnings) > 0 {
				t.Errorf("result %s, warnings %q, error %v; want %s", got, warnings, err, tt.want)
			}
		})
	}
}

// TestHideIsAskedOnce for each field, however many calls there are.
func TestHideIsAskedOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[protoreflect.FullName]int{}
	c := features(t).codec(t, "t3.All", transcode.Options{Hide: func(fd protoreflect.FieldDescriptor) bool {
		mu.Lock()
		defer mu.Unlock()
		asked[fd.FullName()]++
		return false
	}})
	for range 3 {
		roundTrip(t, c, `{"all":{"sub":{"n":1}},"rSub":[{},{}]}`)
	}
	if len(asked) == 0 {
		t.Error("it was not asked")
	}
	for name, n := range asked {
		if n != 1 {
			t.Errorf("%s: asked %d times", name, n)
		}
	}
}

// TestHideIsRemoval: a result with hidden fields is that of a reply without them, and arguments that have one are refused.
func TestHideIsRemoval(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	open := compile(t, md, types, transcode.Options{})
	messages := maker{types: types, payloads: payloads}.messages(md)
	rapid.Check(t, func(t *rapid.T) {
		salt := rapid.Uint32().Draw(t, "salt")
		hide := func(fd protoreflect.FieldDescriptor) bool { return (uint32(fd.Number())+salt)*2654435761>>8%4 == 0 }
		c, err := transcode.Compile(md, md, types, transcode.Options{Hide: hide})
		if err != nil {
			t.Fatal(err)
		}
		m := messages.Draw(t, "message")
		text, _, err := open.AppendJSON(nil, wireOf(t, m))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := c.AppendJSON(nil, wireOf(t, m))
		if err != nil {
			t.Fatal(err)
		}
		removed := remove(t, m, types, hide)
		want, _, err := open.AppendJSON(nil, wireOf(t, m))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Fatalf("result\n%s, want\n%s", got, want)
		}
		if _, err := c.AppendWire(nil, text); (err != nil) != removed {
			t.Fatalf("something is hidden: %v; error %v: %s", removed, err, text)
		}
		if _, err := c.AppendWire(nil, want); err != nil {
			t.Fatalf("nothing is hidden; error %v: %s", err, want)
		}
	})
}

// remove clears the fields of m that hide names, where they have JSON members, and reports whether there were any.
func remove(t rapid.TB, m protoreflect.Message, types transcode.Resolver, hide func(protoreflect.FieldDescriptor) bool) (removed bool) {
	md := m.Descriptor()
	if shape.KindOf(md) == shape.Any {
		return removeFromAny(t, m, types, hide)
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case shape.KindOf(md) == shape.Object && hide(fd):
			m.Clear(fd)
			removed = true
		case fd.IsMap() && fd.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				removed = remove(t, v.Message(), types, hide) || removed
				return true
			})
		case fd.IsList() && fd.Message() != nil:
			for i := range v.List().Len() {
				removed = remove(t, v.List().Get(i).Message(), types, hide) || removed
			}
		case !fd.IsMap() && fd.Message() != nil:
			removed = remove(t, v.Message(), types, hide) || removed
		}
		return true
	})
	return removed
}

func removeFromAny(t rapid.TB, m protoreflect.Message, types transcode.Resolver, hide func(protoreflect.FieldDescriptor) bool) bool {
	url, payload := m.Descriptor().Fields().ByNumber(1), m.Descriptor().Fields().ByNumber(2)
	if m.Get(url).String() == "" {
		return false
	}
	mt, err := types.FindMessageByURL(m.Get(url).String())
	if err != nil {
		t.Fatal(err)
	}
	inner := mt.New()
	if err := proto.Unmarshal(m.Get(payload).Bytes(), inner.Interface()); err != nil {
		t.Fatal(err)
	}
	removed := remove(t, inner, types, hide)
	m.Set(payload, protoreflect.ValueOfBytes(wireOf(t, inner.Interface())))
	return removed
}

// TestHiddenValues: in arguments, a hidden value of an enum has no name, and results show what the backend sent.
func TestHiddenValues(t *testing.T) {
	t.Parallel()
	opts := transcode.Options{HideValue: func(v protoreflect.EnumValueDescriptor) bool {
		return v.Name() == "COLOR_GREEN" || v.Name() == "COLOR_RED"
	}}
	c := features(t).codec(t, "t3.All", opts)
	for arguments, want := range map[string]string{
		`{"fColor":"COLOR_GREEN"}`:    `fColor: want one of COLOR_UNSPECIFIED, COLOR_CRIMSON, got the string "COLOR_GREEN"`,
		`{"fColor":"color_green"}`:    `fColor: want one of COLOR_UNSPECIFIED, COLOR_CRIMSON, got the string "color_green"`,
		`{"fColor":"GREEN"}`:          `fColor: want one of COLOR_UNSPECIFIED, COLOR_CRIMSON, got the string "GREEN"`,
		`{"rColor":["COLOR_GREENS"]}`: `rColor[0]: want one of COLOR_UNSPECIFIED, COLOR_CRIMSON, got the string "COLOR_GREENS"`,
		`{"fColor":true}`:             `fColor: want one of COLOR_UNSPECIFIED, COLOR_CRIMSON, got true`,
	} {
		if fault := refused(t, c, arguments); fault.Error() != want {
			t.Errorf("%s: error %q, want %q", arguments, fault.Error(), want)
		}
	}
	for arguments, want := range map[string]string{
		`{"fColor":2}`:               `{"fColor":"COLOR_GREEN"}`,
		`{"fColor":"COLOR_CRIMSON"}`: `{"fColor":"COLOR_RED"}`,
		`{"fColor":"color_crimson"}`: `{"fColor":"COLOR_RED"}`,
	} {
		if got, _ := roundTrip(t, c, arguments); got != want {
			t.Errorf("%s: result %s, want %s", arguments, got, want)
		}
	}
	opts.HideValue = func(protoreflect.EnumValueDescriptor) bool { return true }
	fault := refused(t, features(t).codec(t, "t3.All", opts), `{"fColor":"COLOR_RED"}`)
	if fault.Error() != `fColor: want a number, got the string "COLOR_RED"` {
		t.Errorf("with all hidden: error %q", fault.Error())
	}
}
