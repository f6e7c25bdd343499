package server

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// member is one argument of a tool of the bridge's own.
type member struct {
	name string
	// needs is where a value comes from that must be given; "" for one that need not.
	needs string
	// read takes the value, raw and not null, or says what it should be.
	read func(value []byte) (want string)
}

// readMembers reads arguments as those of methods are read: a JSON object, or one
// written as a string; null is as good as none. mend is what an unknown member
// calls for, "" for no more than the names that there are.
func readMembers(arguments []byte, known []member, mend string) *transcode.ArgumentError {
	object, fault := objectOf(arguments)
	if fault != nil {
		return fault
	}
	given := make([]bool, len(known))
	for name, value := range jsonrpc.Pairs(object) {
		i := indexOf(known, string(name))
		if i < 0 {
			return unknownMember(string(name), known, mend)
		}
		if string(value) == "null" {
			continue
		}
		if want := known[i].read(value); want != "" {
			return &transcode.ArgumentError{Path: known[i].name, Reason: "want " + want + ", got " + shown(value)}
		}
		given[i] = true
	}
	for i, m := range known {
		if m.needs != "" && !given[i] {
			return &transcode.ArgumentError{Path: m.name, Reason: "is required and was not given", Hint: m.needs}
		}
	}
	return nil
}

// objectOf returns the object that arguments are or hold.
func objectOf(arguments []byte) ([]byte, *transcode.ArgumentError) {
	if len(arguments) == 0 || string(arguments) == "null" {
		return []byte("{}"), nil
	}
	held := arguments
	if text, ok := jsonrpc.Unquote(arguments); ok {
		held = bytes.Trim([]byte(text), " \t\r\n")
	}
	if !bytes.HasPrefix(held, []byte("{")) {
		return nil, &transcode.ArgumentError{Reason: "the arguments must be an object, got " + shown(arguments)}
	}
	if malformed := jsonrpc.Check(held, jsonrpc.DefaultLimits); malformed != nil {
		return nil, &transcode.ArgumentError{Reason: "the arguments hold a string that is no JSON object: " + malformed.Message}
	}
	return held, nil
}

func indexOf(known []member, name string) int {
	for i, m := range known {
		if m.name == name {
			return i
		}
	}
	return -1
}

func unknownMember(name string, known []member, mend string) *transcode.ArgumentError {
	names := make([]string, len(known))
	for i, m := range known {
		names[i] = m.name
	}
	hint := "there are: " + strings.Join(names, ", ")
	if mend != "" {
		hint += "; " + mend
	}
	return &transcode.ArgumentError{Reason: fmt.Sprintf("unknown argument %q", jsonrpc.Echo(name)), Hint: hint}
}

// longestShown is how many bytes of a value an error repeats.
const longestShown = 60

// shown describes a value in an error.
func shown(value []byte) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		text, _ := jsonrpc.Unquote(value)
		return "the string " + strconv.Quote(jsonrpc.Clip(text, longestShown))
	}
	return jsonrpc.Clip(string(value), longestShown)
}

// text reads a string.
func text(to *string) func([]byte) string {
	return func(value []byte) string {
		given, ok := jsonrpc.Unquote(value)
		if !ok {
			return "a string"
		}
		*to = given
		return ""
	}
}

// flag reads a boolean, in a string as well.
func flag(to **bool) func([]byte) string {
	return func(value []byte) string {
		switch literal(value) {
		case "true":
			*to = new(true)
		case "false":
			*to = new(false)
		default:
			return "true or false"
		}
		return ""
	}
}

// whole reads an integer between two bounds, in a string as well: there in
// decimal digits alone.
func whole(to *int, least, most int) func([]byte) string {
	return func(value []byte) string {
		n, ok := integer(value)
		if !ok || n < float64(least) || n > float64(most) {
			return fmt.Sprintf("an integer from %d to %d", least, most)
		}
		*to = int(n)
		return ""
	}
}

// integer is a value that is one: a number without a fraction, such as 5, 5.0 and
// 5e0 (JSON Schema 2020-12 validation, 6.1.1), or a string of decimal digits. What
// else the parser of floats knows, such as "0x1p2", is none.
func integer(value []byte) (n float64, ok bool) {
	if digits, quoted := jsonrpc.Unquote(value); quoted {
		if strings.Trim(strings.TrimPrefix(digits, "-"), "0123456789") != "" {
			return 0, false
		}
		value = []byte(digits)
	}
	n, err := strconv.ParseFloat(string(value), 64)
	return n, err == nil && n == math.Trunc(n)
}

// literal is a value without the quotes that models put around numbers.
func literal(value []byte) string {
	if text, ok := jsonrpc.Unquote(value); ok {
		return text
	}
	return string(value)
}
