package stdio_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// double stands for the server: it admits everything, cancels by notifications/cancelled like the gate, and serves the
// methods of its table. A request whose method it does not have is answered with its params.
type double struct {
	methods map[string]func(ctx context.Context, msg jsonrpc.Message) []byte
	// sends serves methods that send messages before their result, for which they take no other way.
	sends map[string]func(ctx context.Context, msg jsonrpc.Message, out server.Sink) []byte
	// listen serves what belongs to no request; nil is silent.
	listen func(ctx context.Context, out server.Sink) error
	// batches says that arrays are taken.
	batches bool

	mu       sync.Mutex
	cancel   map[jsonrpc.ID]context.CancelFunc
	admitted []string // methods and ids, in the order of admission
	ran      []string // ids of requests, in the order of their ends
}

func (d *double) Admit(ctx context.Context, msg jsonrpc.Message, out server.Sink) stdio.Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.admitted = append(d.admitted, strings.TrimSpace(msg.Method+" "+msg.ID.String()))
	c := &doubleCall{double: d, msg: msg, ctx: ctx, serve: d.methods[msg.Method]}
	if sends := d.sends[msg.Method]; sends != nil {
		c.serve = func(ctx context.Context, msg jsonrpc.Message) []byte { return sends(ctx, msg, out) }
	}
	switch {
	case msg.Method == "admission panics":
		panic("secret detail")
	case msg.Kind == jsonrpc.KindRequest:
		var cancel context.CancelFunc
		c.ctx, cancel = context.WithCancel(ctx)
		if d.cancel == nil {
			d.cancel = map[jsonrpc.ID]context.CancelFunc{}
		}
		d.cancel[msg.ID] = cancel
	case msg.Method == "notifications/cancelled":
		raw, _ := jsonrpc.Find(msg.Params, "requestId")
		id, _ := jsonrpc.ParseID(raw)
		if cancel, ok := d.cancel[id]; ok {
			cancel()
		}
	}
	return c
}

func (d *double) Listen(ctx context.Context, out server.Sink) error {
	if d.listen != nil {
		return d.listen(ctx, out)
	}
	<-ctx.Done()
	return nil
}

func (d *double) Batches() bool { return d.batches }

// order returns what was admitted so far.
func (d *double) order() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.admitted)
}

// ended returns the ids of the requests that were run to their end so far.
func (d *double) ended() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.ran)
}

type doubleCall struct {
	double *double
	msg    jsonrpc.Message
	ctx    context.Context //nolint:containedctx // as server.Call has it
	serve  func(ctx context.Context, msg jsonrpc.Message) []byte
}

func (c *doubleCall) Finished() bool {
	return c.msg.Kind != jsonrpc.KindRequest || c.msg.Method == "initialize"
}

func (c *doubleCall) Streams() bool { return c.msg.Method == "subscriptions/listen" }

func (c *doubleCall) Context() context.Context { return c.ctx }

func (c *doubleCall) Run() server.Reply {
	if c.msg.Kind != jsonrpc.KindRequest {
		if c.serve != nil {
			c.serve(c.ctx, c.msg)
		}
		return server.Reply{}
	}
	defer c.end()
	result := c.msg.Params
	if c.serve != nil {
		result = c.serve(c.ctx, c.msg)
	}
	stopped := c.Streams() && errors.Is(context.Cause(c.ctx), server.ErrStopped)
	if c.ctx.Err() != nil && !stopped {
		return server.Reply{}
	}
	return server.Reply{Body: jsonrpc.AppendResult(nil, c.msg.ID, result)}
}

func (c *doubleCall) end() {
	c.double.mu.Lock()
	defer c.double.mu.Unlock()
	c.double.cancel[c.msg.ID]()
	c.double.ran = append(c.double.ran, c.msg.ID.String())
}

// hold serves a method that ends when it is released or cancelled.
func hold(release <-chan struct{}) func(context.Context, jsonrpc.Message) []byte {
	return func(ctx context.Context, _ jsonrpc.Message) []byte {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return nil
	}
}

// client is the other end of a stream, over pipes.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *io.PipeReader
	lines *bufio.Reader
	done  chan error // what Serve returned
	stop  context.CancelFunc
}

// connect serves d to a client until it closes its end.
func connect(t *testing.T, d *double, cfg stdio.Config) *client {
	t.Helper()
	return connectTo(t, d, cfg)
}

// connectTo is connect for what stands for the server in another way.
func connectTo(t *testing.T, d stdio.Peer, cfg stdio.Config) *client {
	t.Helper()
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	c := &client{t: t, in: inWriter, out: outReader, lines: bufio.NewReader(outReader), done: make(chan error, 1), stop: stop}
	go func() { c.done <- stdio.ServeCalls(ctx, cfg, d, inReader, outWriter) }()
	t.Cleanup(func() {
		stop()
		_ = outReader.Close()
		_ = inWriter.Close()
	})
	return c
}

// send writes text as it is.
func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Errorf("send %.80q: %v", text, err)
	}
}

// request writes a request.
func (c *client) request(id int, method string) {
	c.t.Helper()
	c.send(request(id, method))
}

// cancelRequest writes the notification that cancels a request.
func (c *client) cancelRequest(id int) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", id))
}

// receive reads one message.
func (c *client) receive() jsonrpc.Message {
	c.t.Helper()
	text, err := c.lines.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("receive: %v after %q", err, text)
	}
	return decode(c.t, bytes.TrimSuffix(text, []byte("\n")))
}

// want reads one message and holds it against the result {} for a request.
func (c *client) want(id int) {
	c.t.Helper()
	if msg := c.receive(); msg.Error != nil || msg.ID != jsonrpc.IntID(int64(id)) {
		c.t.Errorf("received id %s error %v, want the result for %d", msg.ID, msg.Error, id)
	}
}

// end closes the client's writing end and returns what Serve said.
func (c *client) end() error {
	c.t.Helper()
	_ = c.in.Close()
	return <-c.done
}

func request(id int, method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`+"\n", id, method)
}

func decode(t *testing.T, text []byte) jsonrpc.Message {
	t.Helper()
	msg, bad := jsonrpc.Decode(text, jsonrpc.DefaultLimits)
	if bad != nil || msg.Kind != jsonrpc.KindResponse {
		t.Fatalf("output %q is no response: %v", text, bad)
	}
	return msg
}

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}
