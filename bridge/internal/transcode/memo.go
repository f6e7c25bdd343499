package transcode

import (
	"maps"
	"sync"
	"sync/atomic"
)

// memo is a map that only grows and that is read without a lock. The zero memo is empty. It is safe for concurrent use.
type memo[K comparable, V any] struct {
	published atomic.Pointer[map[K]V] // never changes

	mu   sync.Mutex
	all  map[K]V
	late int // calls of put since all was published
}

// known returns what there is to read, which may lack what was put last; nil for nothing.
func (m *memo[K, V]) known() map[K]V {
	if all := m.published.Load(); all != nil {
		return *all
	}
	return nil
}

// put adds v, unless key has a value by now, and returns what key has. All is copied once a sixteenth of it came anew, or was put
// in vain, so that n entries cost in the order of n.
func (m *memo[K, V]) put(key K, v V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	if there, ok := m.all[key]; ok {
		v = there
	} else {
		if m.all == nil {
			m.all = map[K]V{}
		}
		m.all[key] = v
	}
	if m.late++; m.late > len(m.all)/16 {
		all := maps.Clone(m.all)
		m.published.Store(&all)
		m.late = 0
	}
	return v
}
