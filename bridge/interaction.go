package bridge

import (
	"errors"
	"fmt"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
)

// Defaults of the options about questions and streams.
const (
	// DefaultStateLifetime is how long a client may take to come back with its answers: 10 min.
	DefaultStateLifetime = interaction.DefaultStateLifetime
	// MinStateKeyBytes is the shortest key that WithStateKeys takes: 32 bytes.
	MinStateKeyBytes = interaction.MinKeyBytes
)

// WithStateKeys sets the keys that seal what clients of revision 2026-07-28 bring back with their answers to a backend's
// questions. The first one seals, and all of them open; replicas that have them in common can go on with each other's calls. Each
// has at least 32 bytes. Default: a key of the bridge's own, made by New.
func WithStateKeys(keys ...[]byte) Option {
	return func(s *settings) error {
		for i, k := range keys {
			if len(k) < MinStateKeyBytes {
				return fmt.Errorf("state key %d of %d has %d bytes: give at least %d, at random", i+1, len(keys), len(k), MinStateKeyBytes)
			}
		}
		if len(keys) == 0 {
			return errors.New("WithStateKeys: there is no key; leave the option out to have one made")
		}
		s.stateKeys = keys
		return nil
	}
}

// WithStateLifetime sets how long a client of revision 2026-07-28 may take to come back with its answers. Default:
// DefaultStateLifetime. Less than a second is an error.
func WithStateLifetime(d time.Duration) Option {
	return func(s *settings) error { return setSpan(&s.stateLifetime, d, "a state that holds") }
}

// WithAnswerTimeout sets how long a client of an earlier revision may take to answer one question. Default: 5 min. Less than a
// second is an error.
func WithAnswerTimeout(d time.Duration) Option {
	return func(s *settings) error { return setSpan(&s.answerTimeout, d, "an answer that may take") }
}

// WithMaxRounds limits how often a backend may ask before one call is answered. Default: 10.
func WithMaxRounds(n int) Option {
	return func(s *settings) error { return setLimit(&s.maxRounds, n, "rounds of questions") }
}

// WithMaxStreamMessages limits how many messages of a response stream are collected for one result. Default: 1,000.
func WithMaxStreamMessages(n int) Option {
	return func(s *settings) error { return setLimit(&s.streamMessages, n, "messages of a stream") }
}

// WithMaxStreamBytes limits how many bytes of JSON of a response stream are collected for one result, which keeps to
// [WithMaxResultBytes] too. Default: 1 MiB.
func WithMaxStreamBytes(n int) Option {
	return func(s *settings) error { return setLimit(&s.streamBytes, n, "bytes of a stream") }
}

// setSpan sets a duration of a second or more.
func setSpan(span *time.Duration, d time.Duration, what string) error {
	if d < time.Second {
		return fmt.Errorf("%s %v: give at least %v", what, d, time.Second)
	}
	*span = d
	return nil
}
