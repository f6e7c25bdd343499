package interaction

import (
	"crypto/sha256"

	"github.com/go-json-experiment/json/jsontext"
)

// Digest returns a digest of arguments, an object as raw JSON, that is the same
// however the object is written: white space, the order of members and the
// spelling of strings and numbers do not count. Integers count to their last digit,
// which a double would lose above 2^53. No arguments are an empty object.
func Digest(arguments []byte) [sha256.Size]byte {
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	value := jsontext.Value(arguments).Clone()
	_ = value.Canonicalize(jsontext.CanonicalizeRawInts(false)) // what it cannot change stays as it is, and has a digest too
	return sha256.Sum256(value)
}
