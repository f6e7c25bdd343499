package lint

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

const (
	// maxDescription is the length of the longest description, in characters, that every provider takes.
	maxDescription = 1024
	// maxSentence is the length of a first sentence, in characters, over which it no longer says at a glance what a tool is for.
	maxSentence = 200
	// named is how many names a finding lists.
	named = 5
)

// texts looks at the texts of a tool for what is refused.
func (f *findings) texts(t *mcp.Tool, short bool) {
	for _, s := range []struct{ where, text string }{{"title", t.Title}, {"description", t.Description}} {
		if !utf8.ValidString(s.text) {
			f.add(textNotUTF8, s.where, "save the source of the comment as UTF-8", "it is no valid UTF-8, which JSON has to be")
		}
	}
	switch n := utf8.RuneCountInString(t.Description); {
	case strings.TrimSpace(t.Description) == "":
		f.add(descriptionMissing, "description", "write a comment on the method", "it is empty, and providers refuse a tool without one")
	case short && n > maxDescription:
		f.add(descriptionTooLong, "description", "shorten the comment on the method",
			"it has %d characters: OpenAI refuses more than %d, with all other tools of the list", n, maxDescription)
	}
}

// suspicious is what texts say that speak to a model instead of telling what a tool does, or that hide something: they come
// from whoever wrote the descriptors.
var suspicious = regexp.MustCompile(`(?i)` +
	`\b(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier) (?:instruction|prompt|message|rule)` +
	`|\bdo not (?:tell|inform|mention (?:this|it) to) the user\b|\bsystem prompt\b|<important>` +
	`|~/\.(?:ssh|aws|config|netrc)\b|[A-Za-z0-9+/]{120,}={0,2}`)

// description looks at what the model reads of the tool.
func (f *findings) description(s *Subject) {
	text := strings.TrimPrefix(s.Tool.Description, "Deprecated. ")
	said := s.Reader.Method(s.Method)
	switch sentence := annotation.Sentence(text); {
	case said.Description == "" && strings.HasPrefix(text, "Calls "+string(s.Method.FullName())):
		f.add(commentMissing, "description",
			"write a comment on the method; reflection carries none, so lay files over it",
			"the method has no comment, so the description only lists names")
	case utf8.RuneCountInString(sentence) > maxSentence:
		f.add(firstSentenceLong, "description", "begin the comment with one short sentence that says what the method is for",
			"what the tool is for is hard to see in a first sentence of so many characters: %d", utf8.RuneCountInString(sentence))
	case repeats(text, string(s.Method.Name())):
		f.add(descriptionRepeatsName, "description", "say what the method is for, what it changes and when it fails",
			"it says no more than the name: %q", text)
	}
	f.suspect("description", []byte(text))
	f.suspect("inputSchema", s.Tool.InputSchema)
	if said.Deprecated {
		f.add(deprecatedMethod, "", "hide it, unless something still needs it", "the method is deprecated")
	}
	f.cuts(s.Cuts)
}

// cuts tells of what is left out, schema by schema.
func (f *findings) cuts(cuts []string) {
	for _, where := range []string{"inputSchema", "outputSchema"} {
		var texts []string
		for _, cut := range cuts {
			if text, found := strings.CutPrefix(cut, where+": "); found {
				texts = append(texts, text)
			}
		}
		if len(texts) > 0 {
			f.add(overBudget, where, "shorten the comments, or split the message, for what is left out a model cannot know",
				"to keep to its bounds the schema leaves something out: %s: %s", strings.TrimSuffix(where, "Schema"), strings.Join(texts, ", "))
		}
	}
}

// suspect looks for what is suspicious in a text.
func (f *findings) suspect(where string, text []byte) {
	if found := suspicious.Find(text); found != nil {
		f.add(textSuspicious, where, "find out who wrote it and why, and take it out of the comment",
			"it has what looks like an order to the model, or like something hidden: %s", jsonrpc.Echo(string(found)))
	}
}

// fillers are words that add nothing to a name.
var fillers = map[string]bool{
	"a": true, "an": true, "the": true, "of": true, "for": true, "to": true, "this": true, "method": true, "rpc": true, "api": true,
	"call": true, "endpoint": true, "operation": true, "request": true, "function": true, "is": true, "used": true,
}

// repeats says whether a text has no words but those of a name.
func repeats(text, name string) bool {
	known := map[string]bool{}
	for _, w := range annotation.Words(name) {
		known[stem(w)] = true
	}
	known[strings.ToLower(name)] = true
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" .,:;!\n", r) }) {
		if !fillers[w] && !known[w] && !known[stem(w)] {
			return false
		}
	}
	return true
}

// stem takes the endings off a word that make it a plural or the third person.
func stem(word string) string {
	word = strings.TrimSuffix(strings.ToLower(word), "s")
	return strings.TrimSuffix(word, "e")
}

// arguments looks at the direct properties of an input schema. A comment that the schema had no room for is no missing one.
func (f *findings) arguments(s *Subject) {
	var silent, odd []string
	properties, where := s.properties()
	for key, property := range jsonrpc.Pairs(properties) {
		if text, _ := jsonrpc.Find(property, "description"); len(text) <= len(`""`) && !s.commented(string(key)) {
			silent = append(silent, string(key))
		}
		if cryptic(string(key)) {
			odd = append(odd, string(key))
		}
	}
	if len(silent) > 0 {
		f.add(fieldsUndescribed, where, "write comments on these fields",
			"nothing but their names says what is meant by these arguments: %s", strings.Join(leading(silent, named), ", "))
	}
	if len(odd) > 0 {
		f.add(argumentCryptic, where, "give the fields names of whole words, be it by json_name",
			"a model cannot guess from their names what these arguments are: %s", strings.Join(leading(odd, named), ", "))
	}
}

// properties are those that stand for the fields of the request, and where they are: of a client stream, in each message. They
// are nil where there are none.
func (s *Subject) properties() (properties []byte, where string) {
	schema, where := s.Tool.InputSchema, "inputSchema."
	if s.Method.IsStreamingClient() && !s.RawInput {
		for _, name := range []string{"properties", "messages", "items"} {
			schema, _ = jsonrpc.Find(schema, name)
			where += name + "."
		}
	}
	properties, _ = jsonrpc.Find(schema, "properties")
	return properties, where + "properties"
}

// unlisted looks for direct arguments without which a call fails, and for which a derived schema had no room.
func (f *findings) unlisted(s *Subject) {
	md := s.Method.Input()
	properties, where := s.properties()
	if s.RawInput || properties == nil || shape.KindOf(md) != shape.Object {
		return
	}
	var lost []string
	for _, field := range shape.Of(md).Fields() {
		fd, said := field.Descriptor, s.Reader.Field(field.Descriptor)
		choice := fd.ContainingOneof() != nil && !fd.HasOptionalKeyword()
		if !said.Required || said.OutputOnly || choice || s.Reader.Hidden(fd) != "" {
			continue
		}
		if _, listed := jsonrpc.Find(properties, field.Name); !listed {
			lost = append(lost, field.Name)
		}
	}
	if len(lost) > 0 {
		f.add(requiredUnlisted, where, "split the request, or put what belongs together into messages of their own",
			"a call fails without them, and the schema has no room for these arguments: %s", strings.Join(leading(lost, named), ", "))
	}
}

// commented says whether a derived property is that of a field with a comment.
func (s *Subject) commented(key string) bool {
	fields := s.Method.Input().Fields()
	fd := fields.ByJSONName(key)
	if fd == nil {
		fd = fields.ByTextName(key)
	}
	return fd != nil && !s.RawInput && s.Reader.Field(fd).Description != ""
}

// effects looks at what the tool says of its effects.
func (f *findings) effects(s *Subject) {
	if s.Tool.Hints == (mcp.Hints{}) {
		f.add(effectsUnsaid, "annotations", "set idempotency_level on the method, or give it hints by bridge.v1 or the configuration",
			"nothing says what a call changes, so clients take it for one that destroys, and ask their user each time")
	}
}

// known says whether a word is one of a list.
func known(list []string, word string) bool {
	_, found := slices.BinarySearch(list, word)
	return found
}
