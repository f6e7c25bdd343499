package bridge

import (
	"errors"
	"fmt"
	"math"
)

// Quota bounds calls of tools, reads of resources and renderings of prompts. Zero fields bound nothing. What is over it is
// not sent to the backend.
type Quota struct {
	// InFlight is how many there may be at the same time.
	InFlight int
	// PerSecond is how many may begin in a second, on the average.
	PerSecond float64
	// Burst is how many may begin at once after a pause. Default: PerSecond, and at least 1.
	Burst int
}

// ForwardedHeader passes one header of a client's HTTP request on as metadata. Neither name may be one that carries the
// client's credentials, such as authorization and cookie, or one that gRPC, HTTP, proxies or the bridge itself set.
type ForwardedHeader struct {
	// Header is the name of the HTTP header, in any case.
	Header string
	// Metadata is the key that it is sent under, lower case. Default: Header in lower case.
	Metadata string
}

// WithCallerQuota bounds what one caller may ask for: who it is says the authorization, and without one the address that it
// connects from. Over HTTP a caller beyond it gets status 429 with Retry-After, on stdio a tool error. Default: no bounds.
func WithCallerQuota(q Quota) Option {
	return func(s *settings) error {
		if err := q.fault(); err != nil {
			return fmt.Errorf("quota of a caller: %w", err)
		}
		s.callerQuota = q
		return nil
	}
}

// fault is what is wrong with a quota.
func (q Quota) fault() error {
	switch {
	case q.InFlight < 0:
		return fmt.Errorf("%d calls in flight: give a positive number, or 0 for no bound", q.InFlight)
	case math.IsNaN(q.PerSecond) || math.IsInf(q.PerSecond, 0) || q.PerSecond < 0:
		return fmt.Errorf("%v calls per second: give a positive number, or 0 for no bound", q.PerSecond)
	case q.Burst < 0:
		return fmt.Errorf("a burst of %d calls: give a positive number, or 0 for that of a second", q.Burst)
	case q.Burst > 0 && q.PerSecond == 0:
		return errors.New("a burst without calls per second bounds nothing: give both")
	}
	return nil
}
