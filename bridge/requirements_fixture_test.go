package bridge_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// notes is the backend of noteProto. It answers from tables and by the few methods that do something.
type notes struct {
	file protoreflect.FileDescriptor

	mu       sync.Mutex
	watchers map[chan struct{}]bool
	waiting  chan struct{}  // holds one element for each call of Wait that has begun
	ended    chan error     // and one for each that has ended
	calls    map[string]int // by method
}

// replies are the answers that are always the same, by method, as JSON.
var replies = map[string]string{
	"Word": `"word"`,
	"Show": `{"blocks":[{"text":{"text":"a text"}},{"image":{"data":"AQID"}},{"audio":{"data":"BAUG"}},` +
		`{"resource":{"uri":"note://welcome","text":"hello"}},{"resourceLink":{"uri":"note://welcome","name":"welcome"}}]}`,
	"GetPicture": `{"contents":[{"blob":"AQID","mimeType":"image/png"}]}`,
	"Greet":      `{"messages":[{"content":{"text":{"text":"Greet them."}}},{"role":"ROLE_ASSISTANT","content":{"text":{"text":"Hello."}}}]}`,
}

// serve is the handler of all methods.
func (n *notes) serve(_ any, stream grpc.ServerStream) error {
	name, _ := grpc.MethodFromServerStream(stream)
	method := n.file.Services().ByName("NoteService").Methods().ByName(protoreflect.Name(filepath.Base(name)))
	if method == nil {
		return status.Error(codes.Unimplemented, name)
	}
	request, reply := dynamicpb.NewMessage(method.Input()), dynamicpb.NewMessage(method.Output())
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	n.mu.Lock()
	n.calls[string(method.Name())]++
	n.mu.Unlock()
	if method.IsStreamingServer() {
		return n.watch(stream, reply)
	}
	if err := n.answer(stream.Context(), string(method.Name()), request, reply); err != nil {
		return err
	}
	return stream.SendMsg(reply)
}

// answer fills the reply of a unary method.
func (n *notes) answer(ctx context.Context, method string, request, reply proto.Message) error {
	switch method {
	case "Wait":
		n.waiting <- struct{}{}
		<-ctx.Done()
		n.ended <- ctx.Err()
		return status.FromContextError(ctx.Err()).Err()
	case "Fail":
		return status.Error(codes.FailedPrecondition, "the shelf is locked")
	case "GetNote":
		return getNote(request, reply)
	}
	if text, ok := replies[method]; ok {
		return protojson.Unmarshal([]byte(text), reply)
	}
	m := request.ProtoReflect()
	text := ""
	if field := m.Descriptor().Fields().ByName("text"); field != nil {
		text = m.Get(field).String()
	}
	setText(reply, text)
	return nil
}

// getNote knows two notes and the welcome.
func getNote(request, reply proto.Message) error {
	m := request.ProtoReflect()
	id := m.Get(m.Descriptor().Fields().ByName("id")).String()
	texts := map[string]string{"": "welcome", "1": "first", "a/b": "nested"}
	text, ok := texts[id]
	if !ok {
		return status.Errorf(codes.NotFound, "there is no note %q", id)
	}
	setText(reply, text)
	return nil
}

func setText(reply proto.Message, text string) {
	m := reply.ProtoReflect()
	if field := m.Descriptor().Fields().ByName("text"); field != nil {
		m.Set(field, protoreflect.ValueOfString(text))
	}
}

// watch sends a message for each change, until the client goes.
func (n *notes) watch(stream grpc.ServerStream, change proto.Message) error {
	changed := make(chan struct{}, 16)
	n.mu.Lock()
	n.watchers[changed] = true
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.watchers, changed)
	}()
	for {
		select {
		case <-changed:
			if err := stream.SendMsg(change); err != nil {
				return err
			}
		case <-stream.Context().Done():
			return nil
		}
	}
}

// change tells all who watch, and reports how many do.
func (n *notes) change() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	for changed := range n.watchers {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	return len(n.watchers)
}

// changeWatched waits until somebody watches, and then tells them.
func (n *notes) changeWatched(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); n.change() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody watches")
		}
	}
}

// called says how often a method was called.
func (n *notes) called(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.calls[method]
}

// noteFiles writes the sources of the notes and returns what compiles them.
func noteFiles(t *testing.T, text string) descriptor.Source {
	t.Helper()
	return protoFiles(t, "note.proto", text)
}

// protoFiles writes a source, which may import those of this repository, and returns what compiles it.
func protoFiles(t *testing.T, name, text string) descriptor.Source {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return descriptor.Files([]string{dir, "../proto", "../proto/third_party"}, []string{name})
}

// startNotes runs the backend in memory.
func startNotes(t *testing.T) (*notes, bridge.Backend) {
	t.Helper()
	source := noteFiles(t, noteProto)
	set, err := source.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found, err := set.Files().FindDescriptorByName("note.v1.NoteService")
	if err != nil {
		t.Fatal(err)
	}
	n := &notes{
		file: found.ParentFile(), watchers: map[chan struct{}]bool{}, calls: map[string]int{},
		waiting: make(chan struct{}, 1024), ended: make(chan error, 1024),
	}
	lis := bufconn.Listen(1 << 20)
	srv := grpc.NewServer(grpc.UnknownServiceHandler(n.serve))
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(lis) })
	conn, err := grpc.NewClient("passthrough:///notes",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		srv.Stop()
		wg.Wait()
	})
	return n, bridge.Backend{Name: "notes", Conn: conn, Descriptors: source}
}
