package schema

import "sync"

// cache remembers values by key. It is safe for concurrent use; of two values that are made at once for a key, one stays.
type cache[K comparable, V any] struct {
	values sync.Map
}

// get returns the value of a key, made when it is asked for first. A value is shared: nobody may change it.
func (c *cache[K, V]) get(key K, fresh func() V) V {
	if v, ok := c.values.Load(key); ok {
		return v.(V)
	}
	v, _ := c.values.LoadOrStore(key, fresh())
	return v.(V)
}
