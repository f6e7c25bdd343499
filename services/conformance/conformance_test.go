package conformance_test

import (
	"bytes"
	"context"
	"image/png"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	conformancev1 "github.com/mcpgrpc/bridge/gen/conformance/v1"
	"github.com/mcpgrpc/bridge/services/conformance"
)

// dial serves the fixture in memory and returns a client of it.
func dial(t *testing.T) conformancev1.ConformanceServiceClient {
	t.Helper()
	lis := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	conformance.New().Register(server)
	served := make(chan error, 1)
	go func() { served <- server.Serve(lis) }()
	conn, err := grpc.NewClient("passthrough:///memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		server.Stop()
		<-served
	})
	return conformancev1.NewConformanceServiceClient(conn)
}

// kinds names what the blocks are.
func kinds(blocks ...*bridgev1.Content) string {
	var names []string
	for _, b := range blocks {
		block := b.ProtoReflect()
		if which := block.WhichOneof(block.Descriptor().Oneofs().ByName("block")); which != nil {
			names = append(names, string(which.Name()))
		}
	}
	return strings.Join(names, " ")
}

func TestToolContent(t *testing.T) {
	t.Parallel()
	s, ctx := conformance.New(), t.Context()
	tests := map[string]struct {
		call func() (*bridgev1.Content, error)
		want string
	}{
		"text":        {func() (*bridgev1.Content, error) { return s.SimpleText(ctx, nil) }, "text"},
		"picture":     {func() (*bridgev1.Content, error) { return s.ImageContent(ctx, nil) }, "image"},
		"resource":    {func() (*bridgev1.Content, error) { return s.EmbeddedResource(ctx, nil) }, "resource"},
		"capability":  {func() (*bridgev1.Content, error) { return s.MissingCapability(ctx, nil) }, "text"},
		"extra":       {func() (*bridgev1.Content, error) { return s.ExtraTool(ctx, nil) }, "text"},
		"simple":      {func() (*bridgev1.Content, error) { m, err := s.SimplePrompt(ctx, nil); return m.GetContent(), err }, "text"},
		"extraprompt": {func() (*bridgev1.Content, error) { m, err := s.ExtraPrompt(ctx, nil); return m.GetContent(), err }, "text"},
	}
	for name, tt := range tests {
		got, err := tt.call()
		if err != nil || kinds(got) != tt.want {
			t.Errorf("%s: got %v, %v, want a block of %s", name, got, err, tt.want)
		}
	}
	mixed, err := s.MultipleContentTypes(ctx, nil)
	if got := kinds(mixed.GetBlocks()...); err != nil || got != "text image resource" {
		t.Errorf("mixed content is %s, %v", got, err)
	}
}

// TestMedia decodes the picture and looks at the sound's lengths.
func TestMedia(t *testing.T) {
	t.Parallel()
	s := conformance.New()
	picture, err := s.StaticBinary(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.Decode(bytes.NewReader(picture.GetBlob())); err != nil || img.Bounds().Dx() != 1 {
		t.Errorf("the picture is none of one pixel: %v", err)
	}
	sound, err := s.AudioContent(t.Context(), nil)
	data := sound.GetData()
	if err != nil || sound.GetContentType() != "audio/wav" || len(data) < 44 || int(data[4]) != len(data)-8 || int(data[40]) != len(data)-44 {
		t.Errorf("the sound is no WAV: %v, %x", err, data)
	}
}

func TestErrorHandling(t *testing.T) {
	t.Parallel()
	if _, err := dial(t).ErrorHandling(t.Context(), &conformancev1.ErrorHandlingRequest{}); status.Code(err) != codes.Internal {
		t.Errorf("got %v, want INTERNAL", err)
	}
}

// TestArguments: what comes in is seen in what goes out.
func TestArguments(t *testing.T) {
	t.Parallel()
	s, ctx := conformance.New(), t.Context()
	greeting, _ := s.Greet(ctx, &conformancev1.GreetRequest{Name: "World"})
	header, _ := s.McpHeader(ctx, &conformancev1.McpHeaderRequest{Region: "north", Level: 3})
	contact, _ := s.JsonSchema(ctx, &conformancev1.JsonSchemaRequest{Name: "Ann", ContactMethod: "phone", Phone: "123"})
	data, _ := s.TemplateData(ctx, &conformancev1.TemplateDataRequest{Id: "123"})
	prompt, _ := s.PromptWithArguments(ctx, &conformancev1.PromptWithArgumentsRequest{Arg1: "one", Arg2: "two"})
	resource, _ := s.PromptWithEmbeddedResource(ctx, &conformancev1.PromptWithEmbeddedResourceRequest{ResourceUri: "test://x"})
	got := []any{
		greeting.GetText().GetText(),
		header.GetRegion(), header.GetLevel(), contact.GetSummary(), data.GetId(), data.GetData(),
		prompt.GetContent().GetText().GetText(), resource.GetMessages()[0].GetContent().GetResource().GetUri(),
	}
	want := []any{
		"Hello, World!",
		"north", int32(3), `"Ann" is reached by "phone": phone "123", email "".`, "123", "Data for ID: 123",
		"Prompt with arguments: arg1='one', arg2='two'", "test://x",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestUnlisted: each trigger changes what it says and nothing else.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	const tool, prompt = "conformance.v1.ExtraToolService", "conformance.v1.ExtraPromptService"
	s, ctx := conformance.New(), t.Context()
	var got [][]string
	note := func() { got = append(got, s.Unlisted()) }
	note()
	if res, err := s.TriggerToolChange(ctx, nil); err != nil || !res.GetOffered() {
		t.Errorf("the first change of tools = %v, %v", res, err)
	}
	note()
	if res, err := s.TriggerPromptChange(ctx, nil); err != nil || !res.GetOffered() {
		t.Errorf("the first change of prompts = %v, %v", res, err)
	}
	note()
	if res, err := s.TriggerToolChange(ctx, nil); err != nil || res.GetOffered() {
		t.Errorf("the second change of tools = %v, %v", res, err)
	}
	note()
	if diff := cmp.Diff([][]string{{tool, prompt}, {prompt}, nil, {tool}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReconnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		res, err := conformance.New().Reconnection(t.Context(), nil)
		if err != nil || kinds(res) != "text" || time.Since(began) != 500*time.Millisecond {
			t.Errorf("got %v, %v after %v", res, err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := conformance.New().Reconnection(ctx, nil); status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("got %v, want DEADLINE_EXCEEDED", err)
		}
	})
}

// TestWatch: who watches is told of changes, and not of what was before.
func TestWatch(t *testing.T) {
	t.Parallel()
	client := dial(t)
	change := func(want int32) {
		t.Helper()
		res, err := client.ChangeWatchedResource(t.Context(), &conformancev1.ChangeWatchedResourceRequest{})
		if err != nil || res.GetChanges() != want {
			t.Fatalf("change = %v, %v, want %d", res, err, want)
		}
	}
	change(1)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	watch, err := client.WatchWatchedResource(ctx, &conformancev1.WatchWatchedResourceRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := watch.Header(); err != nil {
		t.Fatal(err)
	}
	for i := range int32(3) {
		change(i + 2)
		if _, err := watch.Recv(); err != nil {
			t.Fatal(err)
		}
	}
	res, err := client.WatchedResource(t.Context(), &conformancev1.WatchedResourceRequest{})
	if err != nil || res.GetChanges() != 4 {
		t.Errorf("the resource holds %v, %v, want 4 changes", res, err)
	}
	leave()
	if _, err := watch.Recv(); status.Code(err) != codes.Canceled {
		t.Errorf("after leaving: %v, want CANCELLED", err)
	}
}
