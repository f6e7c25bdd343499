package jsonrpc

import "unicode/utf8"

// maxQuoted bounds, in bytes, how much of the input an error message repeats.
const maxQuoted = 48

// refuse ends the pass at pos: the text there is not strict JSON.
func (s *scanner) refuse(what string) bool {
	s.err = Errorf(CodeParse, "invalid JSON at byte %d: %s", s.pos, what)
	return false
}

// unexpected ends the pass at pos, where something else than want stands.
func (s *scanner) unexpected(want string) bool {
	if s.pos >= len(s.data) {
		return s.refuse("the end of the text where " + want + " should be")
	}
	r, size := utf8.DecodeRune(s.data[s.pos:])
	if r == utf8.RuneError && size == 1 {
		return s.refuse("invalid UTF-8")
	}
	return s.refuse(string(AppendString(nil, string(r))) + " where " + want + " should be")
}

// exceeded ends the pass: the text may be JSON, but is over a limit.
func (s *scanner) exceeded(format string, limit int) bool {
	s.err = Errorf(CodeInvalidRequest, "JSON over the limit: "+format, limit)
	return false
}

// clip returns the literal that raw opens with, cut if long, for a message.
func clip(raw []byte) string {
	end := skipValue(raw, 0)
	if end <= maxQuoted {
		return string(raw[:end])
	}
	end = maxQuoted
	for !utf8.RuneStart(raw[end]) {
		end--
	}
	return string(raw[:end]) + "…"
}
