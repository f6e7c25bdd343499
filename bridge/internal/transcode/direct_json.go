package transcode

// directJSON is AppendJSON by plan: from wire bytes to JSON without a message. It declines, with ok false and dst as it was, what
// it does not do, what has to be told of in a warning and whatever is wrong.
func (c *Codec) directJSON(dst, wire []byte) (json []byte, ok bool) {
	return dst, false
}
