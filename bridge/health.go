package bridge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
)

// Health is how a bridge and its backends are.
type Health struct {
	// Draining says that the bridge is about to end and is to be sent nothing new: see [Bridge.BeginDrain].
	Draining bool
	// Backends are in the order of New or of the last Replace.
	Backends []BackendHealth
}

// BackendHealth is how one backend is.
type BackendHealth struct {
	// Name is that of the Backend.
	Name string
	// Described says that its descriptors have been read, so that its tools are offered.
	Described bool
	// Connected says that its connection works, or is of a kind that does not tell.
	Connected bool
	// Reason says why it is not as it should be; "" where it is. It may name hosts, and is for the operator alone.
	Reason string
}

// Up reports whether calls of the backend are likely to get through.
func (h BackendHealth) Up() bool { return h.Described && h.Connected }

// maxProbe is the longest that Health takes.
const maxProbe = time.Second

// Health asks how the backends are, all at the same time. A connection at rest is opened for that, which may take a second, and
// no longer than ctx. Nothing is called. It waits for no reading of descriptors, and says what came of the last.
func (b *Bridge) Health(ctx context.Context) Health {
	ctx, cancel := context.WithTimeout(ctx, maxProbe)
	defer cancel()
	leave, open := b.epochs.enter() // a connection that is looked at is not released
	defer leave()
	h := Health{Draining: b.draining.Load() || !open}
	var conns []grpc.ClientConnInterface
	b.mu.Lock()
	for _, l := range b.loaders {
		one := BackendHealth{Name: l.Name, Described: l.set != nil, Reason: l.fault}
		if !one.Described && one.Reason == "" {
			one.Reason = "its descriptors are being read"
		}
		h.Backends = append(h.Backends, one)
		conns = append(conns, l.Conn)
	}
	b.mu.Unlock()
	var probes sync.WaitGroup
	for i := range h.Backends {
		if open {
			probes.Go(func() { probe(ctx, conns[i], &h.Backends[i]) })
		}
	}
	probes.Wait()
	return h
}

// stateful is a connection that tells how it is, as *grpc.ClientConn does.
type stateful interface {
	GetState() connectivity.State
	Connect()
	WaitForStateChange(ctx context.Context, from connectivity.State) bool
}

// probe notes whether a connection works.
func probe(ctx context.Context, conn grpc.ClientConnInterface, h *BackendHealth) {
	c, ok := conn.(stateful)
	if !ok {
		h.Connected = true
		return
	}
	for {
		state := c.GetState()
		switch state {
		case connectivity.Ready:
			h.Connected = true
			return
		case connectivity.Idle:
			c.Connect()
		case connectivity.TransientFailure, connectivity.Shutdown:
			h.Reason = join(h.Reason, fmt.Sprintf("its connection is in the state %v", state))
			return
		}
		if !c.WaitForStateChange(ctx, state) {
			h.Reason = join(h.Reason, fmt.Sprintf("its connection still was in the state %v when the time was up", state))
			return
		}
	}
}

// join puts two reasons behind each other, of which the first may be empty.
func join(first, second string) string {
	if first == "" {
		return second
	}
	return first + "; " + second
}
