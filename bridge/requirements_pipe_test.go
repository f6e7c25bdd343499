package bridge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
)

// patience is how long a test waits for what has to come.
const patience = 20 * time.Second

// pipe is a client over stdio.
type pipe struct {
	version string
	in      io.WriteCloser
	lines   chan string // closed at the end of the output
	done    chan error  // what ServeStdio returned
	stop    context.CancelFunc
	nextID  int
	// seen are the messages that came before the response that ask waited for.
	seen []message
}

// openPipe serves b over a pair of pipes, without any handshake.
func openPipe(t *testing.T, b *bridge.Bridge, version string) *pipe {
	t.Helper()
	inReader, in := io.Pipe()
	out, outWriter := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	p := &pipe{version: version, in: in, lines: make(chan string, 1024), done: make(chan error, 1), stop: stop}
	go func() {
		p.done <- b.ServeStdio(ctx, inReader, outWriter)
		outWriter.Close()
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(p.lines)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	t.Cleanup(func() {
		stop()
		in.Close()
		<-read
	})
	return p
}

// send writes one line.
func (p *pipe) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(p.in, text+"\n"); err != nil {
		t.Fatal(err)
	}
}

// next reads one line.
func (p *pipe) next(t *testing.T) message {
	t.Helper()
	select {
	case line, ok := <-p.lines:
		var m message
		if err := json.Unmarshal([]byte(line), &m); !ok || err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		return m
	case <-time.After(patience):
		t.Fatal("nothing comes")
	}
	return message{}
}

// quiet wants no line to have come.
func (p *pipe) quiet(t *testing.T) {
	t.Helper()
	select {
	case line := <-p.lines:
		t.Errorf("received %s", line)
	default:
	}
}

// ask sends a request and returns the response; what comes before is in seen.
func (p *pipe) ask(t *testing.T, method, params string) message {
	t.Helper()
	p.nextID++
	id := fmt.Sprint(p.nextID)
	p.send(t, body(p.version, id, method, params, ""))
	for {
		m := p.next(t)
		if m.Method == "" && string(m.ID) == id {
			return m
		}
		p.seen = append(p.seen, m)
	}
}
