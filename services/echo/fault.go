package echo

import (
	"context"
	"time"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

// unknownType is the type of details that no program can resolve.
const unknownType = "type.googleapis.com/nobody.v1.Unknown"

// Delay returns after the requested time, or with the status of ctx when that
// ends first.
func (s *Server) Delay(ctx context.Context, req *echov1.DelayRequest) (*echov1.DelayResponse, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	count := s.executions.begin(req.GetKey())
	start := time.Now()
	if err := pause(ctx, req.GetDelay()); err != nil {
		return nil, err
	}
	return &echov1.DelayResponse{Waited: durationpb.New(time.Since(start)), Executions: count}, nil
}

// pause waits for d, or returns the status of ctx when that ends first.
func pause(ctx context.Context, d *durationpb.Duration) error {
	timer := time.NewTimer(d.AsDuration())
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}

// Fail returns the requested status.
func (s *Server) Fail(_ context.Context, req *echov1.FailRequest) (*echov1.FailResponse, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	count := s.executions.begin(req.GetKey())
	usedUp := req.GetTimes() > 0 && count > int64(req.GetTimes())
	if codes.Code(req.GetCode()) == codes.OK || usedUp {
		return &echov1.FailResponse{Executions: count}, nil
	}
	failure := &statuspb.Status{Code: int32(req.GetCode()), Message: req.GetMessage()}
	for i, detail := range req.GetDetails() {
		packed, err := pack(detail)
		if err != nil {
			return nil, violation.Error(violation.Field("details", "detail %d: %v", i, err))
		}
		failure.Details = append(failure.Details, packed)
	}
	return nil, status.ErrorProto(failure)
}

// pack turns a detail into what a status carries; one with no member set is an
// unknown detail without bytes.
func pack(detail *echov1.Detail) (*anypb.Any, error) {
	var message proto.Message
	switch d := detail.GetDetail().(type) {
	case *echov1.Detail_Other:
		return d.Other, nil
	case *echov1.Detail_ErrorInfo:
		message = d.ErrorInfo
	case *echov1.Detail_RetryInfo:
		message = d.RetryInfo
	case *echov1.Detail_DebugInfo:
		message = d.DebugInfo
	case *echov1.Detail_QuotaFailure:
		message = d.QuotaFailure
	case *echov1.Detail_PreconditionFailure:
		message = d.PreconditionFailure
	case *echov1.Detail_BadRequest:
		message = d.BadRequest
	case *echov1.Detail_RequestInfo:
		message = d.RequestInfo
	case *echov1.Detail_ResourceInfo:
		message = d.ResourceInfo
	case *echov1.Detail_Help:
		message = d.Help
	case *echov1.Detail_LocalizedMessage:
		message = d.LocalizedMessage
	default:
		return &anypb.Any{TypeUrl: unknownType, Value: detail.GetUnknown()}, nil
	}
	return anypb.New(message)
}
