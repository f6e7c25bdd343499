package descriptor_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/reflection"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	alphapb "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// dial starts a server in memory and connects to it. Both end with the test.
func dial(t testing.TB, server *grpc.Server) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		server.Stop()
		if err := <-done; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			t.Errorf("serve: %v", err)
		}
	})
	return conn
}

// genuine returns grpc-go's own reflection service, in both versions, over the files and services of a set.
func genuine(set *descriptor.Set) reflection.ServerOptions {
	return reflection.ServerOptions{Services: provider{set}, DescriptorResolver: set.Files()}
}

// provider lists the services of a set.
type provider struct{ set *descriptor.Set }

// GetServiceInfo lists names; reflection wants no more.
func (p provider) GetServiceInfo() map[string]grpc.ServiceInfo {
	info := make(map[string]grpc.ServiceInfo)
	for _, name := range services(p.set) {
		info[name] = grpc.ServiceInfo{}
	}
	return info
}

func genuineV1(set *descriptor.Set, opts ...grpc.ServerOption) *grpc.Server {
	server := grpc.NewServer(opts...)
	reflectionpb.RegisterServerReflectionServer(server, reflection.NewServerV1(genuine(set)))
	return server
}

func genuineV1Alpha(set *descriptor.Set) *grpc.Server {
	server := grpc.NewServer()
	alphapb.RegisterServerReflectionServer(server, reflection.NewServer(genuine(set)))
	return server
}

// script is a reflection server that says what it is told to. What a map lacks is answered NOT_FOUND.
type script struct {
	reflectionpb.UnimplementedServerReflectionServer

	lists   []string
	list    *reply // in place of lists
	symbols map[string]reply
	files   map[string]reply
	streams func() // called when a stream opens
}

// reply is one answer: files in their wire form, an error response, or the end of the stream.
type reply struct {
	files   [][]byte
	refusal *reflectionpb.ErrorResponse
	end     error
	wrong   bool // an answer of the wrong kind
	close   bool // the end of the stream in good order
}

// files returns a reply of file descriptors.
func files(t testing.TB, protos ...*descriptorpb.FileDescriptorProto) reply {
	t.Helper()
	var r reply
	for _, file := range protos {
		data, err := proto.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		r.files = append(r.files, data)
	}
	return r
}

func refusal(code codes.Code, text string) reply {
	return reply{refusal: &reflectionpb.ErrorResponse{ErrorCode: int32(code), ErrorMessage: text}}
}

func (s *script) server(opts ...grpc.ServerOption) *grpc.Server {
	server := grpc.NewServer(opts...)
	reflectionpb.RegisterServerReflectionServer(server, s)
	return server
}

// ServerReflectionInfo answers from the script.
func (s *script) ServerReflectionInfo(stream reflectionpb.ServerReflection_ServerReflectionInfoServer) error {
	if s.streams != nil {
		s.streams()
	}
	for {
		request, err := stream.Recv()
		if err != nil {
			return nil //nolint:nilerr // the client has hung up
		}
		r := s.reply(request)
		if r.end != nil || r.close {
			return r.end
		}
		if err := stream.Send(s.response(r)); err != nil {
			return err
		}
	}
}

func (s *script) reply(request *reflectionpb.ServerReflectionRequest) reply {
	switch ask := request.GetMessageRequest().(type) {
	case *reflectionpb.ServerReflectionRequest_FileContainingSymbol:
		if r, ok := s.symbols[ask.FileContainingSymbol]; ok {
			return r
		}
		return refusal(codes.NotFound, "Symbol not found: "+ask.FileContainingSymbol)
	case *reflectionpb.ServerReflectionRequest_FileByFilename:
		if r, ok := s.files[ask.FileByFilename]; ok {
			return r
		}
		return refusal(codes.NotFound, "File not found: "+ask.FileByFilename)
	}
	if s.list != nil {
		return *s.list
	}
	return reply{wrong: true}
}

// response is the reply as a message; a reply of the wrong kind is the list of services, which is the right one for
// that question alone.
func (s *script) response(r reply) *reflectionpb.ServerReflectionResponse {
	switch {
	case r.wrong:
		list := &reflectionpb.ListServiceResponse{}
		for _, name := range s.lists {
			list.Service = append(list.Service, &reflectionpb.ServiceResponse{Name: name})
		}
		return &reflectionpb.ServerReflectionResponse{
			MessageResponse: &reflectionpb.ServerReflectionResponse_ListServicesResponse{ListServicesResponse: list},
		}
	case r.refusal != nil:
		return &reflectionpb.ServerReflectionResponse{
			MessageResponse: &reflectionpb.ServerReflectionResponse_ErrorResponse{ErrorResponse: r.refusal},
		}
	}
	return &reflectionpb.ServerReflectionResponse{
		MessageResponse: &reflectionpb.ServerReflectionResponse_FileDescriptorResponse{
			FileDescriptorResponse: &reflectionpb.FileDescriptorResponse{FileDescriptorProto: r.files},
		},
	}
}

// noise is a server that answers every call with bytes that are no message.
func noise() *grpc.Server {
	return grpc.NewServer(grpc.ForceServerCodecV2(rawCodec{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		var question []byte
		if err := stream.RecvMsg(&question); err != nil {
			return err
		}
		return stream.SendMsg([]byte("\xff\xff\xff"))
	}))
}

// rawCodec passes bytes through.
type rawCodec struct{}

// Name is that of the content type.
func (rawCodec) Name() string { return "proto" }

// Marshal takes []byte.
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	data, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("marshal %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(data)}, nil
}

// Unmarshal fills a *[]byte.
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	target, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("unmarshal %T", v)
	}
	*target = data.Materialize()
	return nil
}
