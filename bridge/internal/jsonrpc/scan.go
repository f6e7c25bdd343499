package jsonrpc

import "bytes"

// Limits bounds what one JSON text may ask of its readers, beside its length
// in bytes, which the transport bounds. A field that is zero or negative means
// the default.
type Limits struct {
	// Depth is how many objects and arrays may lie inside each other, the
	// outermost counted; default 100, as protobuf's own parsers have; at most 10,000.
	// [Decode] admits two more, which the envelope takes: Depth then bounds what is
	// a member of params or of a result, such as the arguments of a tool call.
	Depth int
	// Tokens is how many tokens there may be: each opening and closing
	// bracket, member name, string, number, true, false and null is one;
	// default 100,000.
	Tokens int
}

// DefaultLimits are the limits that stand for zero fields of [Limits].
var DefaultLimits = Limits{Depth: 100, Tokens: 100_000}

// maxDepth bounds the scanner's own recursion, whatever Limits says.
const maxDepth = 10_000

// envelopeDepth is how many objects are around such a member: the message, and
// its params or result.
const envelopeDepth = 2

// withDefaults replaces what is not set and bounds what is.
func (l Limits) withDefaults() Limits {
	if l.Depth <= 0 {
		l.Depth = DefaultLimits.Depth
	}
	if l.Tokens <= 0 {
		l.Tokens = DefaultLimits.Tokens
	}
	l.Depth = min(l.Depth, maxDepth)
	return l
}

// Check passes strictly over data, which must be one JSON value of any kind,
// and returns nil or what is wrong with it: [CodeParse], or [CodeInvalidRequest]
// for a limit. It is [Decode] without the envelope, for JSON that comes by
// other ways: in a string, a file, a command line.
func Check(data []byte, limits Limits) *Error {
	s := newScanner(data, limits)
	return s.document(nil)
}

// scanner is one strict pass over data. Its methods return false after having
// set err; the pass is then over.
type scanner struct {
	data   []byte
	pos    int
	depth  int
	tokens int // left
	limits Limits
	names  nameSet
	err    *Error
	batch  *[]envelope // takes the elements of an outermost array; nil where that is no batch
}

// newScanner returns a scanner at the beginning of data.
func newScanner(data []byte, limits Limits) scanner {
	limits = limits.withDefaults()
	return scanner{data: data, tokens: limits.Tokens, limits: limits, names: nameSet{data: data}}
}

// document reads the whole text. With an envelope, the members of the outermost
// object are noted in it.
func (s *scanner) document(env *envelope) *Error {
	if bytes.HasPrefix(s.data, []byte("\xef\xbb\xbf")) {
		s.refuse("a byte order mark, which JSON does not have: leave it out")
		return s.err
	}
	s.space()
	start := s.pos
	if s.pos == len(s.data) {
		s.refuse("no JSON value, only the end of the text")
		return s.err
	}
	if !s.root(env) {
		return s.err
	}
	if env != nil {
		env.raw = s.data[start:s.pos]
	}
	s.space()
	if s.pos < len(s.data) {
		s.refuse("data after the JSON value: send one value")
	}
	return s.err
}

// root reads the outermost value, or the batch.
func (s *scanner) root(env *envelope) bool {
	switch {
	case s.batch != nil:
		return s.elements()
	case env == nil:
		return s.value(nil)
	}
	return s.message(env)
}

// message reads a value that may be a message.
func (s *scanner) message(env *envelope) bool {
	if s.peek() == '{' {
		s.limits.Depth += envelopeDepth
	}
	return s.value(env)
}

// taker is told of the members of an object while that is read.
type taker interface {
	// take takes a member: its name unescaped, its value raw.
	take(name, value []byte)
	// repeated says that a name is there a second time.
	repeated(name []byte)
	// within returns who is told of the members of a value, if it is an object;
	// nil for nobody.
	within(name []byte) taker
}

// value reads one value; pos is at its first byte. Of an object, to is told of
// the members; nil is nobody.
func (s *scanner) value(to taker) bool {
	if !s.count() {
		return false
	}
	switch c := s.peek(); c {
	case '{':
		return s.object(to)
	case '[':
		return s.array()
	case '"':
		_, ok := s.text()
		return ok
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		if c == '-' || isDigit(c) {
			return s.number()
		}
		return s.unexpected("a JSON value")
	}
}

// object reads an object; pos is at its brace.
func (s *scanner) object(to taker) bool {
	if !s.open() {
		return false
	}
	members := s.names.open()
	if s.peek() == '}' {
		return s.close()
	}
	for {
		name, ok := s.name(&members, to)
		if !ok {
			return false
		}
		start := s.pos
		var inside taker
		if to != nil {
			inside = to.within(name)
		}
		if !s.value(inside) {
			return false
		}
		end := s.pos
		s.space()
		if c := s.peek(); to != nil && (c == ',' || c == '}') { // else it may be a part of what was meant: the 0 of 01
			to.take(name, s.data[start:end:end])
		}
		switch s.peek() {
		case ',':
			s.pos++
			s.space()
		case '}':
			s.names.close(members)
			return s.close()
		default:
			return s.unexpected("',' or '}' after a member")
		}
	}
}

// name reads a member's name and the colon after it, and returns the name
// unescaped; pos is then at the value.
func (s *scanner) name(members *object, to taker) ([]byte, bool) {
	if s.peek() != '"' {
		return nil, s.unexpected("a member name in double quotes")
	}
	start := s.pos
	if length := s.names.expect(members, start); length > 0 {
		s.pos += length - len(":")
		if !s.count() {
			return nil, false
		}
		s.pos++
		s.space()
		return s.data[start+len(`"`) : start+length-len(`":`)], true
	}
	escaped, ok := s.text()
	if !ok || !s.count() {
		return nil, false
	}
	name, fresh := s.names.add(members, span{start: start + 1, end: s.pos - 1}, escaped)
	if !fresh {
		if to != nil {
			to.repeated(name)
		}
		s.pos = start
		return nil, s.refuse("the name " + clip(s.data[start:]) + " a second time in one object: give each name once")
	}
	s.space()
	if s.peek() != ':' {
		return nil, s.unexpected("':' after a member name")
	}
	s.pos++
	s.space()
	return name, true
}

// array reads an array; pos is at its bracket.
func (s *scanner) array() bool {
	if !s.open() {
		return false
	}
	if s.peek() == ']' {
		return s.close()
	}
	for {
		if !s.value(nil) {
			return false
		}
		if more, ok := s.separator(); !more {
			return ok
		}
	}
}

// separator goes past what is behind an element of an array: a comma, and more
// come, or the end.
func (s *scanner) separator() (more, ok bool) {
	s.space()
	switch s.peek() {
	case ',':
		s.pos++
		s.space()
		return true, true
	case ']':
		return false, s.close()
	}
	return false, s.unexpected("',' or ']' after an element")
}

// open goes past an opening bracket and the space after it.
func (s *scanner) open() bool {
	if s.depth == s.limits.Depth {
		return s.exceeded("objects and arrays more than %d deep in each other: send a flatter value", s.limits.Depth)
	}
	s.depth++
	s.pos++
	s.space()
	return true
}

// close goes past a closing bracket.
func (s *scanner) close() bool {
	s.depth--
	s.pos++
	return s.count()
}

// count takes one token off the limit.
func (s *scanner) count() bool {
	if s.tokens == 0 {
		return s.exceeded("more than %d JSON tokens: send less at once", s.limits.Tokens)
	}
	s.tokens--
	return true
}

// peek returns the byte at pos; at the end 0, which no JSON has outside strings.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// space goes past white space (RFC 8259 §2).
func (s *scanner) space() { s.pos = skipSpace(s.data, s.pos) }
