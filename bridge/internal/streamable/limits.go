package streamable

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// orDefault returns the value of a limit, zero and less being none.
func orDefault[T int | int64 | time.Duration](value, usual T) T {
	if value <= 0 {
		return usual
	}
	return value
}

// places bounds how much of a kind there is at once. Safe for concurrent use.
type places struct {
	most  int64
	taken atomic.Int64
}

// take takes a place, which the caller gives back, and reports whether there was one.
func (p *places) take() bool {
	if p.taken.Add(1) > p.most {
		p.taken.Add(-1)
		return false
	}
	return true
}

func (p *places) giveBack() { p.taken.Add(-1) }

// pause is after how long a client that found no place may try again.
const pause = 5 * time.Second

// busy is what a request gets that finds as many of a kind as there may be at once.
func busy(kind string, most int64) *refusal {
	return &refusal{
		status: http.StatusServiceUnavailable,
		err: jsonrpc.Errorf(jsonrpc.CodeInternal,
			"%d %s are served already, which is the most, and the request was not served: send it again later", most, kind),
		retryAfter: pause,
	}
}
