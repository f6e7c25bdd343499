package interaction

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

const (
	// MinKeyBytes is the length of the shortest key that seals: 32 bytes.
	MinKeyBytes = 32
	// DefaultStateLifetime is how long a client may take with its answers, unless
	// said otherwise: 10 min.
	DefaultStateLifetime = 10 * time.Minute
	// maxSealed bounds, in characters, what is opened.
	maxSealed = 1 << 20
)

// ErrState says that a state was not sealed by this bridge, or for another call.
var ErrState = errors.New("it was not made for this call, or has been changed")

// ErrExpired says that a state is too old.
var ErrExpired = errors.New("it has expired")

// State is what waits with a modern client until it comes back with its answers.
type State struct {
	// Asked is what the backend asked for, its own state included.
	Asked *bridgev1.InputRequired
	// Given are the answers that the client has brought so far; the rest of what was
	// asked for is asked again.
	Given []*bridgev1.InputResponse
	// Round counts the times that the backend has asked, from 1.
	Round int
	// TraceParent is where the first round stands in its trace, as traceparent has
	// it; "" for nowhere.
	TraceParent string
}

// Binding is the call that a state belongs to: with another one it does not open.
type Binding struct {
	// Principal is on whose behalf the call is made; "" without authorization.
	Principal string
	// Method is that of the protocol, such as tools/call, and Target what is called,
	// by the full name of its gRPC method and its backend.
	Method, Target string
	// Arguments is their digest (see [Digest]).
	Arguments [sha256.Size]byte
}

// Sealer seals states, so that clients can neither read nor change them. Safe for
// concurrent use.
type Sealer struct {
	lifetime time.Duration
	keys     []cipher.AEAD // the first one seals, all open
}

// NewSealer returns a Sealer with keys of at least MinKeyBytes bytes: the first
// seals, all open. Without keys it makes one of its own, so that no other process
// can open what it has sealed. lifetime is how long a state is good for; zero and
// less is DefaultStateLifetime.
func NewSealer(keys [][]byte, lifetime time.Duration) (*Sealer, error) {
	s := &Sealer{lifetime: lifetime}
	if s.lifetime <= 0 {
		s.lifetime = DefaultStateLifetime
	}
	if len(keys) == 0 {
		own := make([]byte, MinKeyBytes)
		_, _ = rand.Read(own) // never fails
		keys = [][]byte{own}
	}
	for i, key := range keys {
		if len(key) < MinKeyBytes {
			return nil, fmt.Errorf("key %d that seals states has %d bytes: take at least %d, such as those of `openssl rand -hex 32`",
				i+1, len(key), MinKeyBytes)
		}
		sealing, err := sealing(key)
		if err != nil {
			return nil, err
		}
		s.keys = append(s.keys, sealing)
	}
	return s, nil
}

// sealing derives what seals from a key: AES-256-GCM.
func sealing(key []byte) (cipher.AEAD, error) {
	derived, err := hkdf.Key(sha256.New, key, nil, "mcpgrpc bridge: state of input required, v1", 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key that seals states: %w", err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, fmt.Errorf("derive the key that seals states: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Seal returns a state as text, for the call that it belongs to.
func (s *Sealer) Seal(state *State, b *Binding) (string, error) {
	plain := binary.BigEndian.AppendUint64(nil, uint64(time.Now().Add(s.lifetime).Unix()))
	plain = binary.AppendUvarint(plain, uint64(max(0, state.Round)))
	plain = appendPart(plain, []byte(state.TraceParent))
	asked, err := proto.Marshal(state.Asked)
	if err != nil {
		return "", fmt.Errorf("seal a state: %w", err)
	}
	given, err := proto.Marshal(&bridgev1.InputResponses{Responses: state.Given})
	if err != nil {
		return "", fmt.Errorf("seal a state: %w", err)
	}
	plain = appendPart(appendPart(plain, asked), given)
	return base64.RawURLEncoding.EncodeToString(s.keys[0].Seal(nil, nil, plain, b.bytes())), nil //nolint:gosec // G407: it makes its own nonce
}

// Open returns the state in a text that Seal made for the same call: else
// [ErrState], or [ErrExpired].
func (s *Sealer) Open(text string, b *Binding) (*State, error) {
	if len(text) > maxSealed {
		return nil, ErrState
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, ErrState
	}
	for _, key := range s.keys {
		if plain, err := key.Open(nil, nil, sealed, b.bytes()); err == nil {
			return read(plain)
		}
	}
	return nil, ErrState
}

// read reads what was sealed.
func read(plain []byte) (*State, error) {
	if len(plain) < 8 {
		return nil, ErrState
	}
	if expires := binary.BigEndian.Uint64(plain); uint64(time.Now().Unix()) > expires {
		return nil, ErrExpired
	}
	plain = plain[8:]
	round, n := binary.Uvarint(plain)
	if n <= 0 {
		return nil, ErrState
	}
	trace, plain, ok := nextPart(plain[n:])
	asked, plain, good := nextPart(plain)
	given, _, fine := nextPart(plain)
	state := &State{Round: int(round), TraceParent: string(trace), Asked: &bridgev1.InputRequired{}}
	var responses bridgev1.InputResponses
	if !ok || !good || !fine || proto.Unmarshal(asked, state.Asked) != nil || proto.Unmarshal(given, &responses) != nil {
		return nil, ErrState
	}
	state.Given = responses.GetResponses()
	return state, nil
}

// bytes is the binding as what a sealed state is authenticated with.
func (b *Binding) bytes() []byte {
	all := appendPart(nil, []byte(b.Principal))
	all = appendPart(appendPart(all, []byte(b.Method)), []byte(b.Target))
	return append(all, b.Arguments[:]...)
}

// appendPart appends bytes with their length before them.
func appendPart(dst, part []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}

// nextPart undoes appendPart.
func nextPart(b []byte) (part, rest []byte, ok bool) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return nil, nil, false
	}
	return b[n : n+int(size)], b[n+int(size):], true
}
