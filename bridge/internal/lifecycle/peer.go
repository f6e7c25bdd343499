package lifecycle

// Peer is the other end of a connection, as its transport knows it.
type Peer struct {
	// Transport is "tcp" or "pipe"; "" within a process.
	Transport string
	// Protocol is "http" with its ProtocolVersion, such as "1.1" or "2"; "" otherwise.
	Protocol, ProtocolVersion string
	// Address and Port are those that the connection comes from; "" and 0 where it comes from none.
	Address string
	Port    int
	// Forwarded are the headers of the request that some backend may be sent, by their canonical names (see
	// net/http.CanonicalHeaderKey); nil for none. Their values are valid metadata.
	Forwarded map[string][]string
}

// SetPeer notes who the sender of the messages is, before the first of them is admitted.
func (c *Conn) SetPeer(p Peer) { c.peer = p }

// Peer returns what SetPeer noted.
func (c *Conn) Peer() Peer { return c.peer }
