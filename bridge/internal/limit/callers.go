package limit

import (
	"math"
	"strings"
	"sync"
	"time"
)

// MaxCallers is how many callers are told apart: 10,000, which takes about 4 MiB. A caller that there is no room for shares
// one quota with the others of its kind.
const MaxCallers = 10_000

// Callers holds each of many callers to the same quota. A caller of whom nothing is in flight is forgotten once nothing
// that it did counts any more, and before that where its place is needed: the one that has been idle longest goes first.
// One with calls in flight never goes.
//
// A nil one admits all. Safe for concurrent use; no method waits but for others' look into the table.
type Callers struct {
	quota Quota
	most  int
	// refill is how long it takes until a caller that did all it may is as good as a new one.
	refill time.Duration
	// overflow is who comes when the table is full of callers with calls in flight.
	overflow *caller

	mu    sync.Mutex
	known map[string]*caller
	idle  ring // of those known that have nothing in flight, the one idle longest first
}

// caller is one row of the table.
type caller struct {
	name    string
	limiter *Limiter
	last    time.Time // when it last asked; zero where that does not matter
	release func()

	before, after *caller // in the ring; nil outside
}

// NewCallers returns what holds each caller to a quota; nil for one without bounds.
func NewCallers(q Quota) *Callers { return newCallers(q, MaxCallers) }

// newCallers is NewCallers with another size of the table.
func newCallers(q Quota, most int) *Callers {
	if !q.Bounds() {
		return nil
	}
	c := &Callers{quota: q, most: most, known: map[string]*caller{}}
	if q.paced() {
		c.refill = time.Duration(min(float64(q.burst())/q.PerSecond*float64(time.Second), math.MaxInt64/2))
	}
	c.overflow = c.row("")
	c.idle.clear()
	return c
}

// Take begins a call of a caller, as [Limiter.Take] does.
func (c *Callers) Take(name string) (release func(), refused *Refused) {
	if c == nil {
		return func() {}, nil
	}
	now := c.quota.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	row := c.find(name, now)
	row.last = now
	if _, refused = row.limiter.take(now); refused != nil {
		c.rest(row)
		return nil, refused
	}
	return row.release, nil
}

// InFlight returns how many calls of all callers have begun and not ended; 0 for a nil one.
func (c *Callers) InFlight() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.overflow.limiter.InFlight()
	for _, row := range c.known {
		n += row.limiter.InFlight()
	}
	return n
}

// Len returns how many callers are known; 0 for a nil one.
func (c *Callers) Len() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.known)
}

// row makes a row.
func (c *Callers) row(name string) *caller {
	row := &caller{name: name, limiter: New(c.quota)}
	row.release = func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		row.limiter.release()
		c.rest(row)
	}
	return row
}

// find returns the row of a caller, outside the ring: the one it has, a new one, or that of the overflow.
func (c *Callers) find(name string, now time.Time) *caller {
	if row, ok := c.known[name]; ok {
		row.unlink()
		return row
	}
	c.sweep(now)
	if len(c.known) >= c.most && !c.forget(c.idle.first()) {
		return c.overflow
	}
	row := c.row(strings.Clone(name)) // which may be a part of something larger
	c.known[row.name] = row
	return row
}

// rest puts a row, which is in no ring, once it has nothing in flight at the end of the ring, unless it is that of the overflow.
func (c *Callers) rest(row *caller) {
	if row.limiter.InFlight() > 0 || row == c.overflow {
		return
	}
	c.idle.push(row)
}

// sweep forgets callers that are as good as new ones: two for each that is added, so that what it costs is bounded and
// the table shrinks.
func (c *Callers) sweep(now time.Time) {
	for range 2 {
		oldest := c.idle.first()
		if oldest == nil || now.Sub(oldest.last) < c.refill {
			return
		}
		c.forget(oldest)
	}
}

// forget takes a row out of the table; it reports false where there is none.
func (c *Callers) forget(row *caller) bool {
	if row == nil {
		return false
	}
	row.unlink()
	delete(c.known, row.name)
	return true
}

// ring is a list of callers in both directions. Its own row is the end of it, in both.
type ring struct{ end caller }

// clear makes it an empty one.
func (r *ring) clear() { r.end.before, r.end.after = &r.end, &r.end }

// first returns the row that was pushed first; nil where there is none.
func (r *ring) first() *caller {
	if r.end.after == &r.end {
		return nil
	}
	return r.end.after
}

// push adds a row, which must be in no ring, behind all others.
func (r *ring) push(row *caller) {
	row.before, row.after = r.end.before, &r.end
	row.before.after, r.end.before = row, row
}

// unlink takes a row out of its ring, if it is in one.
func (row *caller) unlink() {
	if row.after == nil {
		return
	}
	row.before.after, row.after.before = row.after, row.before
	row.before, row.after = nil, nil
}
