package conformance

import _ "embed"

//go:embed conformance.binpb
var descriptorSet string

// DescriptorSet returns the google.protobuf.FileDescriptorSet of conformance/v1/conformance.proto
// and all that it imports, in binary form, with the comments that generated Go
// code and reflection lack. The caller owns the bytes.
func DescriptorSet() []byte { return []byte(descriptorSet) }
