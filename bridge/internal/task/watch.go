package task

// watch is somebody who is told of changes.
type watch struct {
	changed func(id string)
}

// Watch has changed called with the id of a task each time that one of these
// changes, until stop is called or the task is forgotten. It returns those of them
// that there are of the principal's, each once, in their order. changed is called
// under the lock of the store: it must not wait, nor call the store. After stop it
// is called no more.
func (s *Store) Watch(principal string, ids []string, changed func(id string)) (watched []string, stop func()) {
	w := &watch{changed: changed}
	s.mu.Lock()
	defer s.mu.Unlock()
	var tasks []*Task
	for _, id := range ids {
		t, err := s.find(principal, id)
		if err != nil {
			continue
		}
		if _, twice := t.watches[w]; twice {
			continue
		}
		t.watches[w] = struct{}{}
		tasks, watched = append(tasks, t), append(watched, id)
	}
	return watched, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, t := range tasks {
			delete(t.watches, w)
		}
	}
}
