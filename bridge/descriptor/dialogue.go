package descriptor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
)

// The two versions of the reflection protocol differ in the name of the package alone, so the messages of v1 serve for
// both.
const (
	methodV1      = reflectionpb.ServerReflection_ServerReflectionInfo_FullMethodName
	methodV1Alpha = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
)

// dialogue is one reflection stream, question by question. Not safe for concurrent use.
//
// A server is meant to answer a question that it cannot answer with an error response; some (tonic) end the stream
// instead. The status is then taken for the answer, and the next question goes out on a new stream.
type dialogue struct {
	conn   grpc.ClientConnInterface
	method string
	limits Limits
	stream grpc.ClientStream // nil: to be opened
}

// close says that there are no more questions. The stream itself ends with its context, whether the server agrees or
// not.
func (d *dialogue) close() {
	if d.stream != nil {
		_ = d.stream.CloseSend() // the stream is being abandoned
	}
}

// ask returns the answer to one question, which may be an error response. A stream that ended in good order before it
// answered is opened again once.
func (d *dialogue) ask(
	ctx context.Context, question *reflectionpb.ServerReflectionRequest,
) (*reflectionpb.ServerReflectionResponse, error) {
	answer, err := d.exchange(ctx, question)
	if errors.Is(err, io.EOF) {
		answer, err = d.exchange(ctx, question)
	}
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the server ended the stream without an answer")
	}
	if err != nil {
		return nil, d.explain(ctx, err)
	}
	return answer, nil
}

func (d *dialogue) exchange(
	ctx context.Context, question *reflectionpb.ServerReflectionRequest,
) (*reflectionpb.ServerReflectionResponse, error) {
	if d.stream == nil {
		stream, err := d.open(ctx)
		if err != nil {
			return nil, err
		}
		d.stream = stream
	}
	// Send reports a stream that has ended as EOF and leaves it to Recv to tell why.
	if err := d.stream.SendMsg(question); err != nil && !errors.Is(err, io.EOF) {
		d.stream = nil
		return nil, err
	}
	answer := new(reflectionpb.ServerReflectionResponse)
	if err := d.stream.RecvMsg(answer); err != nil {
		d.stream = nil
		return nil, err
	}
	return answer, nil
}

func (d *dialogue) open(ctx context.Context) (grpc.ClientStream, error) {
	shape := &grpc.StreamDesc{StreamName: "ServerReflectionInfo", ServerStreams: true, ClientStreams: true}
	largest := int(min(d.limits.Bytes, math.MaxInt32))
	return d.conn.NewStream(ctx, shape, d.method, grpc.MaxCallRecvMsgSize(largest))
}

// explain replaces what grpc-go reports when a limit was hit by the limit.
func (d *dialogue) explain(ctx context.Context, err error) error {
	code := status.Code(err)
	if deadline, ok := ctx.Deadline(); ok && code == codes.DeadlineExceeded && time.Until(deadline) < time.Second {
		<-ctx.Done() // the server's clock was a little ahead of ours
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if code == codes.ResourceExhausted && strings.Contains(err.Error(), "larger than max") {
		return d.limits.bytesError()
	}
	return cleaned(err)
}

// final reports whether an error means that further questions are pointless. All other codes are taken for an answer to
// the one question.
func final(err error) bool {
	if errors.Is(err, ErrLimit) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	return passing(err)
}

// passing reports whether a failure is one of the moment, which says nothing about what was asked for.
func passing(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded, codes.ResourceExhausted:
		return true
	}
	return false
}

// unexpected describes an answer that is not what was asked for: most often an error response, whose text the server
// wrote.
func unexpected(answer *reflectionpb.ServerReflectionResponse) error {
	refusal := answer.GetErrorResponse()
	if refusal == nil {
		return fmt.Errorf("the answer is a %T", answer.GetMessageResponse())
	}
	code := codes.Code(refusal.GetErrorCode())
	if code == codes.OK { // of which status.Error would make no error at all
		code = codes.Unknown
	}
	return status.Error(code, plain(refusal.GetErrorMessage()))
}

// cleaned makes the text of a status, which a server wrote, fit for the terminal of whoever reads the error.
func cleaned(err error) error {
	answer, ok := status.FromError(err)
	if !ok {
		return err
	}
	return status.Error(answer.Code(), plain(answer.Message()))
}

// said words a failure for a [Problem]: what the server wrote, then the name of the code.
func said(err error) string {
	answer, ok := status.FromError(err)
	if !ok {
		return err.Error()
	}
	return fmt.Sprintf("%s (%s)", answer.Message(), answer.Code())
}
