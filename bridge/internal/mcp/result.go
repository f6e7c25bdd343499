package mcp

import (
	"strconv"
	"time"
)

// Cache tells a modern client how long and for whom it may keep a result
// (2026-07-28 server/utilities/caching). Legacy results do not carry it.
type Cache struct {
	// TTL is how long; it is sent in whole milliseconds. Zero and less mean that
	// the result is stale at once.
	TTL time.Duration
	// Private says that another authorization might see another result.
	Private bool
}

// AppendEmptyResult appends the result that says nothing but that all is well;
// meta is its _meta object, nil for none.
func AppendEmptyResult(dst []byte, f Features, meta []byte) []byte {
	return closeResult(newObject(dst), f, meta)
}

// closeResult ends a result: where the peer is modern, resultType, which says
// "complete" because no result here asks for input; then _meta.
func closeResult(o object, f Features, meta []byte) []byte {
	if f.Modern {
		o.text("resultType", "complete")
	}
	o.raw("_meta", meta)
	return o.close()
}

// append adds the two members to a modern result.
func (c Cache) append(o *object, f Features) {
	if !f.Modern {
		return
	}
	o.name("ttlMs")
	o.dst = strconv.AppendInt(o.dst, max(0, c.TTL.Milliseconds()), 10)
	scope := "public"
	if c.Private {
		scope = "private"
	}
	o.text("cacheScope", scope)
}
