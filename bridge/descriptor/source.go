package descriptor

import "context"

// Source is a place where descriptors can be had. Load reads it anew each time, so that a second call sees what has
// changed meanwhile; [Set.Digest] tells whether anything did. Loading stops when ctx ends. The sources of this package
// are safe for concurrent use and keep no goroutine after Load has returned.
type Source interface {
	Load(ctx context.Context) (*Set, error)
}

// loader is a Source that is one function.
type loader func(ctx context.Context) (*Set, error)

// Load calls the function.
func (l loader) Load(ctx context.Context) (*Set, error) {
	return l(ctx)
}
