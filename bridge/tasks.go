package bridge

import (
	"errors"
	"fmt"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/task"
)

// Defaults of [TaskOptions].
const (
	// DefaultTaskTTL is how long a task is kept: 1 h.
	DefaultTaskTTL = task.DefaultTTL
	// DefaultMaxTasks is how many tasks there may be at once: 1,000.
	DefaultMaxTasks = task.DefaultMax
)

// TaskOptions bound the calls that go on behind their answer, for clients with the extension io.modelcontextprotocol/tasks. A
// field that is zero means its default.
type TaskOptions struct {
	// TTL is how long a task is kept, from its creation on; one that has not ended then is ended. Default: 1 h.
	TTL time.Duration
	// Max is how many tasks there may be at once. Those that have ended make room for new ones, and do so too where their results
	// take more than 64 MiB together. Default: 1,000.
	Max int
	// MaxPerPrincipal is how many of them one principal may have, as authorization names it; its own that have ended make room
	// for its new ones. Without authorization nothing tells clients apart, and Max alone holds. Default: a quarter of Max.
	MaxPerPrincipal int
	// PollInterval is how often clients are told to ask for a task, and how often an operation is asked for at its backend at
	// first. Default: 1 s.
	PollInterval time.Duration
}

// minPollInterval is the shortest time between two questions for a task.
const minPollInterval = 10 * time.Millisecond

// WithTasks bounds the calls that go on as tasks. They live in this process's memory: another replica knows nothing of them,
// and neither does the next process.
func WithTasks(o TaskOptions) Option {
	return func(s *settings) error {
		var errs []error
		if o.TTL != 0 && o.TTL < time.Second {
			errs = append(errs, fmt.Errorf("tasks kept for %v: give at least %v", o.TTL, time.Second))
		}
		if o.Max < 0 {
			errs = append(errs, fmt.Errorf("%d tasks: give a number above zero", o.Max))
		}
		if o.MaxPerPrincipal < 0 {
			errs = append(errs, fmt.Errorf("%d tasks of one principal: give a number above zero", o.MaxPerPrincipal))
		}
		if o.PollInterval != 0 && o.PollInterval < minPollInterval {
			errs = append(errs, fmt.Errorf("tasks asked for every %v: give at least %v", o.PollInterval, minPollInterval))
		}
		s.tasks = task.Options{TTL: o.TTL, Max: o.Max, MaxPerPrincipal: o.MaxPerPrincipal, PollInterval: o.PollInterval}
		return errors.Join(errs...)
	}
}
