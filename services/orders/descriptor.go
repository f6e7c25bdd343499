package orders

import _ "embed"

//go:embed orders.binpb
var descriptorSet string

// DescriptorSet returns the google.protobuf.FileDescriptorSet of orders/v1/orders.proto
// and all that it imports, in binary form, with the comments that generated Go
// code and reflection lack. The caller owns the bytes.
func DescriptorSet() []byte { return []byte(descriptorSet) }
