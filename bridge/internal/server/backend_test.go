package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// loaded holds the descriptor sets of files of testdata. What fills it must not
// run in a synctest bubble.
var loaded struct {
	sync.Mutex
	sets map[string]*descriptor.Set
}

// load returns the descriptor set of a file of testdata.
func load(t testing.TB, file string) *descriptor.Set {
	t.Helper()
	loaded.Lock()
	defer loaded.Unlock()
	if set := loaded.sets[file]; set != nil {
		return set
	}
	set, err := descriptor.Files([]string{"testdata", "../../../proto", "../../../proto/third_party"},
		[]string{file}).Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if problems := set.Problems(); len(problems) > 0 {
		t.Fatal(problems)
	}
	if loaded.sets == nil {
		loaded.sets = map[string]*descriptor.Set{}
	}
	loaded.sets[file] = set
	return set
}

// loadAll loads what tests in synctest bubbles use, outside of them.
func loadAll(t testing.TB) {
	t.Helper()
	load(t, shelf)
	load(t, desk)
	load(t, vault)
	load(t, counter)
	load(t, office)
}

// The services of testdata: one of tools and no options, one that is more, one
// with what neither has, one with rules, and one that streams and asks.
const shelf, desk, vault, counter, office = "shelf.proto", "desk.proto", "vault.proto", "counter.proto", "office.proto"

// scripted is a gRPC backend that plays a script: for each method what it does,
// which is a reply in ProtoJSON, "hangs", "garbage", "not utf-8", "bytes 3000" for a reply of
// that size, "echo" for the name in the request, "stream" for one that says it is
// open and that the test fills and ends, "silent" for one that says nothing before
// its first message, or a status such as "NOT_FOUND no such book". What it does when it
// streams and asks says scripted.play. It notes what it was asked.
type scripted struct {
	set     *descriptor.Set
	service protoreflect.ServiceDescriptor

	mu      sync.Mutex
	script  map[string]string
	notes   []string
	streams map[string][]chan string // by method: "" for a message, else the status that ends it
}

// newScripted reads a script of lines such as "GetBook: NOT_FOUND no such book".
func newScripted(t testing.TB, file, script string) *scripted {
	t.Helper()
	set := load(t, file)
	b := &scripted{set: set, service: set.Services()[0], script: map[string]string{}, streams: map[string][]chan string{}}
	b.learn(script)
	return b
}

// learn adds to the script.
func (b *scripted) learn(script string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for line := range strings.Lines(script) {
		name, does, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok {
			b.script[name] = does
		}
	}
}

// does returns the line of the script for a method.
func (b *scripted) does(method string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.script[method]
}

// serve starts the backend and returns a connection to it; both end with the test.
func (b *scripted) serve(t testing.TB) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer(grpc.UnknownServiceHandler(b.handle), grpc.WaitForHandlers(true))
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(listener) })
	conn, err := grpc.NewClient("passthrough:///shelf",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		server.Stop()
		running.Wait()
	})
	return conn
}

// handle plays the script for one call.
func (b *scripted) handle(_ any, stream grpc.ServerStream) error {
	path, _ := grpc.MethodFromServerStream(stream)
	name := path[strings.LastIndexByte(path, '/')+1:]
	method := b.service.Methods().ByName(protoreflect.Name(name))
	if plays(method, b.does(name)) {
		return b.play(name, stream, method)
	}
	request := dynamicpb.NewMessage(method.Input())
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	b.note("%s %s", name, compact(request))
	does := b.does(name)
	switch {
	case does == "stream":
		if err := stream.SendHeader(nil); err != nil {
			return err
		}
		return b.stream(name, stream, method.Output())
	case does == "silent":
		return b.stream(name, stream, method.Output())
	case does == "hangs":
		<-stream.Context().Done()
		b.note("%s was cancelled", name)
		return stream.Context().Err()
	case does == "garbage":
		return stream.SendMsg(raw(method.Output(), "\x0a\x01"))
	case does == "not utf-8":
		return stream.SendMsg(raw(method.Output(), "\x0a\x01\xff"))
	case does == "echo":
		reply := dynamicpb.NewMessage(method.Output())
		reply.Set(method.Output().Fields().ByName("name"), request.Get(method.Input().Fields().ByName("name")))
		return stream.SendMsg(reply)
	case strings.HasPrefix(does, "bytes "):
		return stream.SendMsg(large(method.Output(), does))
	case strings.HasPrefix(does, "{") || strings.HasPrefix(does, `"`):
		reply := dynamicpb.NewMessage(method.Output())
		if err := protojson.Unmarshal([]byte(does), reply); err != nil {
			return err
		}
		return stream.SendMsg(reply)
	default:
		return scriptedStatus(does)
	}
}

// stream keeps a stream open and does with it what tell says.
func (b *scripted) stream(name string, stream grpc.ServerStream, md protoreflect.MessageDescriptor) error {
	told := make(chan string, 16)
	b.mu.Lock()
	b.streams[name] = append(b.streams[name], told)
	b.mu.Unlock()
	defer b.note("%s has ended", name)
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.streams[name] = slices.DeleteFunc(b.streams[name], func(c chan string) bool { return c == told })
	}()
	for {
		select {
		case <-stream.Context().Done():
			return stream.Context().Err()
		case what := <-told:
			if what == "OK" {
				return nil
			}
			if what != "" {
				return scriptedStatus(what)
			}
			if err := stream.SendMsg(dynamicpb.NewMessage(md)); err != nil {
				return err
			}
		}
	}
}

// tell has all open streams of a method send a message or, with a status, end.
func (b *scripted) tell(name, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, told := range b.streams[name] {
		told <- what
	}
}

// open returns how many streams of a method are open.
func (b *scripted) open(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.streams[name])
}

// raw returns a message of these bytes, which need not be one of its type: field 1
// is a string or a message in all that the tests let be garbage.
func raw(md protoreflect.MessageDescriptor, wire string) proto.Message {
	m := dynamicpb.NewMessage(md)
	m.SetUnknown([]byte(wire))
	return m
}

// large returns a message with a long text in its first field of that kind.
func large(md protoreflect.MessageDescriptor, does string) proto.Message {
	var size int
	_, _ = fmt.Sscanf(does, "bytes %d", &size)
	m := dynamicpb.NewMessage(md)
	for i := range md.Fields().Len() {
		if fd := md.Fields().Get(i); fd.Kind() == protoreflect.StringKind {
			m.Set(fd, protoreflect.ValueOfString(strings.Repeat("x", size)))
			break
		}
	}
	return m
}

// scriptedStatus reads "CODE message".
func scriptedStatus(does string) error {
	name, message, _ := strings.Cut(does, " ")
	var code codes.Code
	if err := code.UnmarshalJSON([]byte(`"` + name + `"`)); err != nil {
		return errors.New("the script of the test has no such code: " + does)
	}
	return status.Error(code, message)
}

func (b *scripted) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// takeNotes returns the notes since it was called last.
func (b *scripted) takeNotes() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	notes := b.notes
	b.notes = nil
	return notes
}

// compact is ProtoJSON without the white space that protojson puts in at random.
func compact(m proto.Message) string {
	text, err := protojson.Marshal(m)
	if err != nil {
		return err.Error()
	}
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		return err.Error()
	}
	return out.String()
}
