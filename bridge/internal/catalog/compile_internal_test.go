package catalog

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// broken is a descriptor that panics in every method, as none should.
type broken struct {
	protoreflect.MethodDescriptor
}

// TestPanicCostsOneMethod is about descriptors that bring a fault of ours to light.
func TestPanicCostsOneMethod(t *testing.T) {
	t.Parallel()
	offered, err := candidate{source: &origin{Source: &Source{}}, method: broken{}}.compile()
	if offered.tool != nil || err == nil || !strings.Contains(err.Error(), "internal fault") || !strings.Contains(err.Error(), "report") {
		t.Errorf("offered %v, error %v", offered, err)
	}
}
