package transcode

// DirectWire is AppendWire by plan alone.
func (c *Codec) DirectWire(dst, arguments []byte) ([]byte, bool) { return c.directWire(dst, arguments) }

// ReferenceWire is AppendWire by way of a message alone.
func (c *Codec) ReferenceWire(dst, arguments []byte) ([]byte, error) {
	return c.referenceWire(dst, arguments)
}
