// Package violation is how the sample services refuse a request: one
// INVALID_ARGUMENT status that carries every fault as a field violation of
// google.rpc.BadRequest, whether a protovalidate rule of the .proto file was
// broken or a rule that only code can check. What is refused for another reason
// is a status of the service's own, [With] its detail.
//
// Services call it inside their handlers, not as an interceptor, so that they
// refuse the same requests on whichever server they are registered.
package violation

import (
	"errors"
	"fmt"
	"strings"

	"buf.build/go/protovalidate"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
)

// Check holds message against the buf.validate rules of its descriptor. It
// returns nil when all hold, else an INVALID_ARGUMENT status as Error makes it.
// Paths of fields start with prefix and a dot, unless prefix is empty. A rule
// that cannot be evaluated is the service's own fault: INTERNAL. Check is safe
// for concurrent use.
func Check(prefix string, message proto.Message) error {
	err := protovalidate.Validate(message)
	var broken *protovalidate.ValidationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &broken):
		return Error(fields(prefix, broken)...)
	default:
		return status.Errorf(codes.Internal, "rules of %s: %v", message.ProtoReflect().Descriptor().FullName(), err)
	}
}

// Field is one fault: path is that of a field in proto names, such as
// "book.page_count" or "tags[2]", and the rest a sentence as for fmt.Sprintf
// that says what is wrong and how to mend it.
func Field(path, format string, args ...any) *errdetails.BadRequest_FieldViolation {
	return &errdetails.BadRequest_FieldViolation{Field: path, Description: fmt.Sprintf(format, args...)}
}

// Error is the INVALID_ARGUMENT status for one or more faults. Its message is
// their text, its detail a google.rpc.BadRequest with each of them.
func Error(faults ...*errdetails.BadRequest_FieldViolation) error {
	texts := make([]string, len(faults))
	for i, fault := range faults {
		texts[i] = fault.GetDescription()
		if path := fault.GetField(); path != "" {
			texts[i] = path + ": " + texts[i]
		}
	}
	return With(status.New(codes.InvalidArgument, strings.Join(texts, "; ")), &errdetails.BadRequest{FieldViolations: faults})
}

// With is the error of a status that is not OK with details, such as messages of
// google.rpc, or without them should one not marshal.
func With(st *status.Status, details ...protoadapt.MessageV1) error {
	rich, err := st.WithDetails(details...)
	if err != nil {
		return st.Err()
	}
	return rich.Err()
}

func fields(prefix string, broken *protovalidate.ValidationError) []*errdetails.BadRequest_FieldViolation {
	faults := make([]*errdetails.BadRequest_FieldViolation, len(broken.Violations))
	for i, v := range broken.Violations {
		path := protovalidate.FieldPathString(v.Proto.GetField())
		if prefix != "" {
			path = strings.TrimSuffix(prefix+"."+path, ".")
		}
		faults[i] = Field(path, "%s", v.Proto.GetMessage())
		faults[i].Reason = reason(v.Proto.GetRuleId())
	}
	return faults
}

// reason turns a rule id such as "string.min_len" into the form that
// google.rpc.BadRequest asks of a reason: "STRING_MIN_LEN".
func reason(rule string) string {
	return strings.ToUpper(strings.ReplaceAll(rule, ".", "_"))
}
