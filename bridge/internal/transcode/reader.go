package transcode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// reader walks arguments and fills a message with them. It keeps the place for errors; every error it returns is an
// *ArgumentError.
type reader struct {
	codec *Codec
	dec   *jsontext.Decoder
	above int // levels of nesting around what dec reads
	path  path

	looked, mostLooked int // bytes of Anys, those of Anys in each other counted for each
	left               int // tokens that may still be read, those inside of strings included
}

// within lets read consume raw, one whole JSON value, as if it stood where the reader stands now.
func (r *reader) within(raw []byte, read func() error) error {
	outer, above := r.dec, r.above
	if outer != nil {
		r.above += outer.StackDepth()
	}
	r.dec = jsontext.NewDecoder(bytes.NewBuffer(raw))
	err := read()
	if err == nil {
		err = r.end()
	}
	r.dec, r.above = outer, above
	return err
}

// end makes sure that nothing follows.
func (r *reader) end() error {
	if _, err := r.dec.ReadToken(); err == nil {
		return r.fault("not valid JSON: something follows the value", "send one JSON object")
	} else if !errors.Is(err, io.EOF) {
		return r.syntax(err)
	}
	return nil
}

// enter opens the object or array (kind '{' or '[') that has to come next and lets read consume the rest of it, its end
// included. A string that holds such JSON is opened in its place. want and hint are for the error.
func (r *reader) enter(kind jsontext.Kind, want, hint string, read func() error) error {
	switch r.dec.PeekKind() {
	case kind:
		if r.above+r.dec.StackDepth() >= r.codec.opts.MaxDepth {
			return r.fault(fmt.Sprintf("nested deeper than %d levels", r.codec.opts.MaxDepth), "")
		}
		if err := r.skipToken(); err != nil {
			return err
		}
		return read()
	case '"':
		raw, err := r.raw()
		if err != nil {
			return err
		}
		inner, err := r.heldIn(raw, kind)
		if err != nil {
			return err
		}
		if inner == nil {
			return r.mismatch(want, raw, hint)
		}
		return r.within(inner, func() error { return r.enter(kind, want, hint, read) })
	}
	raw, err := r.raw()
	if err != nil {
		return err
	}
	return r.mismatch(want, raw, hint)
}

// members calls each with the decoder at the value of each member of the object entered.
func (r *reader) members(each func(name string) error) error {
	for r.dec.PeekKind() != '}' {
		tok, err := r.token()
		if err != nil {
			return err
		}
		if err := each(tok.String()); err != nil {
			return err
		}
	}
	return r.skipToken()
}

// elements calls each with the decoder and the path at each element of the array entered.
func (r *reader) elements(each func() error) error {
	for i := 0; r.dec.PeekKind() != ']'; i++ {
		mark := len(r.path)
		r.path = r.path.index(i)
		if err := each(); err != nil {
			return err
		}
		r.path = r.path[:mark]
	}
	return r.skipToken()
}

// literal is a JSON value that is neither object nor array.
type literal struct {
	kind jsontext.Kind
	text string         // of a string unescaped, else as written
	raw  jsontext.Value // valid until the decoder is used again
}

// literal reads the string, number, true, false or null that has to come next; want is for the error.
func (r *reader) literal(want string) (literal, error) {
	raw, err := r.raw()
	if err != nil {
		return literal{}, err
	}
	l := literal{kind: raw.Kind(), raw: raw}
	switch l.kind {
	case '{', '[':
		return l, r.mismatch(want, raw, "")
	case '"':
		l.text = unquote(raw)
	default:
		l.text = string(raw)
	}
	return l, nil
}

// raw takes the next value as it is written; the bytes are valid until the decoder is used again.
func (r *reader) raw() (jsontext.Value, error) {
	if err := r.spend(); err != nil {
		return nil, err
	}
	raw, err := r.dec.ReadValue()
	if err != nil {
		return nil, r.syntax(err)
	}
	return raw, nil
}

func (r *reader) skip() error {
	if err := r.spend(); err != nil {
		return err
	}
	if err := r.dec.SkipValue(); err != nil {
		return r.syntax(err)
	}
	return nil
}

func (r *reader) skipToken() error {
	_, err := r.token()
	return err
}

// token takes the next token, valid until the decoder is used again.
func (r *reader) token() (jsontext.Token, error) {
	if err := r.spend(); err != nil {
		return jsontext.Token{}, err
	}
	tok, err := r.dec.ReadToken()
	if err != nil {
		return tok, r.syntax(err)
	}
	return tok, nil
}

// spend counts a token, because the least of them ([] in a list of Values) costs some hundred times its length in memory.
func (r *reader) spend() error {
	if r.left == 0 {
		most := jsonrpc.DefaultLimits.Tokens
		return r.fault(fmt.Sprintf("more than %d JSON tokens, those in strings that hold JSON counted in", most), "send less at once")
	}
	r.left--
	return nil
}

func (r *reader) fault(reason, hint string) error {
	return &ArgumentError{Path: string(r.path), Reason: reason, Hint: hint}
}

// mismatch is the fault of a value of another kind than the field takes.
func (r *reader) mismatch(want string, got jsontext.Value, hint string) error {
	return r.fault("want "+want+", got "+described(got), hint)
}

// syntax turns an error of the decoder into a fault.
func (r *reader) syntax(err error) error {
	reason := strings.TrimPrefix(err.Error(), "jsontext: ")
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return r.fault("not valid JSON: "+reason, "give every name once")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		reason = "it ends too early"
	}
	return r.fault("not valid JSON: "+reason, "")
}

// described names a valid JSON value in an error.
func described(v jsontext.Value) string {
	switch v.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "the string " + quoted(unquote(v))
	case '0':
		return "the number " + string(v[:min(len(v), maxQuoted)])
	default:
		return string(v)
	}
}

// heldIn returns the JSON inside raw, a JSON string, if it is strictly valid and of the wanted kind, else nil. JSON over a
// limit that would hold for it outside of a string is a fault.
func (r *reader) heldIn(raw jsontext.Value, kind jsontext.Kind) ([]byte, error) {
	inner := jsontext.Value(unquote(raw))
	if inner.Kind() != kind {
		return nil, nil
	}
	switch refusal := jsonrpc.Check(inner, jsonrpc.Limits{Depth: r.codec.opts.MaxDepth}); {
	case refusal == nil:
		return inner, nil
	case refusal.Code == jsonrpc.CodeParse && !inner.IsValid():
		return nil, nil
	default:
		return nil, r.fault("the JSON in this string is refused: "+refusal.Message, "")
	}
}

// unquote returns the text of a valid JSON string.
func unquote(raw jsontext.Value) string {
	text, _ := jsontext.AppendUnquote(nil, raw)
	return string(text)
}
