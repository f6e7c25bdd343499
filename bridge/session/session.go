package session

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

// Record is one session. Byte slices are raw JSON.
type Record struct {
	// ID is the session's name on the wire (see [NewID]); never "".
	ID string
	// Principal says whose session it is; "" without authorization.
	Principal string
	// Version is the protocol version agreed in initialize, such as "2025-11-25".
	Version string
	// Initialized says that the client has sent notifications/initialized.
	Initialized bool
	// LogLevel is the least level of the log messages that the client asked for,
	// such as "warning"; "" for none.
	LogLevel string
	// Subscriptions are the URIs of the resources of whose changes the client
	// wants to be told, together at most 32 KiB: the bridge refuses more.
	Subscriptions []string
	// Told identifies the lists (of tools, prompts and resources) that the client
	// knows of: those at the time of initialize, or of the last announcement that
	// they had changed. It is opaque to the store.
	Told string
	// ClientInfo and Capabilities are what the client said of itself in
	// initialize, together at most 16 KiB: the bridge refuses more.
	ClientInfo, Capabilities []byte
	// Created is when the session was opened, Seen when it was last used.
	// The store sets both.
	Created, Seen time.Time
}

// Store keeps sessions. Implementations are safe for concurrent use, keep no
// reference to the slices of a Record given to them, and forget a session that
// has not been used for a while, or is not initialized soon. One that is full may
// have a session that is not used give way to a new one. The slices of a Record
// that it returns must not be written to.
type Store interface {
	// Create adds a session that is not there yet, and stamps it. It returns
	// ErrFull, or a [FullError], when there is no room.
	Create(ctx context.Context, r Record) error
	// Get returns the session and counts as use of it. It returns ErrNotFound
	// for one that never was, has ended, or was idle for too long.
	Get(ctx context.Context, id string) (Record, error)
	// Update has change alter the session, in one step that no other Update comes
	// between, and counts as use. What change does to the ID and the time stamps
	// is ignored; it must not write to the slices' elements, and may be called
	// again where a store has to try again. It returns ErrNotFound as Get does.
	Update(ctx context.Context, id string, change func(*Record)) error
	// Delete ends the session. It returns ErrNotFound as Get does.
	Delete(ctx context.Context, id string) error
}

// ErrNotFound says that there is no such session, or no longer.
var ErrNotFound = errors.New("session not found: it never was, has ended, or was idle for too long; open a new one with initialize")

// ErrFull says that the store holds as many sessions as it may.
var ErrFull = errors.New("too many sessions are open: end some or raise the limit")

// FullError is an [ErrFull] of a store that knows when there may be room.
type FullError struct {
	// RetryAfter is when the first session ends or may give way to a new one,
	// unless it is used or ended before; above zero.
	RetryAfter time.Duration
}

// Error returns the text of ErrFull.
func (*FullError) Error() string { return ErrFull.Error() }

// Unwrap returns ErrFull.
func (*FullError) Unwrap() error { return ErrFull }

// NewID returns a new session id: 26 visible ASCII characters from a
// cryptographic random source, at least 128 bits of it (2025-11-25
// basic/transports, "Session Management").
func NewID() string { return rand.Text() }
