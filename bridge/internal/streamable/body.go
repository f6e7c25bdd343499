package streamable

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// maxFirstBuffer bounds, in bytes, what is reserved on a client's word (Content-Length) before anything has arrived.
const maxFirstBuffer = 64 << 10

// limitReading gives the client until now+d to send its whole request, so that one which stops half way does not hold a
// connection. It is called before anything is refused, since net/http goes on to read what a handler left; when the body
// is in, net/http takes the deadline away. A writer without deadlines (a recorder, a middleware) is served without.
func limitReading(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d)) // fails only where deadlines are not supported
}

// limitNoReading takes the deadline away from a request without a body, on whose connection net/http waits for the
// client to leave.
func limitNoReading(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// limitWriting gives the client until now+d to read its answer, so that one which does not read holds neither a connection
// nor an answer. When the answer is on its way, net/http takes the deadline away. Otherwise it is as limitReading.
func limitWriting(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d))
}

// readBody reads the whole body, at most limit bytes of it, into one of the buffers.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, buffers *backend.Buffers) ([]byte, *refusal) {
	if r.ContentLength > limit {
		w.Header().Set("Connection", "close") // rather than read what is not wanted
		return nil, tooLarge(limit)
	}
	body, err := readAll(http.MaxBytesReader(w, r.Body, limit), r.ContentLength, buffers)
	if err != nil {
		return nil, unreadable(err, r.ContentLength, limit)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, refuse(http.StatusBadRequest, "the body is empty: send one JSON-RPC message")
	}
	return body, nil
}

// readAll reads all that r has into one of the buffers. Where length is known, which it is not below zero, one has room for
// it, and for a byte more, into which the end is read; but of more than maxFirstBuffer, four times what has arrived at most.
func readAll(r io.Reader, length int64, buffers *backend.Buffers) ([]byte, error) {
	first := int64(bytes.MinRead)
	if length >= 0 {
		first = min(length+1, maxFirstBuffer)
	}
	buf := (*buffers.Get(int(first)))[:0]
	for {
		if len(buf) == cap(buf) {
			buf = grow(buf, length, buffers)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return nil, err
		}
	}
}

// grow returns a larger buffer instead of a full one, for what is still to come of length bytes, below zero for unknown, and
// the byte that readAll needs.
func grow(full []byte, length int64, buffers *backend.Buffers) []byte {
	want := 2 * int64(len(full))
	if length >= want && length < 2*want {
		want = length + 1
	}
	larger := *buffers.Get(int(want))
	larger = larger[:copy(larger, full)]
	buffers.Put(&full)
	return larger
}

// unreadable says what was wrong with a body of the given length, which is below zero where it was not said.
func unreadable(err error, length, limit int64) *refusal {
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return tooLarge(limit)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refuse(http.StatusRequestTimeout, "the body did not arrive in time: send the whole message at once")
	}
	switch {
	case length >= 0:
		return refuse(http.StatusBadRequest, "the body ended early: send as many bytes as Content-Length says")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refuse(http.StatusBadRequest, "the body ended early: send all of its chunks, and the empty one that ends them")
	}
	return refuse(http.StatusBadRequest,
		"the body's chunks are malformed: begin each with its size in hexadecimal digits, or send Content-Length instead of Transfer-Encoding")
}

func tooLarge(limit int64) *refusal {
	return refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes: send a smaller message", limit)
}
