package orders

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"

	ordersv1 "github.com/mcpgrpc/bridge/gen/orders/v1"
)

const (
	// maxOperations bounds the operations that are kept; the oldest that have ended
	// make room.
	maxOperations = 100
	// keepOperation is how long an operation is kept that has ended.
	keepOperation = time.Hour
)

// export is the work of an operation. It calls progress before each part, and
// ends with the error of that or of ctx.
type export func(ctx context.Context, progress func(done, total int) error) (*ordersv1.ExportOrdersResponse, error)

// operations serves google.longrunning.Operations. Safe for concurrent use.
type operations struct {
	longrunningpb.UnimplementedOperationsServer

	ctx  context.Context //nolint:containedctx // of the work, which outlives the calls that begin it
	end  context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex
	count  int
	byName map[string]*operation
}

// operation is one export that was begun.
type operation struct {
	number int
	state  *longrunningpb.Operation // replaced, never modified
	cancel context.CancelFunc
	ended  time.Time // zero while it runs
	done   chan struct{}
}

func (o *operations) open() {
	o.ctx, o.end = context.WithCancel(context.Background())
	o.byName = map[string]*operation{}
}

func (o *operations) close() {
	o.end()
	o.work.Wait()
}

// start begins work and returns its operation as it stands.
func (o *operations) start(work export) (*longrunningpb.Operation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.makeRoom() {
		return nil, busy()
	}
	o.count++
	ctx, cancel := context.WithCancel(o.ctx)
	op := &operation{
		number: o.count,
		state:  &longrunningpb.Operation{Name: fmt.Sprintf("operations/%d", o.count)},
		cancel: cancel,
		done:   make(chan struct{}),
	}
	o.byName[op.state.GetName()] = op
	o.work.Go(func() { o.run(ctx, op, work) })
	return proto.CloneOf(op.state), nil
}

// run does the work of an operation and notes what it came to.
func (o *operations) run(ctx context.Context, op *operation, work export) {
	defer close(op.done)
	defer op.cancel()
	result, err := work(ctx, func(done, total int) error {
		return o.note(op, &ordersv1.ExportOrdersMetadata{Done: int32(done), Total: int32(total)})
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	ended := proto.CloneOf(op.state)
	ended.Done, op.ended = true, time.Now()
	conclude(ended, result, err)
	op.state = ended
}

// conclude notes what an operation has come to.
func conclude(ended *longrunningpb.Operation, result *ordersv1.ExportOrdersResponse, err error) {
	if err == nil {
		var packed *anypb.Any
		if packed, err = anypb.New(result); err == nil {
			ended.Result = &longrunningpb.Operation_Response{Response: packed}
			return
		}
	}
	ended.Result = &longrunningpb.Operation_Error{Error: status.Convert(err).Proto()}
}

// note replaces the metadata of an operation.
func (o *operations) note(op *operation, metadata *ordersv1.ExportOrdersMetadata) error {
	packed, err := anypb.New(metadata)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	next := proto.CloneOf(op.state)
	next.Metadata = packed
	op.state = next
	return nil
}

// makeRoom drops what was kept long enough, and the oldest that has ended where
// there are too many, and reports whether there is room for one more. The caller
// holds mu.
func (o *operations) makeRoom() bool {
	var oldest *operation
	for name, op := range o.byName {
		switch {
		case op.ended.IsZero():
		case time.Since(op.ended) > keepOperation:
			delete(o.byName, name)
		case oldest == nil || op.number < oldest.number:
			oldest = op
		}
	}
	if len(o.byName) >= maxOperations && oldest != nil {
		delete(o.byName, oldest.state.GetName())
	}
	return len(o.byName) < maxOperations
}

// GetOperation returns an operation as it stands.
func (o *operations) GetOperation(_ context.Context, req *longrunningpb.GetOperationRequest) (*longrunningpb.Operation, error) {
	_, state, err := o.find(req.GetName())
	return state, err
}

// find returns an operation and its state, or NOT_FOUND.
func (o *operations) find(name string) (*operation, *longrunningpb.Operation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	op := o.byName[name]
	if op == nil {
		return nil, nil, status.Errorf(codes.NotFound, "operation %q does not exist, or ended more than %v ago", name, keepOperation)
	}
	return op, proto.CloneOf(op.state), nil
}

// CancelOperation ends the work of an operation, which then has CANCELLED as its
// error. Of one that has ended it does nothing.
func (o *operations) CancelOperation(_ context.Context, req *longrunningpb.CancelOperationRequest) (*emptypb.Empty, error) {
	op, _, err := o.find(req.GetName())
	if err != nil {
		return nil, err
	}
	op.cancel()
	return &emptypb.Empty{}, nil
}

// WaitOperation returns an operation when it has ended, or as it stands when the
// time is over that the request or the call allows.
func (o *operations) WaitOperation(ctx context.Context, req *longrunningpb.WaitOperationRequest) (*longrunningpb.Operation, error) {
	op, _, err := o.find(req.GetName())
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
	_, state, err := o.find(req.GetName())
	return state, err
}

// busy says that too many exports run.
func busy() error {
	return withDetail(status.Newf(codes.ResourceExhausted, "%d exports run, which is the most", maxOperations), &errdetails.QuotaFailure{
		Violations: []*errdetails.QuotaFailure_Violation{{Subject: "operations", Description: "wait for one of them, or cancel one"}},
	})
}
