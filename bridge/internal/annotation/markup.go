package annotation

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// escapes are terminal control sequences: CSI and OSC, in their 7-bit and 8-bit forms (ECMA-48, sections 5.4 and 8.3.89).
var escapes = regexp.MustCompile(`(?s)(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]?|(?:\x1b\]|\x{9d}).*?(?:\x07|\x1b\\|\x{9c}|$)|\x1b[ -/]*[0-~]?`)

// maxNesting bounds how often something is decoded or removed that only appears when something else is (`<IMP<b>ORTANT>`,
// `&amp;lt;`). What is left after that loses the characters that would make it work.
const maxNesting = 8

// ampersands are any number of escapes of an escape, so that each of them does not take a round.
var ampersands = regexp.MustCompile(`(?i)&(?:(?:amp|#0*38|#x0*26);)+`)

// brackets are those escapes that HTML knows in two spellings and a reader in any.
var brackets = regexp.MustCompile(`(?i)&(?:lt|gt|quot);`)

// visible decodes HTML entities, however often they are encoded, and removes what a person would not see but a model would
// read: terminal sequences, control and format characters (bidi, zero-width and tag characters among them), private use,
// fillers and variation selectors. It comes before every other rule, or an invisible character would hide a tag from it.
func visible(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	for range maxNesting {
		decoded := shown(decode(text))
		if decoded == text || !strings.ContainsRune(text, '&') {
			return decoded
		}
		text = decoded
	}
	return strings.ReplaceAll(text, "&", "")
}

func decode(text string) string {
	if !strings.ContainsRune(text, '&') {
		return text
	}
	text = brackets.ReplaceAllStringFunc(ampersands.ReplaceAllString(text, "&"), strings.ToLower)
	return html.UnescapeString(text)
}

func shown(text string) string {
	if strings.ContainsRune(text, 0x1b) || strings.ContainsRune(text, 0x9b) || strings.ContainsRune(text, 0x9d) {
		text = escapes.ReplaceAllString(text, "")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(printable, text)
}

// printable maps one character for strings.Map: to a line feed, a space, itself or nothing.
func printable(r rune) rune {
	switch {
	case r >= ' ' && r < 0x7f:
		return r
	case r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
		return '\n'
	case r == '\t' || unicode.Is(unicode.Zs, r):
		return ' '
	case unicode.In(r, unicode.C, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return -1
	}
	if usual, ok := lookalikes[r]; ok {
		return usual
	}
	return r
}

// lookalikes are the full-width and small forms of what markup is made of; a model reads them as the usual ones.
var lookalikes = map[rune]rune{'\uff1c': '<', '\ufe64': '<', '\uff1e': '>', '\ufe65': '>', '\uff5c': '|'}

var (
	// crossReference is `[text][some.Symbol]`, as Google's comments link; the text is kept.
	crossReference = regexp.MustCompile(`\[([^\[\]]+)\]\[[^\[\]]*\]`)
	// link is `[text](address)`, or with a blank between, to the web or to another page of a site; the text is kept. What
	// follows a word is an index.
	link        = regexp.MustCompile(`(^|\W)\[([^\[\]]+)\]\s?\((?:https?:/)?/[^()\s]*\)`)
	htmlComment = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)
	// tag is anything that opens like markup and closes; the groups are the slash, the name and the rest.
	tag        = regexp.MustCompile(`<(/?)([A-Za-z][\w.:-]*)([^<>]*)>`)
	attributes = regexp.MustCompile(`^\s+[\w:-]+\s*=`)
	// turn is a marker of a chat template, with the role that follows it: text between such pretends to be another speaker's.
	turn = regexp.MustCompile(`(?i)<\|\s*[^<>\s]*\s*\|>(?:(?:system|developer|user|assistant|tool)\b)?|<<\s*/?\s*SYS\s*>>|` +
		`\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\]`)
	// opening is what begins like markup and does not end; the group is the name.
	opening = regexp.MustCompile(`<(?:[/!?]\s*)+|<\|\w|<([A-Za-z][\w.:-]*)`)
)

// orders are tags by which a text tries to give a model orders or to pose as the end of a turn.
var orders = map[string]bool{
	"important": true, "critical": true, "urgent": true, "override": true, "instructions": true, "system_prompt": true,
	"system-prompt": true, "system-reminder": true, "system_reminder": true, "think": true, "thinking": true, "tool_call": true,
	"tool_response": true, "tool_result": true, "function_call": true, "function_calls": true, "start_of_turn": true,
	"end_of_turn": true, "s": true, "bos": true, "eos": true, "unk": true,
}

// loneTags are elements of HTML that come without a closing tag. Names that an API would use for a placeholder (`<object>`,
// `<secret>`) are not here; as a pair they go all the same.
var loneTags = map[string]bool{
	"p": true, "br": true, "hr": true, "wbr": true, "img": true, "li": true, "dt": true, "ul": true, "ol": true, "dl": true,
	"pre": true, "table": true,
}

// plain removes markup, and with it what its removal lets appear: an entity that a tag has stood in.
func plain(text string) string {
	for range maxNesting {
		text = stripMarkup(text)
		again := visible(text)
		if again == text {
			return text
		}
		text = again
	}
	return strings.ReplaceAll(stripMarkup(text), "&", "")
}

// stripMarkup removes HTML-like tags and keeps what they enclose, and the markers of chat templates. A placeholder such as
// `projects/<project>` looks the same and means something: it becomes `projects/{project}`. No `<word` is left in any case.
func stripMarkup(text string) string {
	if strings.Contains(text, "][") {
		text = crossReference.ReplaceAllString(text, "$1")
	}
	if strings.Contains(text, "](") || strings.Contains(text, "] (") || strings.Contains(text, "]\n(") {
		text = link.ReplaceAllString(text, "$1$2")
	}
	if !strings.ContainsAny(text, "<[") {
		return text
	}
	text = htmlComment.ReplaceAllString(text, "")
	for range maxNesting {
		switch {
		case turn.MatchString(text):
			text = turn.ReplaceAllString(text, "")
		case tag.MatchString(text):
			text = replaceTags(text)
		case opening.MatchString(text):
			text = opening.ReplaceAllStringFunc(text, replaceOpening)
		default:
			return text
		}
	}
	return strings.NewReplacer("<", "", "[", "").Replace(text)
}

// replaceOpening removes the beginning of a tag. Where that may as well be a comparison (`a <b`), a space makes it one.
func replaceOpening(found string) string {
	name := opening.FindStringSubmatch(found)[1]
	switch lower := strings.ToLower(name); {
	case name == "":
		return strings.TrimLeft(found, "</!?| \n")
	case orders[lower] || loneTags[lower]:
		return breakOf(lower)
	}
	return "< " + name
}

func replaceTags(text string) string {
	closed := map[string]bool{}
	for _, m := range tag.FindAllStringSubmatch(text, -1) {
		if m[1] == "/" {
			closed[strings.ToLower(m[2])] = true
		}
	}
	return tag.ReplaceAllStringFunc(text, func(found string) string {
		m := tag.FindStringSubmatch(found)
		name, rest := strings.ToLower(m[2]), strings.TrimSpace(m[3])
		switch {
		case m[1] == "/", rest == "/", closed[name], orders[name], loneTags[name] && rest == "", attributes.MatchString(m[3]):
			return breakOf(m[1] + name)
		case strings.ContainsAny(found[1:], "@/:"):
			return m[2] + m[3]
		default:
			return "{" + m[2] + m[3] + "}"
		}
	})
}

// breakOf is what stands for a removed tag, a closing one given as `/name`: a line break for elements that make one, nothing
// for the others.
func breakOf(name string) string {
	switch name {
	case "p", "br", "ul", "/ul", "ol", "/ol", "dl", "div", "pre", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "blockquote":
		return "\n"
	case "li", "dt", "tr":
		return "\n- "
	case "td", "th", "dd":
		return " "
	}
	return ""
}
