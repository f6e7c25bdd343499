package config

import (
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

// stateKeys reads the keys that seal, that of now first; nil where none is given. No error shows a key.
func (s shelf) stateKeys(i *configv1.Interaction) ([][]byte, error) {
	if i.GetStateKey() == nil {
		return nil, nil
	}
	key, err := s.stateKey("interaction.state_key", i.GetStateKey())
	keys, errs := [][]byte{key}, []error{err}
	for n, old := range i.GetOldStateKeys() {
		key, err := s.stateKey(fmt.Sprintf("interaction.old_state_keys[%d]", n), old)
		keys, errs = append(keys, key), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return keys, nil
}

// stateKey reads one key.
func (s shelf) stateKey(path string, secret *configv1.Secret) ([]byte, error) {
	value, err := s.secret(secret, "key")
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case len(value) < bridge.MinStateKeyBytes:
		return nil, fmt.Errorf("%s: has %d bytes: a key has at least %d, such as those of \"openssl rand -hex 32\"",
			path, len(value), bridge.MinStateKeyBytes)
	}
	return []byte(value), nil
}
