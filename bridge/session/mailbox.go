package session

import (
	"context"
	"errors"
)

// Mailbox is where the answers to questions wait that the bridge has asked the
// client of a legacy session, such as elicitation/create: they come by any later
// POST of the session (2025-11-25 basic/transports, "Sending Messages to the
// Server"), with a shared Mailbox also to another replica than the one that has
// asked. A question is named by its session and an id that is opaque.
// Implementations are safe for concurrent use and bounded, in questions and in
// the bytes of their answers.
type Mailbox interface {
	// Open makes a question known, to which there is no answer yet. It returns
	// ErrMailboxFull when there is no room, and an error for one that is open.
	Open(ctx context.Context, session, id string) error
	// Put answers a question. response is a JSON-RPC response and not kept by
	// reference. It returns ErrNoQuestion, and keeps nothing, for a question that
	// is not open or has its answer already, and ErrMailboxFull when there is no
	// room.
	Put(ctx context.Context, session, id string, response []byte) error
	// Take waits for the answer, or until ctx ends and then returns the error of
	// ctx: the question stays open then. An answer is taken once and closes its
	// question. It returns ErrNoQuestion for one that is not open, and when it is
	// closed meanwhile.
	Take(ctx context.Context, session, id string) (response []byte, err error)
	// Close forgets the questions of a session by their ids and, without any id,
	// all that it has, since it has ended. Those that are not open do not matter.
	Close(ctx context.Context, session string, ids ...string) error
}

// ErrNoQuestion says that nothing is asked that an answer could belong to.
var ErrNoQuestion = errors.New("no question of this id is open: it never was, was answered or has ended")

// ErrMailboxFull says that as many questions are open, or as many bytes of
// answers wait, as may be.
var ErrMailboxFull = errors.New("too many questions are open: answer some, or raise the limit")
