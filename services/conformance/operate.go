package conformance

import (
	"context"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	conformancev1 "github.com/mcpgrpc/bridge/gen/conformance/v1"
)

// longrunning is an operation.
type longrunning = longrunningpb.Operation

// operate answers with an operation that comes to a result after so many seconds,
// and is done at once where there are none.
func (i *interaction) operate(_ context.Context, seconds int32, result proto.Message) (*longrunning, error) {
	if seconds > 0 {
		return i.operations.Start(func(ctx context.Context, say func(proto.Message) error) (proto.Message, error) {
			for ; seconds > 0; seconds-- {
				if err := say(&conformancev1.OperationMetadata{SecondsLeft: seconds}); err != nil {
					return nil, err
				}
				if err := pause(ctx, time.Second); err != nil {
					return nil, err
				}
			}
			return result, nil
		})
	}
	packed, err := anypb.New(result)
	if err != nil {
		return nil, err
	}
	return &longrunning{Name: "operations/done", Done: true, Result: &longrunningpb.Operation_Response{Response: packed}}, nil
}
