package streamable

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// The kinds of streams that event ids name.
const (
	kindCall   byte = 'c' // the answer to a POST, which the journal keeps
	kindListen byte = 'l' // what belongs to no request, which is not kept
)

// eventID names an event within a session: its stream and its number there. Number 0 stands before the first event.
type eventID struct {
	kind           byte
	stream, number uint64
}

const (
	idBytes = 1 + 8 + 8
	idMAC   = 16 // bytes of the MAC, which is cut
)

// ids writes event ids and reads them back. To a client they are opaque; one that it made up, or has from another
// session, is told from one of its own by a MAC over the id and the session, whose key is the handler's. Safe for
// concurrent use.
type ids struct{ key [sha256.Size]byte }

func newIDs() *ids {
	i := &ids{}
	_, _ = rand.Read(i.key[:]) // never fails
	return i
}

// format writes an id of a session, in characters that need no escape.
func (i *ids) format(session string, id eventID) string {
	raw := make([]byte, 0, idBytes+idMAC)
	raw = append(raw, id.kind)
	raw = binary.BigEndian.AppendUint64(raw, id.stream)
	raw = binary.BigEndian.AppendUint64(raw, id.number)
	return base64.RawURLEncoding.EncodeToString(append(raw, i.mac(session, raw)...))
}

// parse reads an id back and reports whether it is one of the session.
func (i *ids) parse(session, text string) (eventID, bool) {
	if len(text) != base64.RawURLEncoding.EncodedLen(idBytes+idMAC) {
		return eventID{}, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != idBytes+idMAC || !hmac.Equal(raw[idBytes:], i.mac(session, raw[:idBytes])) {
		return eventID{}, false
	}
	return eventID{kind: raw[0], stream: binary.BigEndian.Uint64(raw[1:]), number: binary.BigEndian.Uint64(raw[9:])}, true
}

func (i *ids) mac(session string, raw []byte) []byte {
	h := hmac.New(sha256.New, i.key[:])
	h.Write(raw) // of fixed length, so that nothing of the session can be taken for it
	h.Write([]byte(session))
	return h.Sum(nil)[:idMAC]
}

// newStream returns the number of a new stream. It is random, so that replicas which share a journal need not agree.
func newStream() uint64 {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails
	return binary.BigEndian.Uint64(raw[:])
}
