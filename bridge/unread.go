package bridge

import "fmt"

// BackendError is why the descriptors of one backend could not be read. [Bridge.Reload] and [Bridge.Replace] join one for each.
type BackendError struct {
	// Backend is its name.
	Backend string
	// Unread says that its own descriptors have never been read.
	Unread bool
	// Err is the cause; never nil.
	Err error
}

// Error names the backend and the cause.
func (e *BackendError) Error() string { return fmt.Sprintf("backend %q: %v", e.Backend, e.Err) }

// Unwrap returns the cause.
func (e *BackendError) Unwrap() error { return e.Err }

// Unread returns the names of the backends whose own descriptors have yet to be read, which is tried until they have been, in the
// order of New or of the last Replace; nil for none.
func (b *Bridge) Unread() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var names []string
	for _, l := range b.loaders {
		if l.pending() {
			names = append(names, l.Name)
		}
	}
	return names
}
