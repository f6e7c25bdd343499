package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/mcpgrpc/bridge/bridge"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// interactionOptions translates what is said of questions, but for the keys, which have to be read.
func interactionOptions(i *configv1.Interaction) []bridge.Option {
	var list []bridge.Option
	if i.GetStateLifetime() != nil {
		list = append(list, bridge.WithStateLifetime(i.GetStateLifetime().AsDuration()))
	}
	if i.GetAnswerTimeout() != nil {
		list = append(list, bridge.WithAnswerTimeout(i.GetAnswerTimeout().AsDuration()))
	}
	if n := i.GetMaxRounds(); n > 0 {
		list = append(list, bridge.WithMaxRounds(int(n)))
	}
	return list
}

// streamOptions translates the limits of what is collected of streams.
func streamOptions(l *configv1.Limits) []bridge.Option {
	var list []bridge.Option
	if n := l.GetMaxStreamMessages(); n > 0 {
		list = append(list, bridge.WithMaxStreamMessages(int(n)))
	}
	if n := l.GetMaxStreamBytes(); n > 0 {
		list = append(list, bridge.WithMaxStreamBytes(int(n)))
	}
	return list
}

// taskOptions translates what is said of tasks; nil for nothing.
func taskOptions(t *configv1.Tasks) []bridge.Option {
	if t == nil {
		return nil
	}
	return []bridge.Option{bridge.WithTasks(bridge.TaskOptions{
		TTL: t.GetTtl().AsDuration(), Max: int(t.GetMaxTasks()), MaxPerPrincipal: int(t.GetMaxTasksPerPrincipal()),
		PollInterval: t.GetPollInterval().AsDuration(),
	})}
}

// stateKeys refuses keys of before without one of now: the bridge would make one, and no other replica could go on with its
// calls.
func (f *faults) stateKeys(i *configv1.Interaction) {
	if len(i.GetOldStateKeys()) > 0 && i.GetStateKey() == nil {
		f.add("interaction.old_state_keys", "needs a state_key beside it, which seals from now on")
	}
}

// tasks refuses bounds that contradict each other.
func (f *faults) tasks(t *configv1.Tasks) {
	if all, one := cmp.Or(t.GetMaxTasks(), bridge.DefaultMaxTasks), t.GetMaxTasksPerPrincipal(); one > all {
		f.add("tasks.max_tasks_per_principal", fmt.Sprintf("is %d, and there are %d tasks at most (max_tasks): set one no higher than the other", one, all))
	}
	ttl, poll := bridge.DefaultTaskTTL, t.GetPollInterval().AsDuration()
	if t.GetTtl() != nil {
		ttl = t.GetTtl().AsDuration()
	}
	if poll > ttl {
		f.add("tasks.poll_interval", fmt.Sprintf("is %v, and a task is kept for %v (ttl): nobody would learn what it has come to", poll, ttl))
	}
}

// Unusable says which keys of a configuration are there and cannot be used, each in a sentence that begins with its path and
// does not show it. Keys that are not there, or cannot be read, are none of them: they may be where the configuration is for. It
// waits for files as [Read] does, or until ctx ends.
func Unusable(ctx context.Context, c *configv1.Config) []string {
	var texts []string
	_, errs := newShelf(ctx, new(Reader)).readKeys(c.GetInteraction())
	for _, err := range errs {
		if short, ok := errors.AsType[*shortKeyError](err); ok {
			texts = append(texts, short.Error())
		}
	}
	return texts
}

// shortKeyError is a key that is too short.
type shortKeyError struct {
	path  string
	bytes int
}

// Error names the key and the mend.
func (e *shortKeyError) Error() string {
	return fmt.Sprintf("%s: has %d bytes: a key has at least %d, such as those of \"openssl rand -hex 32\"",
		e.path, e.bytes, bridge.MinStateKeyBytes)
}

// stateKeys reads the keys that seal, that of now first; nil where none is given. No error shows a key.
func (s shelf) stateKeys(i *configv1.Interaction) ([][]byte, error) {
	keys, errs := s.readKeys(i)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return keys, nil
}

// readKeys is stateKeys with one error for each key, nil for one that can be used.
func (s shelf) readKeys(i *configv1.Interaction) (keys [][]byte, errs []error) {
	if i.GetStateKey() == nil {
		return nil, nil
	}
	key, err := s.stateKey("interaction.state_key", i.GetStateKey())
	keys, errs = append(keys, key), append(errs, err)
	for n, old := range i.GetOldStateKeys() {
		key, err := s.stateKey(fmt.Sprintf("interaction.old_state_keys[%d]", n), old)
		keys, errs = append(keys, key), append(errs, err)
	}
	return keys, errs
}

// stateKey reads one key.
func (s shelf) stateKey(path string, secret *configv1.Secret) ([]byte, error) {
	value, err := s.secret(secret, "key")
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case len(value) < bridge.MinStateKeyBytes:
		return nil, &shortKeyError{path, len(value)}
	}
	return []byte(value), nil
}
