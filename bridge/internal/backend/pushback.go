package backend

import (
	"strconv"
	"time"

	"google.golang.org/grpc/metadata"
)

// headerPushback is the trailer by which a server says when a call may be made again: a 32-bit number of milliseconds, or a
// negative one for never (gRFC A6, Pushback).
const headerPushback = "grpc-retry-pushback-ms"

// pushback is what a server says of other attempts; the zero value is nothing.
type pushback struct {
	given bool
	never bool
	pause time.Duration // where it is given, and not never
}

// readPushback takes a word that cannot be read, and more than one, for never, as gRPC does.
func readPushback(trailer metadata.MD) pushback {
	words := trailer.Get(headerPushback)
	if len(words) == 0 {
		return pushback{}
	}
	ms, err := strconv.ParseInt(words[0], 10, 32)
	if len(words) > 1 || err != nil || ms < 0 {
		return pushback{given: true, never: true}
	}
	return pushback{given: true, pause: min(time.Duration(ms)*time.Millisecond, maxRetryAfter)}
}
