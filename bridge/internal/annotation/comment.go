package annotation

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Comment returns d's leading comment, else its trailing one, cleaned by [Clean]; detached comments belong to nobody and
// are not read. It is "" where there is none or the descriptor carries no source info, as over reflection.
func Comment(d protoreflect.Descriptor) string {
	file := d.ParentFile()
	if file == nil {
		return ""
	}
	location := file.SourceLocations().ByDescriptor(d)
	if text := Clean(location.LeadingComments); text != "" {
		return text
	}
	return Clean(location.TrailingComments)
}

// Clean turns a comment as a compiler recorded it into prose that is safe to show to a model: no comment margins, no
// internal `(-- … --)` blocks (AIP-192), no lines for linters, no invisible or control characters, no terminal escapes, no
// markup or markers of chat templates, line breaks only between paragraphs (an empty line) and before list items. Of a
// comment the first 64 KiB are read; the result is valid UTF-8 and cleaning it again changes nothing that matters.
func Clean(comment string) string {
	comment = beginning(comment)
	if strings.TrimSpace(comment) == "" {
		return ""
	}
	text := visible(comment)
	text = strings.Join(stripMargin(strings.Split(text, "\n")), "\n")
	text = stripInternal(text)
	text = dropDirectives(text)
	return withoutSpeakers(reflow(plain(text)))
}

// maxComment is how much of a comment is read, in bytes: far more than is shown of any.
const maxComment = 64 << 10

// beginning cuts a comment that is longer than is read, before a character. A block that it cuts in two is internal all the same.
func beginning(comment string) string {
	if len(comment) <= maxComment {
		return comment
	}
	end := maxComment
	for end > maxComment-utf8.UTFMax && !utf8.RuneStart(comment[end]) {
		end--
	}
	comment = comment[:end]
	if open := strings.LastIndex(comment, "(--"); open >= 0 && !strings.Contains(comment[open:], "--)") {
		return comment[:open]
	}
	return comment
}

const (
	// speaker opens a turn of a conversation where it opens a line: what follows would pose as another one's words.
	speaker = `(?:Human|Assistant|#+ ?(?:System|Instructions?|User|Input|Response)) ?:\s*`
	// label is a word of AIP-203 with which the comment of a field opens. Who leaves it out makes what is behind it the
	// beginning.
	label = `[\[(]?(?i:Required|Optional|Output only|Input only|Immutable|Identifier|Unordered list|Non-empty default|Deprecated)` +
		`[\])]?[.:,;]?\s+`
)

var (
	speakers = regexp.MustCompile(speaker)
	openings = regexp.MustCompile(`(?m)^(?:` + label + `|` + speaker + `)+`)
)

func withoutSpeakers(text string) string {
	if !strings.Contains(text, "Human") && !strings.Contains(text, "Assistant") && !strings.ContainsRune(text, '#') {
		return text
	}
	return strings.TrimSpace(openings.ReplaceAllStringFunc(text, func(opening string) string {
		return speakers.ReplaceAllString(opening, "")
	}))
}

// stripMargin removes the column of asterisks that a block comment may still have (`/**` leaves one on the first line, an
// indented continuation one on every line). Bullets look alike: lines of `* ` below a first line without one are a list,
// unless a bare `*` stands for an empty line among them.
func stripMargin(lines []string) []string {
	first := strings.HasPrefix(strings.TrimSpace(lines[0]), "*")
	starred, bare, plain := 0, false, 0
	for _, line := range lines[1:] {
		switch line = strings.TrimSpace(line); {
		case line == "*":
			bare = true
		case strings.HasPrefix(line, "* "):
			starred++
		case line != "":
			plain++
		}
	}
	if first && starred == 0 {
		lines[0] = withoutStar(lines[0])
	}
	if plain == 0 && (bare || first && starred > 0) {
		for i, line := range lines {
			lines[i] = withoutStar(line)
		}
	}
	return lines
}

func withoutStar(line string) string { return strings.TrimLeft(strings.TrimSpace(line), "*") }

// internalBlock is a comment within the comment; not greedy, so that text between two blocks survives.
var internalBlock = regexp.MustCompile(`(?s)\(--.*?--\)`)

func stripInternal(text string) string {
	if !strings.Contains(text, "(--") {
		return text
	}
	return internalBlock.ReplaceAllString(text, "")
}

// directives are the openings of lines that speak to tools or to maintainers, not to readers of the documentation.
var directives = []string{
	"buf:lint:", "buf:breaking:", "buf:format", "@ignore-comment", "@exclude", "@gotags:", "@inject_tag:", "@formatter:",
	"jsonschema:", "nolint", "#nosec", "protolint:", "api-linter:", "lint:ignore", "LINT.IfChange", "LINT.ThenChange",
	"clang-format", "prettier-ignore", "cspell:", "spell-checker:", "copybara:", "IWYU pragma",
	"TODO(", "TODO:", "FIXME", "XXX:", "XXX(", "HACK:", "HACK(", "openapi:", "[#",
}

// marker is a line for the generators of Kubernetes: `+k8s:openapi-gen=true`, `+optional`. A bullet has a space behind the plus.
var marker = regexp.MustCompile(`^\+[A-Za-z][\w.:/-]*(?:=.*)?$`)

// dropDirectives leaves nothing of a comment that opens with `@exclude`, which is how protoc-gen-doc hides one.
func dropDirectives(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "@exclude") {
		return ""
	}
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if !isDirective(strings.TrimSpace(line)) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// isDirective looks behind further slashes too, as `///nolint` leaves some.
func isDirective(line string) bool {
	for _, opening := range directives {
		if strings.HasPrefix(line, opening) || line != "" && line[0] == '/' && strings.HasPrefix(strings.TrimLeft(line, "/ "), opening) {
			return true
		}
	}
	return strings.HasPrefix(line, "+") && marker.MatchString(line)
}

// reflow joins the lines of each paragraph, keeps list items on lines of their own and single spaces between words.
func reflow(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	pending := ""
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			if b.Len() > 0 {
				pending = "\n\n"
			}
			continue
		}
		if pending == " " && isItem(words[0]) {
			pending = "\n"
		}
		for _, word := range words {
			b.WriteString(pending)
			b.WriteString(word)
			pending = " "
		}
	}
	return b.String()
}

// isItem says that word opens a list item: a bullet, or a number with a full stop or parenthesis.
func isItem(word string) bool {
	if word == "-" || word == "*" || word == "+" || word == "•" {
		return true
	}
	number := strings.TrimRight(word, ".)")
	return len(number) < len(word) && len(number) > 0 && len(number) < 3 && strings.Trim(number, "0123456789") == ""
}
