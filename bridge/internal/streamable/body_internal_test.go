package streamable

import (
	"bytes"
	"strconv"
	"testing"
	"testing/iotest"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// TestReadAllReservesWhatHasArrived reads bodies of many lengths, in large and in small pieces: none needs a buffer of
// more than twice its length, where that is said and less than four times what is reserved for it at first.
func TestReadAllReservesWhatHasArrived(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 511, 512, maxFirstBuffer, maxFirstBuffer + 1, maxFirstBuffer + 2, 100_000, 4 * maxFirstBuffer, 1 << 20} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			t.Parallel()
			want := bytes.Repeat([]byte("0123456"), size/7+1)[:size]
			for _, length := range []int{size, -1} {
				for name, r := range map[string]*bytes.Reader{"whole": bytes.NewReader(want), "halves": bytes.NewReader(want)} {
					source := iotest.DataErrReader(r)
					if name == "halves" {
						source = iotest.HalfReader(r)
					}
					got, err := readAll(source, int64(length), new(backend.Buffers))
					if err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%s: %d bytes, %v; want %d", name, len(got), err, size)
					}
					if length >= 0 && size <= 4*maxFirstBuffer && cap(got) > max(1<<10, 2*size) {
						t.Errorf("%s: a buffer of %d bytes for %d", name, cap(got), size)
					}
				}
			}
		})
	}
}
