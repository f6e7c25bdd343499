package jsonrpc

// valueKind is the kind of a JSON value.
type valueKind uint8

const (
	kindNone valueKind = iota
	kindNull
	kindBoolean
	kindNumber
	kindString
	kindArray
	kindObject
)

// kindOf tells the kind of a valid value by its first byte; kindNone for none.
func kindOf(raw []byte) valueKind {
	if len(raw) == 0 {
		return kindNone
	}
	switch raw[0] {
	case '{':
		return kindObject
	case '[':
		return kindArray
	case '"':
		return kindString
	case 't', 'f':
		return kindBoolean
	case 'n':
		return kindNull
	default:
		return kindNumber
	}
}

// String names the kind for a message.
func (k valueKind) String() string {
	switch k {
	case kindNull:
		return "null"
	case kindBoolean:
		return "a boolean"
	case kindNumber:
		return "a number"
	case kindString:
		return "a string"
	case kindArray:
		return "an array"
	case kindObject:
		return "an object"
	default:
		return "nothing"
	}
}
