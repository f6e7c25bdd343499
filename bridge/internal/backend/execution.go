package backend

import (
	"strings"

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
	// Unknown: the request may have been processed; no answer arrived.
	Unknown Execution = "unknown"
	// Executed: the backend itself answered, with the error.
	Executed Execution = "executed"
)

// evidence is what a call leaves behind that tells how far it came.
type evidence struct {
	header, trailer metadata.MD
	peer            peer.Peer
	unsent, replied bool // known from outside the connection
}

// options adds the options that collect the evidence to those of each call.
func (e *evidence) options(static []grpc.CallOption) []grpc.CallOption {
	all := make([]grpc.CallOption, 0, len(static)+3)
	all = append(all, static...)
	return append(all, grpc.Header(&e.header), grpc.Trailer(&e.trailer), grpc.Peer(&e.peer))
}

// execution judges a failed call on conn.
func (e *evidence) execution(conn grpc.ClientConnInterface, code codes.Code, message string) Execution {
	switch {
	case e.answered(code):
		return Executed
	case e.unsent, e.neverSent(conn), e.refused(code, message):
		return NotExecuted
	}
	return Unknown
}

// answered reports whether the status is the server's own answer. Trailers are always its answer. Headers alone are
// not, for the codes that the client side makes up itself when a call ends between headers and trailers. Some codes are
// never made up by a gRPC library, which matters for connections that do not report headers.
func (e *evidence) answered(code codes.Code) bool {
	if e.replied || len(e.trailer) > 0 {
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

// neverSent reports whether no stream was ever opened. Only a real channel reports the peer of each stream, so the
// absence of one proves nothing about other connections.
func (e *evidence) neverSent(conn grpc.ClientConnInterface) bool {
	_, channel := conn.(*grpc.ClientConn)
	return channel && e.peer.Addr == nil
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
