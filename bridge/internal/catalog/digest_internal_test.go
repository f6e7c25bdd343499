package catalog

import (
	"reflect"
	"testing"
)

// TestDigestSeesEverything: a feature that is added to those of a peer must count in the digest, or a change that only
// newer peers see would not be one.
func TestDigestSeesEverything(t *testing.T) {
	t.Parallel()
	all := reflect.ValueOf(everything)
	for i := range all.NumField() {
		if all.Field(i).IsZero() {
			t.Errorf("%s is not set", all.Type().Field(i).Name)
		}
	}
}
