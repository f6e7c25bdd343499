package descriptor

import (
	"google.golang.org/grpc/metadata"
)

// Option adjusts a [Source] or [New]. Of several that set the same thing the last counts.
type Option interface {
	apply(*options)
}

// options is what all Options together say.
type options struct {
	limits  Limits
	headers metadata.MD
}

type optionFunc func(*options)

func (f optionFunc) apply(o *options) {
	f(o)
}

// WithLimits bounds what one load may cost. Fields that are zero or negative keep the value of [DefaultLimits].
func WithLimits(limits Limits) Option {
	return optionFunc(func(o *options) { o.limits = limits })
}

// WithHeaders sends the metadata with every stream that [Reflection] opens, beside what the context already carries:
// some servers ask for a credential or a routing header there too. Other sources ignore it. The metadata is copied.
func WithHeaders(headers metadata.MD) Option {
	headers = headers.Copy()
	return optionFunc(func(o *options) { o.headers = headers })
}

func newOptions(opts []Option) options {
	var o options
	for _, opt := range opts {
		opt.apply(&o)
	}
	o.limits = o.limits.withDefaults()
	return o
}
