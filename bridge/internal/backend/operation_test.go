package backend_test

import (
	"context"
	"testing"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/mcpgrpc/bridge/bridge/ask"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// operations is a service of operations, by their names.
type operations struct {
	longrunningpb.UnimplementedOperationsServer
	byName    map[string]*longrunningpb.Operation
	cancelled chan string
}

func (o *operations) GetOperation(_ context.Context, in *longrunningpb.GetOperationRequest) (*longrunningpb.Operation, error) {
	if op := o.byName[in.GetName()]; op != nil {
		return op, nil
	}
	return nil, status.Errorf(codes.NotFound, "no operation %q", in.GetName())
}

func (o *operations) CancelOperation(_ context.Context, in *longrunningpb.CancelOperationRequest) (*emptypb.Empty, error) {
	o.cancelled <- in.GetName()
	return &emptypb.Empty{}, nil
}

// packed is a message as an Any.
func packed(t *testing.T, m proto.Message) *anypb.Any {
	t.Helper()
	a, err := anypb.New(m)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// failedAs is an operation that ended with a status.
func failedAs(name string, st *spb.Status) *longrunningpb.Operation {
	return &longrunningpb.Operation{Name: name, Done: true, Result: &longrunningpb.Operation_Error{Error: st}}
}

// TestOperations: operations are asked for and cancelled at the same server, whether its descriptors know them or not.
func TestOperations(t *testing.T) {
	t.Parallel()
	half, done := packed(t, wrapperspb.String("half")), packed(t, wrapperspb.String("all of it"))
	service := &operations{cancelled: make(chan string, 1), byName: map[string]*longrunningpb.Operation{
		"runs":  {Name: "runs", Metadata: half},
		"done":  {Name: "done", Done: true, Result: &longrunningpb.Operation_Response{Response: done}},
		"fails": failedAs("fails", &spb.Status{Code: int32(codes.Aborted), Message: "changed"}),
		"gone":  failedAs("gone", &spb.Status{Code: int32(codes.Unavailable), Message: "a disk"}),
		"odd":   failedAs("odd", &spb.Status{Message: "no code"}),
		"asks":  failedAs("asks", status.Convert(ask.Require(ask.Roots("where"))).Proto()),
	}}
	l := memory()
	server := grpc.NewServer()
	longrunningpb.RegisterOperationsServer(server, service)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	conn := dial(t, l)
	for _, messages := range []bool{false, true} {
		b := newBackend(t, backend.Config{Conn: conn, Messages: messages})
		for name, tt := range map[string]struct {
			done    bool
			code    codes.Code
			outcome backend.Execution
		}{
			"runs": {false, codes.OK, ""}, "done": {true, codes.OK, ""}, "fails": {true, codes.Aborted, backend.Executed},
			"gone": {true, codes.Unavailable, backend.Executed}, "odd": {true, codes.Unknown, backend.Executed},
			"asks": {true, codes.Internal, backend.Executed},
		} {
			op, f := b.GetOperation(t.Context(), name)
			if f != nil {
				t.Errorf("%s: %v", name, f)
				continue
			}
			if op.Name != name || op.Done != tt.done || (op.Error == nil) != (tt.code == codes.OK) {
				t.Errorf("%s: got %+v", name, op)
			}
			if op.Error != nil && (op.Error.Code != tt.code || op.Error.Execution != tt.outcome || op.Error.Input != nil) {
				t.Errorf("%s: failed as %+v", name, op.Error)
			}
			if op.Error != nil && op.Error.Retryable {
				t.Errorf("%s: what began it may not be repeatable", name)
			}
			checkWire(t, op, service.byName[name])
		}
		_, f := b.GetOperation(t.Context(), "none")
		check(t, f, codes.NotFound, backend.Executed)
		if f := b.CancelOperation(t.Context(), "runs"); f != nil || <-service.cancelled != "runs" {
			t.Errorf("cancelled: %v", f)
		}
	}
}

// checkWire holds the bytes of an operation against what was sent.
func checkWire(t *testing.T, got *backend.Operation, want *longrunningpb.Operation) {
	t.Helper()
	var whole longrunningpb.Operation
	if err := proto.Unmarshal(got.Raw, &whole); err != nil || !proto.Equal(&whole, want) {
		t.Errorf("%s: got %v (%v)", want.GetName(), &whole, err)
	}
	var metadata anypb.Any
	if err := proto.Unmarshal(got.Metadata, &metadata); err != nil ||
		want.GetMetadata() != nil && !proto.Equal(&metadata, want.GetMetadata()) {
		t.Errorf("%s: metadata %v (%v)", want.GetName(), &metadata, err)
	}
}

// TestNoOperation: bytes that are none are refused, wherever they end.
func TestNoOperation(t *testing.T) {
	t.Parallel()
	b, do := newBackend(t, backend.Config{}), compile(t).method("Do")
	wire, err := proto.Marshal(failedAs("operations/7", &spb.Status{Code: 5, Message: "none"}))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for n := range wire {
		if _, err := b.ReadOperation(do, wire[:n]); err == nil {
			read++
		}
	}
	if read > 3 { // at the bounds of its three fields
		t.Errorf("%d of the beginnings are operations", read)
	}
	if _, err := b.ReadOperation(do, []byte{0x18, 1, 0x22, 2, 0x0a, 5}); err == nil {
		t.Error("an error that is no status is read")
	}
}
