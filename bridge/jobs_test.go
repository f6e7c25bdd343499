package bridge_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge"
)

// jobProto is a service with an operation, and a method that is a task for those who have tasks; and both for those alone.
const jobProto = `syntax = "proto3";
package job.v1;
import "bridge/v1/annotations.proto";
import "google/longrunning/operations.proto";
import "google/protobuf/empty.proto";

// Does jobs.
service JobService {
  // Starts a job.
  rpc Start(google.protobuf.Empty) returns (google.longrunning.Operation);
  // Works.
  rpc Work(google.protobuf.Empty) returns (google.protobuf.Empty) {
    option (bridge.v1.method).task = TASK_MODE_OPTIONAL;
  }
  // Launches a job, as a task and in no other way.
  rpc Launch(google.protobuf.Empty) returns (google.longrunning.Operation) {
    option (bridge.v1.method).task = TASK_MODE_REQUIRED;
  }
  // Toils, as a task and in no other way.
  rpc Toil(google.protobuf.Empty) returns (google.protobuf.Empty) {
    option (bridge.v1.method).task = TASK_MODE_REQUIRED;
  }
  // Reports, as a task.
  rpc Report(google.protobuf.Empty) returns (stream google.protobuf.Empty) {
    option (bridge.v1.method).task = TASK_MODE_OPTIONAL;
  }
}
`

// jobs is a backend that answers each method as a test says.
type jobs struct {
	answer func(ctx context.Context, method string) (proto.Message, error)

	mu    sync.Mutex
	calls map[string]int
	named []string // what was asked for by name
}

// serve answers one call.
func (j *jobs) serve(_ any, stream grpc.ServerStream) error {
	path, _ := grpc.MethodFromServerStream(stream)
	method := path[strings.LastIndexByte(path, '/')+1:]
	request := &longrunningpb.GetOperationRequest{}
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	j.mu.Lock()
	j.calls[method]++
	if request.GetName() != "" {
		j.named = append(j.named, request.GetName())
	}
	j.mu.Unlock()
	reply, err := j.answer(stream.Context(), method)
	if err != nil {
		return err
	}
	for err == nil && method == "Report" { // it has no end of its own
		err = stream.SendMsg(reply)
	}
	return stream.SendMsg(reply)
}

// called says how often a method was called.
func (j *jobs) called(method string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.calls[method]
}

// startJobs runs a backend of jobs in memory.
func startJobs(t *testing.T, answer func(ctx context.Context, method string) (proto.Message, error)) (*jobs, bridge.Backend) {
	t.Helper()
	j := &jobs{answer: answer, calls: map[string]int{}}
	lis := bufconn.Listen(1 << 20)
	srv := grpc.NewServer(grpc.UnknownServiceHandler(j.serve))
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(lis) })
	conn, err := grpc.NewClient("passthrough:///jobs",
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
	return j, bridge.Backend{Name: "jobs", Conn: conn, Descriptors: protoFiles(t, "job.proto", jobProto)}
}
