package bridge_test

import (
	"context"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// ledgerProto has a method of each kind that a history tells apart: what may be repeated and what may not, one reply and many.
const ledgerProto = `syntax = "proto3";
package ledger.v1;

service LedgerService {
  // Books an entry.
  rpc Add(Order) returns (Entry);
  // Books an entry, however often it is asked to.
  rpc Put(Order) returns (Entry) { option idempotency_level = IDEMPOTENT; }
  // Books an entry and tells of it.
  rpc Follow(Order) returns (stream Entry);
  // Reads an entry.
  rpc Read(Order) returns (stream Entry) { option idempotency_level = NO_SIDE_EFFECTS; }
}

message Order {
  string key = 1;
  // How many replies.
  int32 replies = 2;
  // How long each takes.
  int32 pause_ms = 3;
  // Whether the backend refuses it, at the end.
  bool refused = 4;
}

message Entry {
  string key = 1;
  // Which reply it is, from 0.
  int32 number = 2;
}
`

// ledger is the backend of ledgerProto and the journal of what it did: for each key how often a call began and how often one
// came to its end. The journal outlives the servers, so that one which is killed has written what it had done.
type ledger struct {
	service protoreflect.ServiceDescriptor

	mu    sync.Mutex
	begun map[string]int
	ended map[string]int
}

// newLedger returns a ledger and where its descriptors come from.
func newLedger(t *testing.T) (*ledger, descriptor.Source) {
	t.Helper()
	source := protoFiles(t, "ledger.proto", ledgerProto)
	set, err := source.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found, err := set.Files().FindDescriptorByName("ledger.v1.LedgerService")
	if err != nil {
		t.Fatal(err)
	}
	return &ledger{service: found.(protoreflect.ServiceDescriptor), begun: map[string]int{}, ended: map[string]int{}}, source
}

// note counts a call under key.
func (l *ledger) note(counts map[string]int, key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	counts[key]++
}

// executions is how many calls under key began.
func (l *ledger) executions(key string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun[key]
}

// serve is the handler of all methods. Its effect is the note in the journal, which no end of a context undoes.
func (l *ledger) serve(_ any, stream grpc.ServerStream) error {
	name, _ := grpc.MethodFromServerStream(stream)
	method := l.service.Methods().ByName(protoreflect.Name(filepath.Base(name)))
	if method == nil {
		return status.Error(codes.Unimplemented, name)
	}
	order := dynamicpb.NewMessage(method.Input())
	if err := stream.RecvMsg(order); err != nil {
		return err
	}
	get := func(field protoreflect.Name) protoreflect.Value {
		return order.Get(method.Input().Fields().ByName(field))
	}
	key := get("key").String()
	l.note(l.begun, key)
	defer l.note(l.ended, key)
	for n := range get("replies").Int() {
		if err := pause(stream.Context(), time.Duration(get("pause_ms").Int())*time.Millisecond); err != nil {
			return err
		}
		if err := stream.SendMsg(entry(method.Output(), key, n)); err != nil {
			return err
		}
	}
	if get("refused").Bool() {
		return status.Error(codes.FailedPrecondition, "the book is closed")
	}
	return nil
}

// entry is a reply.
func entry(desc protoreflect.MessageDescriptor, key string, number int64) proto.Message {
	m := dynamicpb.NewMessage(desc)
	m.Set(desc.Fields().ByName("key"), protoreflect.ValueOfString(key))
	m.Set(desc.Fields().ByName("number"), protoreflect.ValueOfInt32(int32(number)))
	return m
}

// pause waits, or returns how the context ended.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	case <-time.After(d):
		return nil
	}
}

// process is a server of the ledger, which can end and be followed by another, as a process can.
type process struct {
	ledger *ledger
	line   *line

	server *grpc.Server
	done   sync.WaitGroup
}

// start begins a server and leads the line to it.
func (p *process) start(t *testing.T) {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(p.ledger.serve))
	p.server = server
	p.done.Go(func() { _ = server.Serve(lis) })
	p.line.lead(lis.Addr().String())
}

// kill ends the server, with all connections and calls. Nobody listens until the next start.
func (p *process) kill() {
	p.line.lead("")
	p.server.Stop()
}

// replace starts another server and lets the one before finish what it has begun.
func (p *process) replace(t *testing.T) {
	t.Helper()
	before := p.server
	p.start(t)
	p.done.Go(before.GracefulStop)
}
