package transcode

// DirectJSON is the direct path of [Codec.AppendJSON].
func (c *Codec) DirectJSON(dst, wire []byte) (json []byte, ok bool) { return c.directJSON(dst, wire) }

// ReferenceJSON is [Codec.AppendJSON] without the direct path.
func (c *Codec) ReferenceJSON(dst, wire []byte) (json []byte, warnings []string, err error) {
	return c.referenceJSON(dst, wire)
}
