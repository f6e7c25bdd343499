package backend

import (
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
)

// maxRetryAfter is the longest wait that is passed on; a longer one is as good as none.
const maxRetryAfter = 24 * time.Hour

// retryable decides Failure.Retryable. A RetryInfo detail is the backend's word that the call may be repeated. Without
// one, only failures that can pass by themselves qualify, and only where nothing can have been done, or doing it twice
// is harmless: where the method is repeatable. A server that forbids other attempts without such a detail is followed.
func (f *Failure) retryable(repeatable, invited bool) bool {
	if f.Cancelled || f.broken {
		return false
	}
	if invited || f.pushback.never {
		return invited
	}
	switch f.Code {
	case codes.Unavailable, codes.DeadlineExceeded:
		return f.Execution == NotExecuted || repeatable
	case codes.Canceled:
		return f.Execution != Executed && repeatable
	}
	return f.Execution == Unknown && f.verdict == answeredError && repeatable
}

// outcome is Execution with what it means.
func (f *Failure) outcome() string {
	switch {
	case f.Execution == NotExecuted:
		return "not_executed (the backend did not process the call)"
	case f.Execution == Executed && (f.ReplyTooLarge || f.verdict == answeredReply):
		return "executed (the backend carried out the call; only its reply cannot be used)"
	case f.verdict == answeredBegun:
		return "executed (the backend has begun the operation, which may go on)"
	case f.Execution == Executed:
		return "executed (the backend processed the call and answered with this error)"
	case f.verdict == answeredNoMethod:
		return "unknown (the backend answered that it does not implement this, most likely before it did anything)"
	case f.verdict == answeredTooLarge:
		return "unknown (the backend answered that the request is too large, most likely before it did anything)"
	}
	return "unknown (the backend may or may not have carried out the call)"
}

// advice tells a model what to do next.
func (f *Failure) advice() string {
	switch {
	case f.Advice != "":
		return f.Advice
	case f.Retryable && f.RetryAfter > 0:
		return fmt.Sprintf("yes, the same call may be repeated after %v", f.RetryAfter)
	case f.Retryable:
		return "yes, the same call may be repeated after a short wait"
	case f.broken:
		return "no, the operator has to mend the connection to the backend first"
	case f.verdict == answeredNoMethod:
		return advices[codes.Unimplemented]
	case f.verdict == answeredBegun:
		return "no, it would be begun once more; ask the backend for the operation by its name"
	case f.verdict == answeredTooLarge, f.Execution == NotExecuted && f.Code == codes.ResourceExhausted:
		return "no, make the arguments smaller first"
	case f.Execution == NotExecuted:
		return "nothing was done; the same call may be sent again once the cause is mended"
	case f.Execution != Executed:
		return "not blindly; the call may have taken effect, so look at the current state first"
	}
	if f.ReplyTooLarge {
		return "not as it is; ask for fewer or smaller items, for instance by a page size or a field mask"
	}
	if f.verdict == answeredReply {
		return "no, the same call is likely to fail again"
	}
	if words, ok := advices[f.Code]; ok {
		return words
	}
	return "no, the same call is likely to fail again"
}

// advices are the mends that the meaning of a code suggests, where the same call should not just be repeated.
var advices = map[codes.Code]string{
	codes.InvalidArgument:    "no, correct the arguments first",
	codes.OutOfRange:         "no, correct the arguments first",
	codes.NotFound:           "no, check the name or id first",
	codes.AlreadyExists:      "no, it exists already; choose another name or use the existing one",
	codes.PermissionDenied:   "no, this caller is not allowed to do this",
	codes.Unauthenticated:    "no, the bridge's credentials for this backend were refused; its operator has to mend that",
	codes.FailedPrecondition: "no, the state has to change first",
	codes.Aborted:            "not as it is; read the current state again, then repeat the change",
	codes.ResourceExhausted:  "not as it is; ask for less, or wait",
	codes.Unimplemented:      "no, the backend does not implement this; use another tool",
	codes.Unavailable:        "after a wait, but look at the current state first, since the call may have had an effect",
	codes.DeadlineExceeded:   "after a wait, but look at the current state first, since the call may have had an effect",
}
