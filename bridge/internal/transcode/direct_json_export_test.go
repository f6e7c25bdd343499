package transcode

import "google.golang.org/protobuf/reflect/protoreflect"

// DirectJSON is the direct path of [Codec.AppendJSON].
func (c *Codec) DirectJSON(dst, wire []byte) (json []byte, ok bool) { return c.directJSON(dst, wire) }

// ReferenceJSON is [Codec.AppendJSON] without the direct path.
func (c *Codec) ReferenceJSON(dst, wire []byte) (json []byte, warnings []string, err error) {
	return c.referenceJSON(dst, wire)
}

// Scattered reports whether replies have been met with the fields of such messages in another order than that of declaration.
func (c *Codec) Scattered(md protoreflect.MessageDescriptor) bool { return c.plan(md).scattered.Load() }
