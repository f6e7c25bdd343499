package session

import (
	"context"
	"errors"
)

// Event is one message of a response stream, as a [Journal] keeps it.
type Event struct {
	// Number counts the events of the stream from 1.
	Number uint64
	// Data is a JSON-RPC message. It is empty in the last event of a stream that
	// has ended without a response, and in no other.
	Data []byte
}

// Journal keeps what was sent on the response streams of legacy sessions, so
// that a client whose connection broke can have the rest (2025-11-25
// basic/transports, "Resumability and Redelivery"). A stream is named by its
// session and a number that is unique within it. Implementations are safe for
// concurrent use and bounded, in events and bytes for each stream, in bytes
// altogether, and in the age of streams that have ended; the last event of a
// stream, its response, is the last to be dropped.
type Journal interface {
	// Open makes a stream known, which has no event yet; one that is known stays
	// as it is.
	Open(ctx context.Context, session string, stream uint64) error
	// Append adds an event to a stream and returns its number. last says that no
	// more come. data is not kept by reference. It returns ErrNoStream for a
	// stream that is not known or has ended.
	Append(ctx context.Context, session string, stream uint64, data []byte, last bool) (number uint64, err error)
	// Read returns the events of a stream after the given number, in order, and
	// whether the stream has no others to come. Where there is nothing yet it
	// waits until there is, or until ctx ends, and then returns the error of ctx.
	// It returns ErrNoStream for a stream that is not kept, and where events after
	// the number were dropped. The data of the events must not be written to.
	Read(ctx context.Context, session string, stream, after uint64) (events []Event, ended bool, err error)
	// Forget drops all streams of a session; readers that wait get ErrNoStream.
	Forget(ctx context.Context, session string) error
}

// ErrNoStream says that there is nothing to resume.
var ErrNoStream = errors.New("the stream cannot be resumed: it never was, ended too long ago, or has lost events; send the request " +
	"again if it may be carried out twice")
