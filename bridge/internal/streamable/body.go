package streamable

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"time"
)

// maxFirstBuffer bounds, in bytes, what is reserved on a client's word (Content-Length) before anything has arrived.
const maxFirstBuffer = 64 << 10

// limitReading gives the client until now+d to send its whole request, so that one which stops half way does not hold a
// connection. A writer without deadlines (a recorder, a middleware) is served without. It is called before anything
// is refused, since net/http goes on to read what a handler left.
func limitReading(w http.ResponseWriter, d time.Duration) {
	setReadDeadline(w, time.Now().Add(d))
}

// unlimitReading takes the deadline away when the body is in: net/http keeps reading the connection to notice the
// client's leaving, and would take a passed deadline for that.
func unlimitReading(w http.ResponseWriter) { setReadDeadline(w, time.Time{}) }

func setReadDeadline(w http.ResponseWriter, t time.Time) {
	_ = http.NewResponseController(w).SetReadDeadline(t) // fails only where deadlines are not supported
}

// readBody reads the whole body, at most limit bytes of it.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, *refusal) {
	if r.ContentLength > limit {
		w.Header().Set("Connection", "close") // rather than read what is not wanted
		return nil, tooLarge(limit)
	}
	var buf bytes.Buffer
	buf.Grow(int(min(max(r.ContentLength, 0), maxFirstBuffer)) + bytes.MinRead)
	if _, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, limit)); err != nil {
		return nil, unreadable(err, limit)
	}
	unlimitReading(w)
	if len(bytes.TrimSpace(buf.Bytes())) == 0 {
		return nil, refuse(http.StatusBadRequest, "the body is empty: send one JSON-RPC message")
	}
	return buf.Bytes(), nil
}

func unreadable(err error, limit int64) *refusal {
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return tooLarge(limit)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refuse(http.StatusRequestTimeout, "the body did not arrive in time: send the whole message at once")
	}
	return refuse(http.StatusBadRequest, "the body ended early: send as many bytes as Content-Length says")
}

func tooLarge(limit int64) *refusal {
	return refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes: send a smaller message", limit)
}
