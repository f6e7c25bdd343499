package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
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

// shelf is the descriptor set of testdata/shelf.proto.
var shelf = sync.OnceValues(func() (*descriptor.Set, error) {
	return descriptor.Files([]string{"testdata"}, []string{"shelf.proto"}).Load(context.Background())
})

// loadShelf returns shelf. Call it outside of a synctest bubble first.
func loadShelf(t *testing.T) *descriptor.Set {
	t.Helper()
	set, err := shelf()
	if err != nil {
		t.Fatal(err)
	}
	if problems := set.Problems(); len(problems) > 0 {
		t.Fatal(problems)
	}
	return set
}

// scripted is a gRPC backend that plays a script: for each method what it does,
// which is a reply in ProtoJSON, "hangs", "garbage", "bytes 3000" for a reply of
// that size, "echo" for the name in the request, or a status such as "NOT_FOUND no such book". It notes what it was
// asked.
type scripted struct {
	service protoreflect.ServiceDescriptor
	script  map[string]string

	mu    sync.Mutex
	notes []string
}

// newScripted reads a script of lines such as "GetBook: NOT_FOUND no such book".
func newScripted(t *testing.T, script string) *scripted {
	t.Helper()
	b := &scripted{service: loadShelf(t).Services()[0], script: map[string]string{}}
	for line := range strings.Lines(script) {
		name, does, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok {
			b.script[name] = does
		}
	}
	return b
}

// serve starts the backend and returns a connection to it; both end with the test.
func (b *scripted) serve(t *testing.T) *grpc.ClientConn {
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
	request := dynamicpb.NewMessage(method.Input())
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	b.note("%s %s", name, compact(request))
	does := b.script[name]
	switch {
	case does == "hangs":
		<-stream.Context().Done()
		b.note("%s was cancelled", name)
		return stream.Context().Err()
	case does == "garbage":
		return stream.SendMsg(garbage(method.Output()))
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

// garbage returns a message whose wire form is not one of its type: field 1,
// a string in all messages of the shelf, holds an unknown group.
func garbage(md protoreflect.MessageDescriptor) proto.Message {
	m := dynamicpb.NewMessage(md)
	m.SetUnknown([]byte{0x0a, 0x01})
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
