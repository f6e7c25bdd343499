package echo_test

import (
	"context"
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/descriptorpb"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	"github.com/mcpgrpc/bridge/services/echo"
)

// connect serves an echo service in memory and returns a connection to it.
func connect(t *testing.T) *grpc.ClientConn {
	t.Helper()
	lis := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	echo.New().Register(server)
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
	return conn
}

// dial returns a client of an echo service in memory.
func dial(t *testing.T) echov1.EchoServiceClient {
	t.Helper()
	return echov1.NewEchoServiceClient(connect(t))
}

func requireCode(t *testing.T, err error, want codes.Code) {
	t.Helper()
	if status.Code(err) != want {
		t.Errorf("error = %v, want %v", err, want)
	}
}

// TestEcho sends the messages whose JSON the comments of the fields show.
func TestEcho(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"nothing":         `{}`,
		"greatest int64":  `{"singleInt64": "9223372036854775807", "mapInt64String": {"-9007199254740993": "x"}}`,
		"optional zero":   `{"optionalInt32": 0, "optionalString": ""}`,
		"alias":           `{"singleColor": "COLOR_CRIMSON", "repeatedColor": ["COLOR_BLUE", 77]}`,
		"recursion":       `{"child": {"children": [{"branch": {"leaves": [{"everything": {"singleBool": true}}]}}]}}`,
		"null in a oneof": `{"choiceNull": null}`,
		"empty in oneof":  `{"choiceEmpty": {}}`,
		"any":             `{"any": {"@type": "type.googleapis.com/echo.v1.Nested", "id": "1"}}`,
		"values":          `{"value": [1, null], "struct": {"a": {"b": []}}, "repeatedValue": [null]}`,
		"far":             `{"far": 1, "customName": "x"}`,
	}
	client := dial(t)
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := &echov1.Everything{}
			if err := protojson.Unmarshal([]byte(text), want); err != nil {
				t.Fatal(err)
			}
			res, err := client.Echo(t.Context(), &echov1.EchoRequest{Everything: want})
			if diff := cmp.Diff(want, res.GetEverything(), protocmp.Transform()); err != nil || diff != "" {
				t.Errorf("everything, %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestEverythingHasEveryKind counts what the message is there for: each scalar
// kind on its own, optional, in a list and as the value of a map, and each kind
// of map key.
func TestEverythingHasEveryKind(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	fields := (&echov1.Everything{}).ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		switch {
		case fd.IsMap():
			seen["key "+fd.MapKey().Kind().String()] = true
			seen["value "+fd.MapValue().Kind().String()] = true
		case fd.IsList():
			seen["list "+fd.Kind().String()] = true
		case fd.HasOptionalKeyword():
			seen["optional "+fd.Kind().String()] = true
		case fd.ContainingOneof() != nil:
			seen["oneof "+fd.Kind().String()] = true
		default:
			seen["single "+fd.Kind().String()] = true
		}
	}
	for kind := protoreflect.Kind(1); kind.IsValid(); kind++ {
		if kind == protoreflect.GroupKind {
			continue // not in proto3
		}
		want := []string{"single", "list", "value"}
		switch kind {
		case protoreflect.MessageKind:
		case protoreflect.DoubleKind, protoreflect.FloatKind, protoreflect.BytesKind, protoreflect.EnumKind:
			want = append(want, "optional")
		default:
			want = append(want, "optional", "key")
		}
		for _, w := range want {
			if !seen[w+" "+kind.String()] {
				t.Errorf("no field is a %s %v", w, kind)
			}
		}
	}
}

// TestRules breaks the rules of the .proto file.
func TestRules(t *testing.T) {
	t.Parallel()
	client := dial(t)
	tests := map[string]func(ctx context.Context) error{
		"size too large": func(ctx context.Context) error {
			_, err := client.Size(ctx, &echov1.SizeRequest{PayloadBytes: 1 << 30})
			return err
		},
		"no key": func(ctx context.Context) error {
			_, err := client.Executions(ctx, &echov1.ExecutionsRequest{})
			return err
		},
		"negative times": func(ctx context.Context) error {
			_, err := client.Fail(ctx, &echov1.FailRequest{Times: -1})
			return err
		},
		"irregularity that does not exist": func(ctx context.Context) error {
			_, err := client.Irregular(ctx, &echov1.IrregularRequest{Irregularities: []echov1.Irregularity{99}})
			return err
		},
		"irregularity zero": func(ctx context.Context) error {
			_, err := client.Irregular(ctx, &echov1.IrregularRequest{Irregularities: make([]echov1.Irregularity, 1)})
			return err
		},
		"count too far": func(ctx context.Context) error {
			stream, err := client.Count(ctx, &echov1.CountRequest{Limit: -1})
			if err != nil {
				return err
			}
			_, err = stream.Recv()
			return err
		},
	}
	for name, do := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireCode(t, do(t.Context()), codes.InvalidArgument)
		})
	}
}

// TestDescriptorSet shows that the set stands alone, that it is the set of the
// generated code, and that it carries comments.
func TestDescriptorSet(t *testing.T) {
	t.Parallel()
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(echo.DescriptorSet(), &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	file, err := files.FindFileByPath("echo/v1/echo.proto")
	if err != nil {
		t.Fatal(err)
	}
	embedded, generated := protodesc.ToFileDescriptorProto(file), protodesc.ToFileDescriptorProto(echov1.File_echo_v1_echo_proto)
	embedded.SourceCodeInfo = nil
	if !proto.Equal(embedded, generated) {
		t.Error("the embedded descriptor differs from the generated one; run make generate")
	}
	fields := file.Messages().ByName("Everything").Fields()
	for i := range fields.Len() {
		if file.SourceLocations().ByDescriptor(fields.Get(i)).LeadingComments == "" {
			t.Errorf("%s has no comment", fields.Get(i).FullName())
		}
	}
}
