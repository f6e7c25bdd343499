package backend_test

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"net"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// TestBuffers gets buffers of many lengths, before and after there are some to have again.
func TestBuffers(t *testing.T) {
	t.Parallel()
	var b backend.Buffers
	for range 3 {
		for _, length := range []int{0, 1, 1023, 1024, 1025, 5000, 1<<16 - 1, 1 << 16, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3 << 20} {
			got := b.Get(length)
			room := max(1<<10, 1<<bits.Len(uint(max(length, 1)-1)))
			if length > 1<<20 {
				room = length
			}
			if len(*got) != length || cap(*got) < length || cap(*got) > 2*room {
				t.Errorf("%d bytes: a buffer of %d with room for %d", length, len(*got), cap(*got))
			}
			b.Put(got)
		}
	}
}

// TestBuffersOfOthers puts buffers of any capacity: none is got for a length that it has no room for.
func TestBuffersOfOthers(t *testing.T) {
	t.Parallel()
	var b backend.Buffers
	b.Put(new([]byte))
	for capacity := 1; capacity < 4<<20; capacity += capacity/3 + 1 {
		own := make([]byte, capacity/2, capacity)
		b.Put(&own)
	}
	for length := 1; length < 4<<20; length += length/5 + 1 {
		if got := b.Get(length); len(*got) != length || cap(*got) >= max(2<<10, 4*length) {
			t.Errorf("%d bytes: a buffer of %d with room for %d", length, len(*got), cap(*got))
		}
	}
}

// poisoned is a pool of which the buffers are overwritten when they are given back.
type poisoned struct{ mem.BufferPool }

func (p poisoned) Put(buffer *[]byte) {
	whole := (*buffer)[:cap(*buffer)]
	copy(whole, bytes.Repeat([]byte{0xa5}, len(whole)))
	p.BufferPool.Put(buffer)
}

// TestReplyBuffers makes calls side by side with replies in one part and in several: each is whole until it is freed, while
// gRPC and others get and overwrite what was freed before.
func TestReplyBuffers(t *testing.T) {
	t.Parallel()
	l := memory()
	s := start(t, l, func(_ context.Context, ask *dynamicpb.Message) (proto.Message, error) { return ask, nil })
	conn, err := grpc.NewClient("passthrough:///memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }),
		experimental.WithBufferPool(poisoned{mem.DefaultBufferPool()}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	for _, messages := range []bool{false, true} {
		b := newBackend(t, backend.Config{Conn: conn, Messages: messages})
		var callers sync.WaitGroup
		for caller := range 4 {
			callers.Go(func() {
				for n := range 20 {
					want := s.wire(t, strings.Repeat(fmt.Sprint(caller), []int{0, 3, 900, 9_000, 70_000}[n%5]))
					reply, f := b.UnaryBuffer(t.Context(), s.method("Do"), want)
					if f != nil || !bytes.Equal(reply.ReadOnlyData(), want) {
						t.Errorf("messages=%v: a reply of %d bytes is not that of %d: %v", messages, reply.Len(), len(want), f)
						return
					}
					if n%3 > 0 { // the rest is for the garbage collector
						reply.Free()
					}
				}
			})
		}
		callers.Wait()
	}
}
