package transcode

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ArgumentError says why arguments do not fit a method's request. It is written for the model that made them.
type ArgumentError struct {
	// Path is the place, by advertised names: "book.priceMoney.units", "tags[2]", `labels["env"]`; "" is the arguments
	// as a whole. Where a value is wrong, it is the value's; where a name is (not known, given twice, excluding another), it
	// is that of the object that has the name, which the Reason repeats. JSON that is malformed within an Any is seen when
	// the outermost Any is read, whose place it then is.
	Path string
	// Reason is what is wrong there: `want an integer, got the string "abc"`.
	Reason string
	// Hint is the mend, "" when the reason says it all: `did you mean "pageSize"?`.
	Hint string
}

// Error puts path, reason and hint into one sentence.
func (e *ArgumentError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Reason)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// maxQuoted bounds, in bytes, what an error repeats of a value or a name.
const maxQuoted = 60

// maxListed bounds how many names an error lists.
const maxListed = 12

// quoted shows s in an error, cut when long.
func quoted(s string) string {
	tail := ""
	if len(s) > maxQuoted {
		s, tail = strings.ToValidUTF8(s[:maxQuoted], ""), "…"
	}
	b, _ := jsontext.AppendQuote(nil, s)
	return string(b) + tail
}

// maxEnumListed bounds how many names of an enum an error lists.
const maxEnumListed = 10

// listedEnum joins the first names of an enum and counts the others.
func listedEnum(names []string) string {
	if len(names) > maxEnumListed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxEnumListed], ", "), len(names)-maxEnumListed)
	}
	return strings.Join(names, ", ")
}

// listed joins the first names.
func listed(names []string) string {
	if len(names) > maxListed {
		return fmt.Sprintf("%s, … (%d in all)", strings.Join(names[:maxListed], ", "), len(names))
	}
	return strings.Join(names, ", ")
}
