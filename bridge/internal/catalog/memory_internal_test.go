package catalog

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestMemoryIsBounded: methods that are others in each catalog are forgotten, those first that went first.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const each = 1000
	at := func(i int) place { return place{"b", protoreflect.FullName(fmt.Sprintf("x.S.M%d", i))} }
	var m memory
	for round := range 10 {
		m = m.after(nil)
		for i := range each {
			m.names[at(round*each+i)] = called{name: fmt.Sprint("m", round*each+i)}
		}
	}
	m = m.after(nil)
	if len(m.names) != maxAway || m.held(at(10*each-1)) == "" || m.held(at(0)) != "" {
		t.Errorf("%d names are remembered, want the %d of methods that went last", len(m.names), maxAway)
	}
}
