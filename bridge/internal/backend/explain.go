package backend

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// explain turns the error of a call into a Failure. caller is the context before the backend's own deadline was added.
func (b *Backend) explain(caller context.Context, method protoreflect.MethodDescriptor, err error, seen *evidence) *Failure {
	st := statusOf(err)
	f := &Failure{Code: st.Code(), cause: err}
	f.Execution = seen.execution(b.config.Conn, f.Code, st.Message())
	f.Cancelled = f.Code == codes.Canceled && errors.Is(caller.Err(), context.Canceled)
	details := decodeDetails(st.Proto().GetDetails(), b.config.Types)
	f.RetryAfter = details.retryAfter
	f.Retryable = f.retryable(method, details.invited)
	if b.hidden(f.Code) {
		b.hide(f, method, st)
		return f
	}
	f.Details, f.Violations = details.list, details.violations
	f.Message = cmp.Or(b.describe(caller, f, st.Message()), noReason)
	return f
}

// statusOf reads the status of any error. An error without a status that stems from a context has the context's code.
func statusOf(err error) *status.Status {
	st, ok := status.FromError(err)
	if !ok {
		st = status.FromContextError(err)
	}
	if st.Code() == codes.OK {
		return status.New(codes.Unknown, err.Error())
	}
	return st
}

// describe chooses the words of a failure: the backend's own where it answered, else ours, with gRPC's added where they
// help an operator.
func (b *Backend) describe(caller context.Context, f *Failure, message string) string {
	message = clean(message, maxMessage)
	if f.Execution == Executed {
		if f.Code == codes.ResourceExhausted && tooLarge(message) {
			return fmt.Sprintf("the reply is larger than the limit of %s for one message (--max-message-size); ask for fewer or "+
				"smaller items, for instance by a page size or a field mask", byteSize(b.config.MaxMessageBytes))
		}
		return message
	}
	words := b.unanswered(caller, f)
	switch {
	case words == "":
		return message
	case message == "" || b.config.HideInternalErrors || f.Code != codes.Unavailable:
		return words
	}
	return clean(words+": "+message, maxMessage)
}

// tooLarge recognises grpc-go's words for a reply over the limit, plain or after decompression. A backend that refuses a
// large request uses the same words; it cannot be mistaken, because our own limit is checked before sending and a reply
// in error carries trailers.
func tooLarge(message string) bool {
	return strings.HasPrefix(message, "grpc: ") && strings.Contains(message, "larger than max")
}

// unanswered describes an error that gRPC made up because no answer came; "" when its own words are the best there are.
func (b *Backend) unanswered(caller context.Context, f *Failure) string {
	name := b.config.Name
	switch f.Code {
	case codes.Canceled:
		if f.Cancelled {
			return fmt.Sprintf("the call was cancelled before backend %q answered", name)
		}
		return fmt.Sprintf("backend %q cancelled the call without an answer", name)
	case codes.DeadlineExceeded:
		limit := b.config.Deadline.String()
		if caller.Err() != nil {
			limit = "the time that the caller allowed"
		}
		if f.Execution == NotExecuted {
			return fmt.Sprintf("backend %q could not be reached within %s", name, limit)
		}
		return fmt.Sprintf("backend %q gave no answer within %s", name, limit)
	case codes.Unavailable:
		if f.Execution == NotExecuted {
			return fmt.Sprintf("backend %q cannot be reached", name)
		}
		return fmt.Sprintf("the connection to backend %q broke before it answered", name)
	}
	return ""
}

// hidden reports whether the texts of a code are kept from clients.
func (b *Backend) hidden(c codes.Code) bool {
	return b.config.HideInternalErrors && (c == codes.Internal || c == codes.Unknown || c == codes.DataLoss)
}

// hide gives a failure a fixed text and logs the original one under a fresh incident id.
func (b *Backend) hide(f *Failure, method protoreflect.MethodDescriptor, st *status.Status) {
	f.Incident = rand.Text()
	f.Message = fmt.Sprintf("the backend failed internally; its operator finds the reason in the bridge's log under incident %s", f.Incident)
	b.config.Logger.Error("backend error hidden from the client",
		"incident", f.Incident,
		"backend", b.config.Name,
		"method", string(method.FullName()),
		"code", codeName(f.Code),
		"message", clean(st.Message(), maxMessage))
}
