// Package operation serves google.longrunning.Operations for the sample services:
// work that goes on behind the call that began it.
package operation

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/mcpgrpc/bridge/services/violation"
)

const (
	// maxOperations bounds the operations that are kept; the oldest that have ended
	// make room.
	maxOperations = 100
	// keepOperation is how long an operation is kept that has ended.
	keepOperation = time.Hour
)

// Work is what an operation does. It says how far it has come by a message, and
// ends when ctx does, with that error. An error that is no gRPC status is UNKNOWN,
// unless it is that of a context.
type Work func(ctx context.Context, say func(metadata proto.Message) error) (response proto.Message, err error)

// Store holds operations in memory, and serves google.longrunning.Operations. Make
// it with New and close it. Safe for concurrent use.
type Store struct {
	longrunningpb.UnimplementedOperationsServer

	ctx  context.Context //nolint:containedctx // of the work, which outlives the calls that begin it
	end  context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex
	count  int
	byName map[string]*operation
}

// operation is one that was begun.
type operation struct {
	number int
	state  *longrunningpb.Operation // replaced, never modified
	cancel context.CancelFunc
	ended  time.Time // zero while it runs
	done   chan struct{}
}

// New returns a store without operations.
func New() *Store {
	s := &Store{byName: map[string]*operation{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// Close ends the work that goes on and waits for it.
func (s *Store) Close() {
	s.end()
	s.work.Wait()
}

// Register adds the service to a gRPC server that does not serve yet.
func (s *Store) Register(registrar grpc.ServiceRegistrar) {
	longrunningpb.RegisterOperationsServer(registrar, s)
}

// Start begins work and returns its operation as it stands. The error, where too
// many go on, is RESOURCE_EXHAUSTED with a google.rpc.QuotaFailure.
func (s *Store) Start(work Work) (*longrunningpb.Operation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.makeRoom() {
		return nil, busy()
	}
	s.count++
	ctx, cancel := context.WithCancel(s.ctx)
	op := &operation{
		number: s.count,
		state:  &longrunningpb.Operation{Name: fmt.Sprintf("operations/%d", s.count)},
		cancel: cancel,
		done:   make(chan struct{}),
	}
	s.byName[op.state.GetName()] = op
	s.work.Go(func() { s.run(ctx, op, work) })
	return proto.CloneOf(op.state), nil
}

// run does the work of an operation and notes what it came to.
func (s *Store) run(ctx context.Context, op *operation, work Work) {
	defer close(op.done)
	defer op.cancel()
	response, err := work(ctx, func(metadata proto.Message) error { return s.note(op, metadata) })
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := proto.CloneOf(op.state)
	ended.Done, op.ended = true, time.Now()
	conclude(ended, response, err)
	op.state = ended
}

// conclude notes what an operation has come to.
func conclude(ended *longrunningpb.Operation, response proto.Message, err error) {
	if err == nil {
		var packed *anypb.Any
		if packed, err = anypb.New(response); err == nil {
			ended.Result = &longrunningpb.Operation_Response{Response: packed}
			return
		}
	}
	st, ok := status.FromError(err)
	if !ok {
		st = status.FromContextError(err)
	}
	ended.Result = &longrunningpb.Operation_Error{Error: st.Proto()}
}

// note replaces the metadata of an operation.
func (s *Store) note(op *operation, metadata proto.Message) error {
	packed, err := anypb.New(metadata)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next := proto.CloneOf(op.state)
	next.Metadata = packed
	op.state = next
	return nil
}

// makeRoom drops what was kept long enough, and the oldest that has ended where
// there are too many, and reports whether there is room for one more. The caller
// holds mu.
func (s *Store) makeRoom() bool {
	var oldest *operation
	for name, op := range s.byName {
		switch {
		case op.ended.IsZero():
		case time.Since(op.ended) > keepOperation:
			delete(s.byName, name)
		case oldest == nil || op.number < oldest.number:
			oldest = op
		}
	}
	if len(s.byName) >= maxOperations && oldest != nil {
		delete(s.byName, oldest.state.GetName())
	}
	return len(s.byName) < maxOperations
}

// GetOperation returns an operation as it stands.
func (s *Store) GetOperation(_ context.Context, req *longrunningpb.GetOperationRequest) (*longrunningpb.Operation, error) {
	_, state, err := s.find(req.GetName())
	return state, err
}

// find returns an operation and its state, or NOT_FOUND.
func (s *Store) find(name string) (*operation, *longrunningpb.Operation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	op := s.byName[name]
	if op == nil {
		return nil, nil, status.Errorf(codes.NotFound, "operation %q does not exist, or ended more than %v ago", name, keepOperation)
	}
	return op, proto.CloneOf(op.state), nil
}

// CancelOperation ends the work of an operation, which then has CANCELLED as its
// error. Of one that has ended it does nothing.
func (s *Store) CancelOperation(_ context.Context, req *longrunningpb.CancelOperationRequest) (*emptypb.Empty, error) {
	op, _, err := s.find(req.GetName())
	if err != nil {
		return nil, err
	}
	op.cancel()
	return &emptypb.Empty{}, nil
}

// WaitOperation returns an operation when it has ended, or as it stands when the
// time is over that the request or the call allows.
func (s *Store) WaitOperation(ctx context.Context, req *longrunningpb.WaitOperationRequest) (*longrunningpb.Operation, error) {
	op, _, err := s.find(req.GetName())
	if err != nil {
		return nil, err
	}
	if d := req.GetTimeout(); d != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.AsDuration())
		defer cancel()
	}
	select {
	case <-op.done:
	case <-ctx.Done():
	}
	_, state, err := s.find(req.GetName())
	return state, err
}

// busy says that too many operations go on.
func busy() error {
	return violation.With(status.Newf(codes.ResourceExhausted, "%d operations go on, which is the most", maxOperations),
		&errdetails.QuotaFailure{
			Violations: []*errdetails.QuotaFailure_Violation{{Subject: "operations", Description: "wait for one of them, or cancel one"}},
		})
}
