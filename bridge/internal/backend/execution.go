package backend

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
)

// Execution says whether the backend may have carried out a call that failed.
type Execution string

// The values of Execution.
const (
	// NotExecuted: the request was surely not processed. It never left the bridge, or the server declared it unprocessed.
	NotExecuted Execution = "not_executed"
	// Unknown: the request may have been processed. No answer arrived before the connection broke, the deadline passed or
	// the caller left; or the answer is one that gRPC libraries give by themselves before any handler runs, and that a
	// handler can give all the same: UNIMPLEMENTED, and a request over the server's own limit.
	Unknown Execution = "unknown"
	// Executed: the backend itself answered, with the error or with a reply that cannot be used.
	Executed Execution = "executed"
)

// evidence is what a call leaves behind that tells how far it came.
type evidence struct {
	header, trailer metadata.MD
	peer            peer.Peer
	unsent, replied bool // known from outside the connection
	// finished is set when gRPC ended the call itself, and told peer, header and trailer before. It does not where it gives
	// up on a call that goes on.
	finished bool
	over     chan struct{} // closed when finished is set; nil where nobody waits for it
	streamed bool          // a message of a stream was received
	request  int           // bytes on the wire
	// started and deadline bound the call in time.
	started, deadline time.Time
	// room, in and out are what a call needs beside, so that one allocation holds it all.
	room    [maxOptions]grpc.CallOption
	in, out frame
}

// maxOptions is how many options a call has at most: those of staticOptions and of evidence.options.
const maxOptions = 7

// options adds the options that collect the evidence to those of each call.
func (e *evidence) options(static []grpc.CallOption) []grpc.CallOption {
	all := append(e.room[:0], static...)
	return append(all, grpc.Header(&e.header), grpc.Trailer(&e.trailer), grpc.Peer(&e.peer),
		grpc.OnFinish(func(error) { e.finish() }))
}

// finish notes that gRPC ended the call.
func (e *evidence) finish() {
	e.finished = true
	if e.over != nil {
		close(e.over)
	}
}

// execution judges a failed call on conn that was not ended from this side.
func (e *evidence) execution(conn grpc.ClientConnInterface, code codes.Code, message string) (Execution, verdict) {
	switch {
	case e.replied, e.unusable(code, message):
		return Executed, answeredReply
	case e.unsent, e.neverSent(conn, code), e.refused(code, message):
		return NotExecuted, answeredError
	case code == codes.Unimplemented && len(e.header) == 0:
		return Unknown, answeredNoMethod
	case e.requestTooLarge(code, message):
		return Unknown, answeredTooLarge
	case e.answered(code):
		return Executed, answeredError
	}
	return Unknown, answeredError
}

// verdict tells answers of a backend apart whose outcome needs other words.
type verdict uint8

const (
	answeredError    verdict = iota // a status, or nothing
	answeredReply                   // a reply that cannot be used
	answeredNoMethod                // that it does not implement the method
	answeredTooLarge                // that the request is over its limit
	answeredBegun                   // an operation, of which it tells no more
)

// answered reports whether the status is the server's own answer. Trailers are always its answer. Headers alone are
// not, for the codes that the client side makes up itself when a call ends between headers and trailers. Some codes are
// never made up by a gRPC library, which matters for connections that do not report headers.
func (e *evidence) answered(code codes.Code) bool {
	if len(e.trailer) > 0 {
		return true
	}
	switch code {
	case codes.Canceled, codes.DeadlineExceeded, codes.Unavailable, codes.Internal, codes.Unknown:
		return false
	case codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.FailedPrecondition, codes.Aborted,
		codes.OutOfRange, codes.DataLoss:
		return true
	}
	return len(e.header) > 0
}

// grpc-go's words for a wrong number of messages in answer to a unary call. At the second it gives up without ending the
// call and without telling peer, header and trailer.
const (
	twoReplies = "cardinality violation: expected <EOF>"
	noReply    = "cardinality violation: received no response message"
)

// unusable recognises grpc-go's words for a reply that arrived and that it could not unpack or parse, for none and for
// more than one. Trailers may or may not have arrived behind it; a server that hands on such words of another commonly sends
// no headers before.
func (e *evidence) unusable(code codes.Code, message string) bool {
	switch {
	case code == codes.Internal && strings.HasPrefix(message, noReply):
		return true
	case len(e.header) == 0:
		return code == codes.Internal && len(e.trailer) == 0 && strings.HasPrefix(message, twoReplies)
	}
	return strings.HasPrefix(message, "grpc: ") || strings.HasPrefix(message, twoReplies)
}

// requestTooLarge recognises grpc-go's words by which a server refuses a request of that size. A handler can hand on the
// same words from a server behind it.
func (e *evidence) requestTooLarge(code codes.Code, message string) bool {
	return code == codes.ResourceExhausted && len(e.header) == 0 &&
		strings.HasPrefix(message, fmt.Sprintf("grpc: received message larger than max (%d vs. ", e.request))
}

// tooLarge recognises grpc-go's words for a reply over limit, plain or after decompression. A server that refuses a large
// request, or hands on what befell a call of its own, uses the same words, but usually has another limit, and it says so
// without headers before.
func (e *evidence) tooLarge(code codes.Code, message string, limit int) bool {
	return code == codes.ResourceExhausted &&
		strings.HasPrefix(message, "grpc: ") && strings.Contains(message, "larger than max") &&
		strings.HasSuffix(strings.TrimSuffix(message, ")"), " "+strconv.Itoa(limit)) &&
		(len(e.header) > 0 || len(e.trailer) == 0)
}

// neverSent reports whether gRPC says that no stream was ever opened: it ended the call itself, and it has no peer to
// name, which it names for each stream. Only of a real channel is that known, and only for the codes by which one fails
// to open a stream; INTERNAL and UNKNOWN come from anywhere.
func (e *evidence) neverSent(conn grpc.ClientConnInterface, code codes.Code) bool {
	switch code {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unauthenticated:
		_, channel := conn.(*grpc.ClientConn)
		return channel && e.finished && e.peer.Addr == nil
	}
	return false
}

// broken recognises grpc-go's words for a call that its connection ended. It tells them from those of a server whose
// status came behind headers, since that leaves no other trace.
func (e *evidence) broken(conn grpc.ClientConnInterface, message string) bool {
	if _, channel := conn.(*grpc.ClientConn); channel && len(e.header) == 0 && len(e.trailer) == 0 {
		return true
	}
	for _, opening := range []string{
		"stream terminated by RST_STREAM", "error reading from server", "connection error", "last connection error", "name resolver error",
		"transport is closing",
		"the connection is draining", "closing transport due to", "keepalive ping failed",
	} {
		if strings.HasPrefix(message, opening) {
			return true
		}
	}
	return false
}

// insecure recognises that a connection could not be secured or does not speak HTTP/2, which does not pass by itself.
// A handshake that was merely cut off does.
func insecure(message string) bool {
	for _, sign := range []string{"tls: ", "x509: ", "server preface: http2: "} {
		if strings.Contains(message, sign) {
			return true
		}
	}
	return false
}

// refused reports whether the server declared the stream unprocessed (HTTP/2 REFUSED_STREAM, or a GOAWAY below the
// stream's id). grpc-go tells this only by the texts of its own errors; another text leaves the outcome unknown.
func (e *evidence) refused(code codes.Code, message string) bool {
	if code != codes.Unavailable || len(e.header) > 0 {
		return false
	}
	return strings.HasSuffix(message, "RST_STREAM with error code: REFUSED_STREAM") ||
		message == "the connection is draining" ||
		message == "the stream is rejected because server is draining the connection"
}
