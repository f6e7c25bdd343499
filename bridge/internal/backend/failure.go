package backend

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Limits of what a model is shown.
const (
	// maxMessage bounds the message of a failure: 1 KiB.
	maxMessage = 1 << 10
	// maxText bounds the whole text of a failure, since clients cut the texts of errors: 4,000 bytes.
	maxText = 4000
)

// noReason stands in for an empty message: an error without words would look like an empty result.
const noReason = "the backend gave no reason"

// Failure is a call that brought no reply. It is an error whose cause (see Unwrap) is the gRPC error.
type Failure struct {
	// Code is the gRPC status code; never OK.
	Code codes.Code
	// Message says what went wrong: the backend's words, or the bridge's where the backend never answered. Never empty from
	// Unary; one line of valid UTF-8 without control, bidirectional or invisible characters, at most 1 KiB.
	Message string
	// Details are the decoded google.rpc details and those of the backend's own types, in the backend's order; never
	// DebugInfo and never a field marked debug_redact, at any depth.
	Details []Detail
	// Execution says whether the backend may have carried out the call.
	Execution Execution
	// Retryable says whether the same call may be sent again with a chance of success and without doing something twice.
	Retryable bool
	// Advice is what the one who called can do next, where the Code and Execution do not suggest it; "" where they do.
	Advice string
	// RetryAfter is how long the backend asks to wait before that; 0 = it did not say.
	RetryAfter time.Duration
	// Cancelled says that the caller's context was cancelled: nobody waits for the text.
	Cancelled bool
	// Expired says that the time of the call was over on this side: its deadline or its caller's. A backend that says
	// DEADLINE_EXCEEDED of its own accord is none of that.
	Expired bool
	// ReplyTooLarge says that a reply arrived and was refused on this side, because it exceeds Config.MaxMessageBytes.
	ReplyTooLarge bool
	// OverQuota says that Config.Limiter refused the call.
	OverQuota bool
	// Input is what the backend has to know before it can carry out the call: it asks, and has done nothing. Nil: it does not
	// ask.
	Input *bridgev1.InputRequired
	// Attempts is how often the call was made; 0 and 1 are once, or never.
	Attempts int
	// Incident is the id under which a hidden text was logged; empty when nothing was hidden.
	Incident string

	// Begun says that an attempt before the last one may have done something, which the Execution of one that asks does not say.
	Begun bool

	cause   error
	verdict verdict
	leftOut bool // details, for their size or number
	// broken says that the operator has to mend the connection.
	broken bool
	// streamed says that a message of the stream had arrived.
	streamed bool
	// pushback is what the server says of other attempts beside its status.
	pushback pushback
}

// CodeName returns the code as the gRPC specification writes it, such as NOT_FOUND.
func (f *Failure) CodeName() string { return codeName(f.Code) }

// Error returns the code and the message on one line.
func (f *Failure) Error() string { return codeName(f.Code) + ": " + cmp.Or(f.Message, noReason) }

// Unwrap returns the gRPC error behind the failure, or the context's where the call was over before it began; nil when
// the call was refused before gRPC saw it.
func (f *Failure) Unwrap() error { return f.cause }

// AppendText appends what a model reads: code and message, one line for each detail, the outcome, how many attempts there were
// where it was more than one, and whether a retry can help. The text is never empty and at most 4,000 bytes long; details
// are dropped to keep it so, never the rest.
func (f *Failure) AppendText(dst []byte) []byte {
	tail := "\noutcome: " + f.outcome()
	if f.Attempts > 1 {
		tail += "\nattempts: " + strconv.Itoa(f.Attempts)
	}
	tail += "\nretry: " + f.advice()
	room := maxText - len(tail)
	head := cut(f.Error(), room)
	room -= len(head)
	dst = append(dst, head...)
	dst = f.appendDetails(dst, room)
	return append(dst, tail...)
}

func (f *Failure) appendDetails(dst []byte, room int) []byte {
	const more = "\n(further details left out)"
	for _, d := range f.Details {
		for _, line := range d.lines() {
			if len(line)+1 > room-len(more) {
				return append(dst, more...)
			}
			room -= len(line) + 1
			dst = append(append(dst, '\n'), line...)
		}
	}
	if f.leftOut {
		dst = append(dst, more...)
	}
	return dst
}

// codeName returns a code as the gRPC specification writes it, such as NOT_FOUND.
func codeName(c codes.Code) string {
	if c == codes.Canceled {
		return "CANCELLED"
	}
	var name strings.Builder
	for i, r := range c.String() {
		if i > 0 && 'A' <= r && r <= 'Z' && c <= codes.Unauthenticated {
			name.WriteByte('_')
		}
		name.WriteRune(r)
	}
	return strings.ToUpper(name.String())
}
