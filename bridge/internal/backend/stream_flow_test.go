package backend_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// TestFlowControl: while receive does not return, the backend comes no further than what fits on the way.
func TestFlowControl(t *testing.T) {
	t.Parallel()
	const size, onTheWay, total = 16 << 10, 64, 2000
	var sent atomic.Int64
	s := &service{out: func(g testgrpc.TestService_StreamingOutputCallServer) error {
		for range total {
			if err := g.Send(reply(size)); err != nil {
				return err
			}
			sent.Add(1)
		}
		return nil
	}}
	l := loopback(t)
	s.serve(t, l)
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithInitialWindowSize(64<<10), grpc.WithInitialConnWindowSize(64<<10)) // which does not grow then
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	received, furthest := int64(0), int64(0)
	f := newBackend(t, backend.Config{Conn: conn}).Stream(t.Context(), kind("StreamingOutputCall"), [][]byte{nil}, func([]byte) error {
		received++
		if received%200 == 1 {
			stalled(&sent)
		}
		furthest = max(furthest, sent.Load()-received)
		return nil
	})
	if f != nil || received != total || furthest > onTheWay {
		t.Errorf("%d of %d received, the backend was up to %d before: %v", received, total, furthest, f)
	}
	t.Logf("the backend was up to %d messages of %d bytes before", furthest, size)
}

// stalled returns when a count has not changed for a while.
func stalled(count *atomic.Int64) {
	for last := int64(-1); last != count.Load(); {
		last = count.Load()
		time.Sleep(20 * time.Millisecond)
	}
}

// TestLongStream: a million messages pass in their order, and what is held of them does not grow.
func TestLongStream(t *testing.T) {
	total := 1_000_000
	if testing.Short() {
		total = 50_000
	}
	s := &service{out: func(g testgrpc.TestService_StreamingOutputCallServer) error {
		r := reply(8)
		for i := range total {
			r.Payload.Body = fmt.Appendf(r.Payload.Body[:0], "%08d", i)
			if err := g.Send(r); err != nil {
				return err
			}
		}
		return nil
	}}
	b := s.backend(t, backend.Config{Deadline: 10 * time.Minute})
	received, first, most := 0, uint64(0), uint64(0)
	wrong := 0
	f := b.Stream(t.Context(), kind("StreamingOutputCall"), [][]byte{nil}, func(wire []byte) error {
		if string(wire[len(wire)-8:]) != fmt.Sprintf("%08d", received) {
			wrong++
		}
		received++
		if received%(total/20) == 0 {
			held := heap()
			if first == 0 {
				first = held
			}
			most = max(most, held)
		}
		return nil
	})
	if f != nil || received != total || wrong > 0 {
		t.Errorf("%d of %d received, %d in another order: %v", received, total, wrong, f)
	}
	if most > first+16<<20 {
		t.Errorf("the heap grew from %d to %d bytes", first, most)
	}
	t.Logf("%d messages; the heap had %d bytes after a twentieth, and %d at most", received, first, most)
}

// heap returns the bytes that are in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestStreamCutAfterData: a connection that breaks behind some messages leaves the outcome unknown, and nothing is sent again,
// though the method could be repeated.
func TestStreamCutAfterData(t *testing.T) {
	t.Parallel()
	s := &service{out: func(g testgrpc.TestService_StreamingOutputCallServer) error {
		_ = sends(3, 10)(g)
		<-g.Context().Done()
		return nil
	}}
	l := &resettable{Listener: loopback(t)}
	s.serve(t, l)
	b, got := newBackend(t, backend.Config{Conn: dial(t, l), Idempotent: all}), 0
	f := b.Stream(t.Context(), kind("StreamingOutputCall"), [][]byte{nil}, func([]byte) error {
		if got++; got == 3 {
			l.reset()
		}
		return nil
	})
	check(t, f, codes.Unavailable, backend.Unknown)
	contains(t, f, `the connection to backend "probe" broke before its stream ended`)
	if got != 3 || s.calls.Load() != 1 {
		t.Errorf("%d replies in %d calls", got, s.calls.Load())
	}
}

// TestLimitOfEachMessage: a stream may be longer than the limit of a message, and no message of it.
func TestLimitOfEachMessage(t *testing.T) {
	t.Parallel()
	s := &service{out: func(g testgrpc.TestService_StreamingOutputCallServer) error {
		_ = sends(10, 500)(g)
		return sends(1, 2000)(g)
	}}
	got := 0
	f := s.backend(t, backend.Config{MaxMessageBytes: 1000}).Stream(t.Context(), kind("StreamingOutputCall"), [][]byte{nil},
		func([]byte) error { got++; return nil })
	check(t, f, codes.ResourceExhausted, backend.Executed)
	if got != 10 || !f.ReplyTooLarge {
		t.Errorf("%d replies, %+v", got, f)
	}
}

// TestStreamEndedEarly: a backend that answers before it has read all has answered, whatever sending comes to.
func TestStreamEndedEarly(t *testing.T) {
	t.Parallel()
	wire, err := proto.Marshal(reply(10 << 10))
	if err != nil {
		t.Fatal(err)
	}
	requests := make([][]byte, 2000)
	for i := range requests {
		requests[i] = wire
	}
	s := &service{
		in: func(testgrpc.TestService_StreamingInputCallServer) error {
			return status.Error(codes.Aborted, "enough")
		},
		both: func(g testgrpc.TestService_FullDuplexCallServer) error { return g.Send(reply(1)) },
	}
	b, got := s.backend(t, backend.Config{}), 0
	count := func([]byte) error { got++; return nil }
	f := b.Stream(t.Context(), kind("StreamingInputCall"), requests, count)
	check(t, f, codes.Aborted, backend.Executed)
	if f := b.Stream(t.Context(), kind("FullDuplexCall"), requests, count); f != nil || got != 1 {
		t.Errorf("%d replies, %v", got, f)
	}
	s.in = func(g testgrpc.TestService_StreamingInputCallServer) error {
		n, err := drain(g.Recv)
		if err != nil {
			return err
		}
		return g.SendAndClose(&testgrpc.StreamingInputCallResponse{AggregatedPayloadSize: int32(n)})
	}
	var sum testgrpc.StreamingInputCallResponse
	f = b.Stream(t.Context(), kind("StreamingInputCall"), requests, func(reply []byte) error { return proto.Unmarshal(reply, &sum) })
	if f != nil || int(sum.GetAggregatedPayloadSize()) != len(requests) {
		t.Errorf("%d requests arrived, %v", sum.GetAggregatedPayloadSize(), f)
	}
}

// TestStreamOfOne: a unary method is called by Stream as by Unary.
func TestStreamOfOne(t *testing.T) {
	t.Parallel()
	for _, messages := range []bool{false, true} {
		b := (&service{}).backend(t, backend.Config{Messages: messages})
		request, err := proto.Marshal(&testgrpc.SimpleRequest{Payload: &testgrpc.Payload{Body: []byte("x")}})
		if err != nil {
			t.Fatal(err)
		}
		want, f := b.Unary(t.Context(), kind("UnaryCall"), request)
		if f != nil {
			t.Fatal(f)
		}
		var got []string
		f = b.Stream(t.Context(), kind("UnaryCall"), [][]byte{request}, func(reply []byte) error {
			got = append(got, string(reply))
			return nil
		})
		if f != nil || len(got) != 1 || got[0] != string(want) {
			t.Errorf("got %q, want %q: %v", got, want, f)
		}
		f = b.Stream(t.Context(), kind("EmptyCall"), [][]byte{nil}, func([]byte) error { return nil })
		check(t, f, codes.Unimplemented, backend.Unknown)
	}
}
