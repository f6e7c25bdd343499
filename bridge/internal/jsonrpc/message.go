package jsonrpc

import "strconv"

// Kind says which of the three shapes a message has. Its zero value means none:
// a message that could not be read.
type Kind uint8

// The shapes of a message (JSON-RPC 2.0 §4, §4.1, §5).
const (
	// KindRequest has a method and an id, and is answered.
	KindRequest Kind = iota + 1
	// KindNotification has a method and no id, and is never answered.
	KindNotification
	// KindResponse has a result or an error, for a request of ours.
	KindResponse
)

// String returns the word of the specification, such as "request".
func (k Kind) String() string {
	switch k {
	case KindRequest:
		return "request"
	case KindNotification:
		return "notification"
	case KindResponse:
		return "response"
	default:
		return "unknown"
	}
}

// Message is one message, read. Params, Result and Error.Data are slices of
// the decoded input, without surrounding space; keep the input unchanged while
// they are in use. ID, Method and Error.Message are copies.
type Message struct {
	// Kind says which of the fields below are set.
	Kind Kind
	// ID is set in a request and a response; in an error response it may be
	// zero (the peer could not tell which request it was).
	ID ID
	// Method is set in a request and a notification, unescaped; "" is possible.
	Method string
	// Params is the raw params object of a request or notification, nil when absent.
	Params []byte
	// members are those of Params.
	members *notes
	// Result is the raw result of a response, any JSON value, nil when there is an Error.
	Result []byte
	// Error is the error of a response, nil when there is a Result.
	Error *Error
}

// Object returns the params; their members are found without going over them again.
func (m *Message) Object() Object { return Object{m.Params, m.members} }

// Decode reads one message in one strict pass (see the package comment). Text
// that the pass refuses is [CodeParse]; what is over limits, a batch, or JSON
// that is none of the three shapes is [CodeInvalidRequest]. On failure the
// Message holds the ID alone, and that only where it was read whole (with the
// comma or brace behind it), is given once and does not belong to a response: so
// that it can be passed to [AppendError] as it stands.
//
// A response whose id is null is accepted with the zero ID if it carries an
// error (JSON-RPC 2.0 §5); elsewhere null is no id.
func Decode(data []byte, limits Limits) (Message, *Error) {
	var env envelope
	s := newScanner(data, limits)
	if err := s.document(&env); err != nil {
		return env.failed(), err
	}
	if kindOf(env.raw) == kindArray {
		return Message{}, RefuseBatch()
	}
	return env.decode()
}

// envelope holds the raw values of a message's members while it is read; nil
// means absent. ambiguous says that the id was given twice, members are those of params.
type envelope struct {
	raw                                             []byte
	version, id, method, params, result, errorValue []byte
	ambiguous                                       bool
	members                                         notes
}

// take implements taker; names it does not know are ignored.
func (e *envelope) take(name, value []byte) {
	switch string(name) {
	case "jsonrpc":
		e.version = value
	case "id":
		e.id = value
	case "method":
		e.method = value
	case "params":
		e.params = value
	case "result":
		e.result = value
	case "error":
		e.errorValue = value
	}
}

// within implements taker: of params the members are noted.
func (e *envelope) within(name []byte) taker {
	if string(name) != "params" {
		return nil
	}
	return &e.members
}

// repeated implements taker.
func (e *envelope) repeated(name []byte) {
	if string(name) == "id" {
		e.ambiguous = true
	}
}

// decode makes the message of what was read.
func (e *envelope) decode() (Message, *Error) {
	if kindOf(e.raw) != kindObject {
		return Message{}, invalid("a message must be an object, not %s", kindOf(e.raw))
	}
	msg, err := e.message()
	if err != nil {
		return e.failed(), err
	}
	return msg, nil
}

// isResponse reports whether the id, if any, is one of ours and not the peer's.
func (e *envelope) isResponse() bool {
	return e.method == nil && (e.result != nil || e.errorValue != nil)
}

// failed returns what can be told of a message that could not be read.
func (e *envelope) failed() Message {
	if e.ambiguous || e.isResponse() {
		return Message{}
	}
	id, _ := ParseID(e.id)
	return Message{ID: id}
}

// message sorts the members into one of the three shapes.
func (e *envelope) message() (Message, *Error) {
	if version, ok := Unquote(e.version); !ok || version != "2.0" {
		return Message{}, invalid(`member "jsonrpc" must be the string "2.0"`)
	}
	id, err := e.identity()
	if err != nil {
		return Message{}, err
	}
	if e.method != nil {
		return e.call(id)
	}
	return e.response(id)
}

// identity reads the id. An error response may say null for unknown.
func (e *envelope) identity() (ID, *Error) {
	if e.id == nil || kindOf(e.id) == kindNull && e.errorValue != nil {
		return ID{}, nil
	}
	id, ok := ParseID(e.id)
	if !ok {
		return ID{}, invalid("id must be a string or an integer within ±2^53 written without fraction or exponent, not %s; leave it out "+
			"for a notification", describeID(e.id))
	}
	return id, nil
}

// call reads a request or a notification.
func (e *envelope) call(id ID) (Message, *Error) {
	if e.result != nil || e.errorValue != nil {
		return Message{}, invalid("a message has a method, a result or an error, and not several of them")
	}
	method, ok := Unquote(e.method)
	if !ok {
		return Message{}, invalid("method must be a string, not %s", kindOf(e.method))
	}
	if e.params != nil && kindOf(e.params) != kindObject {
		return Message{}, invalid("params must be an object, not %s; leave them out for none", kindOf(e.params))
	}
	msg := Message{Kind: KindRequest, ID: id, Method: method, Params: e.params, members: &e.members}
	if id.IsZero() {
		msg.Kind = KindNotification
	}
	return msg, nil
}

// response reads a response.
func (e *envelope) response(id ID) (Message, *Error) {
	switch {
	case e.result != nil && e.errorValue != nil:
		return Message{}, invalid("a response has a result or an error, and not both")
	case e.errorValue != nil:
		failure, err := parseError(e.errorValue)
		if err != nil {
			return Message{}, err
		}
		return Message{Kind: KindResponse, ID: id, Error: failure}, nil
	case e.result == nil:
		return Message{}, invalid("a message must have a method, a result or an error")
	case id.IsZero():
		return Message{}, invalid("a response with a result must have the id of its request")
	}
	return Message{Kind: KindResponse, ID: id, Result: e.result}, nil
}

// parseError reads the error member of a response (JSON-RPC 2.0 §5.1).
func parseError(raw []byte) (*Error, *Error) {
	if kindOf(raw) != kindObject {
		return nil, invalid("error must be an object, not %s", kindOf(raw))
	}
	code, _ := Find(raw, "code")
	if !plainInteger(code) {
		return nil, invalid("error.code must be an integer")
	}
	text, _ := Find(raw, "message")
	message, ok := Unquote(text)
	if !ok {
		return nil, invalid("error.message must be a string")
	}
	number, _ := strconv.Atoi(string(code)) // in range: int has 64 bits or refuses and leaves the nearest
	data, _ := Find(raw, "data")
	return &Error{Code: number, Message: message, Data: data}, nil
}

// ReadError reads what [Error.AppendJSON] wrote. Of anything else it makes an
// internal error.
func ReadError(raw []byte) *Error {
	if e, fault := parseError(raw); fault == nil {
		return e
	}
	return Errorf(CodeInternal, "an error that cannot be read")
}
