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

// formatID writes an id of a session, in characters that need no escape. To a client it is opaque: one that it made up,
// or has from another session, is told from one of its own by a MAC, whose key is the session's name. Nobody else knows
// that, and whoever does may ask for all of the session's streams; so any replica that serves the session can read its ids.
func formatID(session string, id eventID) string {
	raw := make([]byte, 0, idBytes+idMAC)
	raw = append(raw, id.kind)
	raw = binary.BigEndian.AppendUint64(raw, id.stream)
	raw = binary.BigEndian.AppendUint64(raw, id.number)
	return base64.RawURLEncoding.EncodeToString(append(raw, macOf(session, raw)...))
}

// parseID reads an id back and reports whether it is one of the session.
func parseID(session, text string) (eventID, bool) {
	if len(text) != base64.RawURLEncoding.EncodedLen(idBytes+idMAC) {
		return eventID{}, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != idBytes+idMAC || !hmac.Equal(raw[idBytes:], macOf(session, raw[:idBytes])) {
		return eventID{}, false
	}
	return eventID{kind: raw[0], stream: binary.BigEndian.Uint64(raw[1:]), number: binary.BigEndian.Uint64(raw[9:])}, true
}

// macUse keeps these MACs apart from whatever else may be derived from a session's name.
const macUse = "mcp event id\x00"

func macOf(session string, raw []byte) []byte {
	h := hmac.New(sha256.New, []byte(session))
	h.Write([]byte(macUse))
	h.Write(raw)
	return h.Sum(nil)[:idMAC]
}

// newStream returns the number of a new stream. It is random, so that replicas which share a journal need not agree.
func newStream() uint64 {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails
	return binary.BigEndian.Uint64(raw[:])
}
