package schema_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// choices counts the notes on a choice in a schema, and returns the descriptions in which one is not whole.
func choices(t testing.TB, raw []byte) (whole int, broken []string) {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(raw, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(node map[string]any)
	walk = func(node map[string]any) {
		if text, _ := node["description"].(string); strings.Contains(text, "Set at most") || strings.Contains(text, "Set exactly") {
			if wholeChoice.MatchString(text) {
				whole++
			} else {
				broken = append(broken, text)
			}
		}
		properties, _ := node["properties"].(map[string]any)
		for _, child := range properties {
			walk(child.(map[string]any))
		}
		if items, ok := node["items"].(map[string]any); ok {
			walk(items)
		}
	}
	walk(root)
	return whole, broken
}

var wholeChoice = regexp.MustCompile(`Set (at most|exactly) one of: \w+(, \w+)*( and \d+ more)?\.( |$)`)

// TestChoicesAreTold counts the notes at the root of a message whose fields have all that could crowd a note out.
func TestChoicesAreTold(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 50)
	for name, c := range map[string]struct{ text, want string }{
		"long comment on a message": {
			`message M { oneof o {` + fieldsOf(2, prose+prose,
				"N n%d = %[1]d;") + `} } message N { N n = 1; ` + fieldsOf(20, "x", "string "+long+"%d = 1%[1]d;") + `}`,
			"Set at most one of: n1, n2.",
		},
		"stub after stub": {
			`message M { oneof o {` + fieldsOf(3, prose+prose, "M m%d = %[1]d;") + `} }`,
			"Set at most one of: m1, m2, m3.",
		},
		"long names": {
			`message M { oneof o {` + fieldsOf(12, prose, "string "+long+"%d = %[1]d;") + `} }`,
			"Set at most one of: " + long + "1, " + long + "2, " + long + "3 and 9 more.",
		},
		"long enum": {
			`enum E { Z = 0; ` + fieldsOf(150, "x",
				"E"+long+"%d = %[1]d;") + `} message M { oneof o {` + fieldsOf(2, prose, "E e%d = %[1]d;") + `} }`,
			"Set at most one of: e1, e2.",
		},
		"long sentence": {
			`message M { oneof o {` + fieldsOf(2, strings.Repeat("endless words ", 40), "N n%d = %[1]d;") + `} } message N { string a = 1; }`,
			"Set at most one of: n1, n2.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := portable(t, methodsOf(source(t, `syntax = "proto3"; package x; `+c.text+service)))[0]
			check(t, m)
			input := m.input()
			members := m.Input().Oneofs().Get(0).Fields().Len()
			if whole, broken := choices(t, input); whole < members || len(broken) > 0 {
				t.Errorf("%d whole notes of %d, broken: %q", whole, members, broken)
			}
			contains(t, input, []string{c.want}, nil)
		})
	}
}

// TestChoicesOfTheCorpus wants a whole note on every field of the root that is in a choice, and no broken one further down.
func TestChoicesOfTheCorpus(t *testing.T) {
	t.Parallel()
	for name, methods := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, m := range portable(t, methods) {
				input := m.input()
				if _, broken := choices(t, input); len(broken) > 0 {
					t.Errorf("%s: broken notes %q", m.FullName(), broken)
				}
				descriptions := rootDescriptions(t, input)
				for _, property := range inChoices(m.Input()) {
					if text, shown := descriptions[property]; shown && !wholeChoice.MatchString(text) {
						t.Errorf("%s: %s has no note: %q", m.FullName(), property, text)
					}
				}
			}
		})
	}
}

// inChoices returns the properties of md that exclude others.
func inChoices(md protoreflect.MessageDescriptor) []string {
	members := map[protoreflect.Name][]string{}
	if shape.KindOf(md) == shape.Object {
		for _, f := range shape.Of(md).Fields() {
			o := f.Descriptor.ContainingOneof()
			if o != nil && !o.IsSynthetic() && !annotation.NewReader(nil).Field(f.Descriptor).OutputOnly {
				members[o.Name()] = append(members[o.Name()], f.Name)
			}
		}
	}
	var all []string
	for _, names := range members {
		if len(names) > 1 {
			all = append(all, names...)
		}
	}
	return all
}

// rootDescriptions returns the description of each property of the root.
func rootDescriptions(t testing.TB, raw []byte) map[string]string {
	t.Helper()
	var root struct {
		Properties map[string]struct {
			Description string `json:"description"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(raw, &root); err != nil {
		t.Fatal(err)
	}
	descriptions := map[string]string{}
	for name, property := range root.Properties {
		descriptions[name] = property.Description
	}
	return descriptions
}

// TestTextsOfTheCorpusAnnounceNothing looks for descriptions and titles that end in a colon.
func TestTextsOfTheCorpusAnnounceNothing(t *testing.T) {
	t.Parallel()
	for name, methods := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, m := range portable(t, methods) {
				if input := m.input(); strings.Contains(string(input), `:",`) || strings.Contains(string(input), `:"}`) {
					t.Errorf("%s: a text ends in a colon: %.3000s", m.FullName(), input)
				}
				if title := annotation.NewReader(nil).Method(m.MethodDescriptor).Title; strings.HasSuffix(title, ":") {
					t.Errorf("%s: the title %q ends in a colon", m.FullName(), title)
				}
			}
		})
	}
}

// TestStubsRequireWhatIsDemanded bounds what required fields may add to stubs, whatever the shape of the messages.
func TestStubsRequireWhatIsDemanded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text    string
		contain []string
	}{
		"itself": {
			`message M { required string a = 1; optional M m = 2; }`,
			[]string{`"description":"Same fields as the enclosing M.","properties":{"a":{"type":"string"}},"required":["a"]`},
		},
		"in turn": {
			`message M { optional N n = 1; } message N { required M m = 1; required string a = 2; }`,
			[]string{`"required":["m","a"]`},
		},
		"never satisfied": {`message M { required M m = 1; required string a = 2; }`, []string{`"required":["m","a"]`}},
		"explosion":       {`message M {` + fieldsOf(17, "x", "required M m%d = %[1]d;") + `}`, []string{`"m17"`}},
		"chain":           {`message M { optional N0 n = 1; }` + chain(20), []string{`"required":["next","also"]`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := portable(t, methodsOf(source(t, `syntax = "proto2"; package x; `+c.text+service)))[0]
			check(t, m)
			contains(t, m.input(), c.contain, nil)
		})
	}
}

// chain declares messages each of which requires the next twice.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "message N%d { required N%d next = 1; required N%[2]d also = 2; }\n", i, i+1)
	}
	fmt.Fprintf(&b, "message N%d { required string end = 1; }", n)
	return b.String()
}
