package backend

import (
	"math/bits"
	"sync"

	"google.golang.org/grpc/mem"
)

// The capacities of the buffers that [Buffers] keeps, as powers of two: 1 KiB to 1 MiB.
const (
	leastKept = 10
	mostKept  = 20
)

// Buffers keeps buffers between their uses, each among those of its own size, so that what is small is not put into what is
// large. What has become larger than 1 MiB is not kept, and the garbage collector takes what is not used for a while. It is a
// [mem.BufferPool] whose buffers hold whatever they held before. The zero value is ready for use, and safe for concurrent use.
type Buffers struct {
	kept [mostKept - leastKept + 1]sync.Pool // of *[]byte, by the power of two that their capacity reaches
}

var _ mem.BufferPool = (*Buffers)(nil)

// Get returns a buffer with a length, and a capacity of the power of two that has room for it.
func (b *Buffers) Get(length int) *[]byte {
	size := max(leastKept, bits.Len(uint(max(length, 1)-1)))
	if size > mostKept {
		buffer := make([]byte, length)
		return &buffer
	}
	if buffer, ok := b.kept[size-leastKept].Get().(*[]byte); ok {
		*buffer = (*buffer)[:length]
		return buffer
	}
	buffer := make([]byte, length, 1<<size)
	return &buffer
}

// Put takes a buffer, wherever it comes from, that nobody else has any more: neither it nor a part of it.
func (b *Buffers) Put(buffer *[]byte) {
	size := bits.Len(uint(cap(*buffer))) - 1
	if size < leastKept || cap(*buffer) > 1<<mostKept {
		return
	}
	if poisons {
		for i := range (*buffer)[:cap(*buffer)] {
			(*buffer)[:cap(*buffer)][i] = poison
		}
	}
	b.kept[size-leastKept].Put(buffer)
}

// poison is what is in a buffer that nobody has, where that is to be seen: no JSON, no UTF-8 and no tag.
const poison = 0xff
