package backend

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// explain turns the error of a call into a Failure. caller is the context before the backend's own deadline was added.
func (b *Backend) explain(caller context.Context, method protoreflect.MethodDescriptor, err error, seen *evidence) *Failure {
	st := statusOf(err)
	if code := seen.ended(caller, st.Code()); code != codes.OK {
		f := b.interrupted(caller, code, seen)
		f.cause, f.Retryable = err, f.retryable(b.repeatable(method), false)
		return f
	}
	f := &Failure{Code: st.Code(), cause: err, streamed: seen.streamed, pushback: readPushback(seen.trailer)}
	f.ReplyTooLarge = seen.tooLarge(f.Code, st.Message(), b.config.MaxMessageBytes)
	seen.replied = seen.replied || f.ReplyTooLarge
	f.Execution, f.verdict = seen.execution(b.config.Conn, f.Code, st.Message())
	f.broken = f.Execution == NotExecuted && f.Code == codes.Unavailable && insecure(st.Message())
	var misasked string
	if f.Input, misasked = inputRequired(st.Proto()); f.Input != nil {
		f.Execution, f.verdict = NotExecuted, answeredError
	}
	details := decodeDetails(st.Proto().GetDetails(), clean(st.Message(), maxMessage), b.config.Types)
	f.RetryAfter = cmp.Or(details.retryAfter, f.pushback.pause)
	f.Retryable = f.retryable(b.repeatable(method), details.invited)
	if b.hidden(f.Code) {
		b.hide(caller, f, method, st)
		return f
	}
	f.Details, f.leftOut = details.list, details.leftOut
	f.Message = cmp.Or(b.describe(f, st.Message(), seen), noReason)
	if misasked != "" {
		f.Message = clean(misasked+": "+f.Message, maxMessage)
	}
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

// describe chooses the words of a failure: the backend's own where they can be its own, else ours, with gRPC's added where
// they help an operator.
func (b *Backend) describe(f *Failure, message string, seen *evidence) string {
	broken := f.Execution == NotExecuted || f.Execution == Unknown && f.verdict == answeredError && seen.broken(b.config.Conn, message)
	limit := byteSize(b.config.MaxMessageBytes)
	twice, none := strings.HasPrefix(message, twoReplies), strings.HasPrefix(message, noReply)
	message = clean(message, maxMessage)
	switch {
	case f.ReplyTooLarge:
		return fmt.Sprintf("the reply is larger than the limit of %s for one message "+
			"(max_message_bytes of its backend, or --max-message-size)", limit)
	case f.verdict == answeredReply && twice:
		return "the backend answered with more than one message: its method has become a streaming one, " +
			"and the descriptors have to be read again (--reload)"
	case f.verdict == answeredReply && none:
		return "the backend ended the call without an error and without a reply"
	case f.verdict == answeredTooLarge:
		return clean("the backend refused the request, which is larger than the backend's own limit: "+message, maxMessage)
	}
	words := b.unanswered(f, seen)
	switch {
	case words == "":
		return message
	case !broken:
		return cmp.Or(message, noReason)
	case message == "" || b.config.HideInternalErrors || f.Code != codes.Unavailable:
		return words
	}
	return clean(words+": "+message, maxMessage)
}

// unanswered describes an error that gRPC made up because no answer came; "" when its own words are the best there are.
func (b *Backend) unanswered(f *Failure, seen *evidence) string {
	name := b.config.Name
	switch f.Code {
	case codes.Canceled:
		return fmt.Sprintf("the call was cancelled on its way to backend %q or back, and not by the caller", name)
	case codes.DeadlineExceeded:
		return fmt.Sprintf("the time that the connection to backend %q allows is over, which is less than --deadline", name)
	case codes.Unavailable:
		if f.Execution == NotExecuted {
			return fmt.Sprintf("backend %q cannot be reached", name)
		}
		if seen.streamed {
			return fmt.Sprintf("the connection to backend %q broke before its stream ended", name)
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
func (b *Backend) hide(ctx context.Context, f *Failure, method protoreflect.MethodDescriptor, st *status.Status) {
	f.Incident = rand.Text()
	f.Message = fmt.Sprintf("the backend failed internally; its operator finds the reason in the bridge's log under incident %s", f.Incident)
	b.config.Logger.ErrorContext(ctx, "backend error hidden from the client",
		"incident", f.Incident,
		"backend", b.config.Name,
		"method", string(method.FullName()),
		"code", codeName(f.Code),
		"message", clean(st.Message(), maxMessage))
}
