package jsonrpc

import (
	"slices"
	"unicode/utf8"
)

// AppendString appends s to dst as a JSON string literal. It escapes what JSON
// requires and nothing else; each byte of invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if mustEscape(c) {
				dst = appendEscape(append(dst, s[done:i]...), c)
				done = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(append(dst, s[done:i]...), "\uFFFD"...)
			done = i + 1
		}
		i += size
	}
	return append(append(dst, s[done:]...), '"')
}

// AppendQuoted appends finished JSON text to dst as a JSON string literal: the
// text block that repeats a structured result. The text must be valid UTF-8,
// as JSON is; it is not checked again.
func AppendQuoted(dst, json []byte) []byte {
	dst = AppendEscaped(append(dst, '"'), json)
	return append(dst, '"')
}

// AppendEscaped is [AppendQuoted] without the quotes, for a literal that is
// written in several parts.
func AppendEscaped(dst, json []byte) []byte {
	// Quotes are a tenth of JSON and come at no steady distance: writing byte by
	// byte into room made beforehand, with a backslash that the next byte takes the
	// place of where none is wanted, beats every way that has to foresee them.
	const longest = len(`\u0000`)
	for len(json) > 0 {
		part := json[:min(len(json), 256, max(16, (cap(dst)-len(dst))/longest))] // no more room is made than is likely to be needed
		dst = slices.Grow(dst, longest*len(part))
		out, n := dst[len(dst):cap(dst)], 0
		for _, c := range part {
			if c < ' ' {
				n = len(appendEscape(out[:n], c))
				continue
			}
			out[n] = '\\'
			n += int(slashed[c])
			out[n] = c
			n++
		}
		dst = dst[:len(dst)+n]
		json = json[len(part):]
	}
	return dst
}

// slashed is 1 for the bytes that a backslash goes before.
var slashed = [256]uint8{'"': 1, '\\': 1}

// appendEscape appends the escape for c, in its short form where there is one.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		const digits = "0123456789abcdef"
		return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xF])
	}
}

// appendUnescaped appends the inside of a string literal to dst with its
// escapes replaced. A sequence that is no escape is kept as it stands.
func appendUnescaped(dst, inside []byte) []byte {
	for i := 0; i < len(inside); {
		if inside[i] != '\\' {
			next := i + 1
			for next < len(inside) && inside[next] != '\\' {
				next++
			}
			dst = append(dst, inside[i:next]...)
			i = next
			continue
		}
		r, size := unescape(inside[i:])
		if size == 0 {
			dst = append(dst, '\\')
			i++
			continue
		}
		dst = utf8.AppendRune(dst, r)
		i += size
	}
	return dst
}
