package schema

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// teller is a reader that gives out only what may be told: nothing that names what google.api.visibility hides, and no text
// of a rule that would read like something else than text. It is safe for concurrent use.
type teller struct {
	*annotation.Reader
	fields    cache[protoreflect.FullName, annotation.Field]
	secrets   cache[protoreflect.FullName, map[string]bool]
	disclosed cache[protoreflect.FullName, disclosure]
}

// Field is that of [annotation.Reader] with a constraint, and patterns of resources, that may be told.
func (t *teller) Field(fd protoreflect.FieldDescriptor) annotation.Field {
	said := t.Reader.Field(fd)
	if said.Constraint == nil && len(said.Resource) == 0 {
		return said
	}
	return t.fields.get(fd.FullName(), func() annotation.Field {
		said.Resource = slices.DeleteFunc(slices.Clone(said.Resource), unsafe)
		said.Constraint = t.constraint(said.Constraint, fd.ContainingMessage())
		return said
	})
}

// Message is that of [annotation.Reader] with constraints that may be told.
func (t *teller) Message(md protoreflect.MessageDescriptor) annotation.Message {
	said := t.Reader.Message(md)
	said.Constraints = t.clauses(said.Constraints, md)
	return said
}

// constraint copies a constraint on a field of md without what may not be told, and says that something is left out.
func (t *teller) constraint(c *annotation.Constraint, md protoreflect.MessageDescriptor) *annotation.Constraint {
	if c == nil {
		return nil
	}
	told := *c
	told.Words = slices.Clone(t.clauses(c.Words, md))
	told.Items, told.Keys, told.Values = t.constraint(c.Items, md), t.constraint(c.Keys, md), t.constraint(c.Values, md)
	unsayable := func(sentence string) { told.Words = append(told.Words, sentence) }
	if c.Const != nil && unsafe(*c.Const) {
		told.Const = nil
		unsayable("The one value that is allowed cannot be shown")
	}
	if told.In = slices.DeleteFunc(unique(c.In), unsafe); len(told.In) < len(unique(c.In)) {
		unsayable("Another value that cannot be shown is allowed")
	}
	if told.NotIn = slices.DeleteFunc(unique(c.NotIn), unsafe); len(told.NotIn) < len(unique(c.NotIn)) {
		unsayable("Another value that cannot be shown is not allowed")
	}
	for _, p := range []struct {
		text     *string
		sentence string
	}{
		{&told.Pattern, "Matches a regular expression that cannot be shown"},
		{&told.Prefix, "Starts with a text that cannot be shown"},
		{&told.Suffix, "Ends with a text that cannot be shown"},
		{&told.Contains, "Contains a text that cannot be shown"},
		{&told.NotContains, "Does not contain a text that cannot be shown"},
	} {
		if unsafe(*p.text) {
			*p.text = ""
			unsayable(p.sentence)
		}
	}
	return &told
}

// links are what a regular expression looks like to those who look for links in a text.
var links = strings.NewReplacer("][", "] [", "](", "] [", "/", "|")

// unsafe says whether a value has what a person would not see but a model would read: control, bidirectional and invisible
// characters, or markup. Spaces and what only a comment may not begin with are harmless.
func unsafe(value string) bool {
	const opening = "Is "
	said := opening + links.Replace(strings.Join(strings.FieldsFunc(value, isSpace), " "))
	said = strings.TrimRight(said, " ")
	return annotation.Clean(said) != said || strings.HasPrefix(value, "Human:") || strings.HasPrefix(value, "Assistant:")
}

func isSpace(r rune) bool { return r == ' ' }

// clauses leaves out those that name a field, or a value of an enum, that may not be seen. What is hidden of a choice goes from
// its list.
func (t *teller) clauses(clauses []string, md protoreflect.MessageDescriptor) []string {
	if len(clauses) == 0 {
		return nil
	}
	secrets := t.secrets.get(md.FullName(), func() map[string]bool { return t.secretsOf(md) })
	if len(secrets) == 0 {
		return clauses
	}
	var told []string
	for _, clause := range clauses {
		if clause = open(clause, secrets); clause != "" {
			told = append(told, clause)
		}
	}
	return told
}

// open returns a clause that names none of the secrets, "" where there is no such.
func open(clause string, secrets map[string]bool) string {
	if !mentions(clause, secrets) {
		return clause
	}
	for _, c := range []struct{ opening, end, single string }{
		{"Exactly one of ", " has to be set", " has to be set"}, {"At most one of ", " may be set", ""},
	} {
		names, listed := strings.CutPrefix(clause, c.opening)
		names, whole := strings.CutSuffix(names, c.end)
		if !listed || !whole {
			continue
		}
		shown := slices.DeleteFunc(strings.Split(names, ", "), func(name string) bool { return mentions(name, secrets) })
		switch {
		case len(shown) > 1:
			return c.opening + strings.Join(shown, ", ") + c.end
		case len(shown) == 1 && c.single != "":
			return shown[0] + c.single
		}
	}
	return ""
}

// mentions says whether one of the words is a secret, however it is capitalised.
func mentions(text string, secrets map[string]bool) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, outsideName), func(word string) bool {
		return secrets[strings.ToLower(word)]
	})
}

func outsideName(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// maxReach is how many messages below its own a rule is thought to look into.
const maxReach = 4

// secretsOf returns the names, in small letters, of what may not be seen in md and below, without those that something else
// has which may; nil of none.
func (t *teller) secretsOf(md protoreflect.MessageDescriptor) map[string]bool {
	var secrets, shown []string
	seen := map[protoreflect.FullName]bool{md.FullName(): true}
	for around, depth := []protoreflect.MessageDescriptor{md}, 0; len(around) > 0 && depth <= maxReach; depth++ {
		var below []protoreflect.MessageDescriptor
		for _, md := range around {
			d := t.disclosed.get(md.FullName(), func() disclosure { return t.disclose(md) })
			secrets, shown = append(secrets, d.secrets...), append(shown, d.shown...)
			for _, inner := range d.below {
				if !seen[inner.FullName()] {
					seen[inner.FullName()] = true
					below = append(below, inner)
				}
			}
		}
		around = below
	}
	if len(secrets) == 0 {
		return nil
	}
	set := map[string]bool{}
	for _, name := range secrets {
		set[name] = true
	}
	for _, name := range shown {
		delete(set, name)
	}
	return set
}

// disclosure is what names a message and the enums of its fields have, in small letters, and which messages are below it.
type disclosure struct {
	secrets, shown []string
	below          []protoreflect.MessageDescriptor
}

func (t *teller) disclose(md protoreflect.MessageDescriptor) disclosure {
	var d disclosure
	note := func(of protoreflect.Descriptor, names ...string) {
		into := &d.shown
		if t.Hidden(of) != "" {
			into = &d.secrets
		}
		for _, name := range names {
			*into = append(*into, strings.ToLower(name))
		}
	}
	for _, f := range shape.Of(md).Fields() {
		note(f.Descriptor, f.Name, string(f.Descriptor.Name()), f.Descriptor.JSONName())
		value := valueOf(f.Descriptor)
		if ed := value.Enum(); ed != nil {
			for i := range ed.Values().Len() {
				note(ed.Values().Get(i), string(ed.Values().Get(i).Name()))
			}
		}
		if inner := value.Message(); inner != nil {
			d.below = append(d.below, inner)
		}
	}
	return d
}
