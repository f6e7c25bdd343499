package server

import (
	"net/http"
	"slices"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// Reply is what a transport sends in answer to one message.
type Reply struct {
	// Body is one JSON-RPC message without a newline, the transport's to keep.
	// Empty: nothing is sent, because the message was a notification or a
	// response, or because its client no longer wants the answer.
	Body []byte
	// Status is the HTTP status: 200 with a result and with most errors, 202
	// with an empty Body, 4xx and 5xx as the era says.
	Status int
	// SessionID is the id of the session that a legacy initialize has opened;
	// "" otherwise.
	SessionID string
	// RetryAfter is when the client may have more luck, with a status of 429 or
	// 503; zero where nobody knows.
	RetryAfter time.Duration
	// Page is what Body lacks at the offset PageAt, where [Call.RunApart] has made
	// it: a page of a list is large, and the same for all who ask. Nil: Body is
	// whole.
	Page   *catalog.Page
	PageAt int
	// Release takes Body back, for the reply to another message: a transport may
	// call it with Body, once, where it has written it and neither it nor anybody
	// it was written to holds a part of it any more. One that cannot say so leaves
	// it. Nil: nobody takes it.
	Release func(body []byte)
	// Spent says that nothing has a part of the message any more that is answered:
	// a transport may use the memory in which it came for another one. It is false
	// where that is not known.
	Spent bool
}

// Whole returns the reply with a whole Body.
func (r Reply) Whole() Reply {
	if r.Page != nil {
		r.Body = slices.Concat(r.Body[:r.PageAt], r.Page.JSON(), r.Body[r.PageAt:])
		r.Page, r.PageAt, r.Release = nil, 0, nil
	}
	return r
}

// nothing is the Reply to what is not answered.
var nothing = Reply{Status: http.StatusAccepted}

// failed returns the Reply with an error; the zero id leaves it out.
func failed(id jsonrpc.ID, e *jsonrpc.Error, status int) Reply {
	return Reply{Body: jsonrpc.AppendError(nil, id, e), Status: status}
}

// shortReply is the length, in bytes, that is reserved for every response.
const shortReply = 512

// begin returns a buffer with a response to id, up to where its result is to
// be appended; end closes it. Results so need no buffer of their own.
func (s *Server) begin(id jsonrpc.ID) []byte {
	dst := jsonrpc.AppendResult((*s.answers.Get(shortReply))[:0], id, []byte{})
	return dst[:len(dst)-len("}")]
}

// room returns dst with room for n bytes more. It may be another buffer; that of
// dst is then for others. Nil becomes a slice of its own, to be kept.
func (s *Server) room(dst []byte, n int) []byte {
	if dst == nil || cap(dst)-len(dst) >= n {
		return slices.Grow(dst, n)
	}
	larger := *s.answers.Get(len(dst) + n)
	larger = larger[:copy(larger, dst)]
	s.release(dst)
	return larger
}

// release keeps the buffer of a reply that nobody has any more.
func (s *Server) release(body []byte) { s.answers.Put(&body) }

// end closes a response.
func end(dst []byte) []byte { return append(dst, '}') }
