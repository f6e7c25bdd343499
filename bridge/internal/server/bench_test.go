package server_test

import (
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// BenchmarkList answers tools/list of 1,000 tools on one page: by the HTTP handler
// alone, and over a connection, with what the client needs to read and drop it;
// cpu-ms/op is what the process, and the kernel for it, has used for one.
func BenchmarkList(b *testing.B) {
	const n = 1_000
	e := newEndpoint(b, n, catalog.Options{PageSize: n})
	url := e.listening(b)
	transport := &http.Transport{DisableCompression: true}
	b.Cleanup(transport.CloseIdleConnections)
	for _, encoding := range []string{"identity", "gzip"} {
		ask := func(to string) *http.Request {
			return listRequest(b, to, "tools/list", "1", "", "Accept-Encoding", encoding)
		}
		b.Run("handler/"+encoding, func(b *testing.B) {
			benchmarkList(b, func() int {
				w := &nowhere{header: http.Header{}}
				r := ask("http://localhost/mcp")
				e.ServeHTTP(w, r)
				return w.size
			})
		})
		b.Run("connection/"+encoding, func(b *testing.B) {
			benchmarkList(b, func() int {
				resp, err := transport.RoundTrip(ask(url))
				if err != nil {
					b.Fatal(err)
				}
				defer resp.Body.Close()
				n, _ := io.Copy(io.Discard, resp.Body)
				return int(n)
			})
		})
	}
}

// benchmarkList measures what answers a list and returns how many bytes it took.
func benchmarkList(b *testing.B, answer func() int) {
	b.Helper()
	b.ReportAllocs()
	size := answer() // with the first use the page is compressed
	began := processorTime()
	for b.Loop() {
		size = answer()
	}
	b.ReportMetric(float64((processorTime()-began).Microseconds())/1e3/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(size), "B/answer")
}

// processorTime is what the process has used of all processors.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// nowhere counts what it is written.
type nowhere struct {
	header http.Header
	size   int
}

func (w *nowhere) Header() http.Header { return w.header }
func (w *nowhere) WriteHeader(int)     {}
func (w *nowhere) Write(p []byte) (int, error) {
	w.size += len(p)
	return len(p), nil
}
