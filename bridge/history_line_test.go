package bridge_test

import (
	"net"
	"sync"
	"testing"
)

// direction is one of the two of a connection.
type direction int

const (
	requests direction = iota // from the client to the server
	answers
)

// line carries connections to a server, and does to them what networks and processes do. The address that it listens on stays
// the same when the server is another one.
type line struct {
	lis net.Listener
	all sync.WaitGroup

	mu      sync.Mutex
	target  string  // "" where nobody listens
	held    [2]bool // whether bytes wait on their way
	changed chan struct{}
	open    map[*net.TCPConn]bool
}

// newLine listens on loopback until the test ends.
func newLine(t *testing.T) *line {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{lis: lis, changed: make(chan struct{}), open: map[*net.TCPConn]bool{}}
	l.all.Go(l.accept)
	t.Cleanup(func() {
		lis.Close()
		l.release()
		l.reset()
		l.all.Wait()
	})
	return l
}

// accept takes connections until the listener is closed.
func (l *line) accept() {
	for {
		client, err := l.lis.Accept()
		if err != nil {
			return
		}
		l.mu.Lock()
		target := l.target
		l.mu.Unlock()
		server, err := net.Dial("tcp", target)
		if target == "" || err != nil {
			abort(client.(*net.TCPConn))
			continue
		}
		l.join(client.(*net.TCPConn), server.(*net.TCPConn))
	}
}

// join carries bytes both ways until one side ends.
func (l *line) join(client, server *net.TCPConn) {
	l.mu.Lock()
	l.open[client], l.open[server] = true, true
	l.mu.Unlock()
	carry := func(d direction, from, to *net.TCPConn) {
		l.carry(d, from, to)
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, c := range []*net.TCPConn{client, server} {
			delete(l.open, c)
			c.Close()
		}
	}
	l.all.Go(func() { carry(requests, client, server) })
	l.all.Go(func() { carry(answers, server, client) })
}

// carry copies bytes one way. Those that it has read when the direction is held wait, and what comes behind them waits outside.
func (l *line) carry(d direction, from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		l.passable(d)
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// passable waits until the direction is not held.
func (l *line) passable(d direction) {
	for {
		l.mu.Lock()
		held, changed := l.held[d], l.changed
		l.mu.Unlock()
		if !held {
			return
		}
		<-changed
	}
}

// lead sends connections to come to address; "" refuses them.
func (l *line) lead(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.target = address
}

// hold keeps what goes in a direction, so that the other side seems to hang.
func (l *line) hold(d direction) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[d] = true
}

// release lets everything go on.
func (l *line) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = [2]bool{}
	close(l.changed)
	l.changed = make(chan struct{})
}

// reset breaks all connections with an RST. What is held on them is lost.
func (l *line) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		abort(c)
	}
}

// abort closes a connection with an RST.
func abort(c *net.TCPConn) {
	_ = c.SetLinger(0)
	c.Close()
}
