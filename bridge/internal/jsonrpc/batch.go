package jsonrpc

// MaxBatch is how many messages a batch may have.
const MaxBatch = 100

// Decoded is one message as [Decode] returns it: on failure Err says what is
// wrong, and Message holds the id alone, if that.
type Decoded struct {
	// Message is the message.
	Message Message
	// Err is nil for a message.
	Err *Error
}

// DecodeBatch reads what may be a batch (JSON-RPC 2.0 §6): an array of messages,
// in one strict pass over the whole of data, to which limits apply as a whole;
// the array itself does not count for their depth. Where data is such an array,
// batch holds what [Decode] would return for each element, in order, so that one
// which is no message does not keep the others from being served. Where batch is
// nil, one is the only message, or the error that answers all of data: text
// which the pass refuses is [CodeParse]; what is over limits, an empty array and
// one of more than MaxBatch elements is [CodeInvalidRequest].
//
// Who does not take batches answers a batch that is not nil with [RefuseBatch].
func DecodeBatch(data []byte, limits Limits) (one Decoded, batch []Decoded) {
	if at := skipSpace(data, 0); at == len(data) || data[at] != '[' {
		msg, err := Decode(data, limits)
		return Decoded{msg, err}, nil
	}
	elements := make([]envelope, 0, 4)
	s := newScanner(data, limits)
	s.limits.Depth++
	s.batch = &elements
	if err := s.document(nil); err != nil {
		return Decoded{Err: err}, nil
	}
	if len(elements) == 0 {
		return Decoded{Err: invalid("an empty batch: send at least one message")}, nil
	}
	batch = make([]Decoded, len(elements))
	for i := range elements {
		batch[i].Message, batch[i].Err = elements[i].decode()
	}
	return Decoded{}, batch
}

// RefuseBatch returns the error with which a batch is answered as a whole where
// batches are not taken: [CodeInvalidRequest].
func RefuseBatch() *Error {
	return invalid("batches are not accepted; send each message by itself")
}

// elements reads the array of a batch and notes its elements; pos is at its bracket.
func (s *scanner) elements() bool {
	if !s.count() || !s.open() {
		return false
	}
	if s.peek() == ']' {
		return s.close()
	}
	for {
		if !s.element() {
			return false
		}
		if more, ok := s.separator(); !more {
			return ok
		}
	}
}

// element reads one element of a batch.
func (s *scanner) element() bool {
	if len(*s.batch) == MaxBatch {
		return s.exceeded("more than %d messages in a batch: send it in several", MaxBatch)
	}
	var env envelope
	start, depth := s.pos, s.limits.Depth
	if !s.message(&env) {
		return false
	}
	s.limits.Depth = depth
	env.raw = s.data[start:s.pos:s.pos]
	*s.batch = append(*s.batch, env)
	return true
}
