package session

import (
	"context"
	"fmt"
	"sync"
)

// Defaults of MailboxOptions.
const (
	// DefaultSessionQuestions is how many questions of one session may be open.
	DefaultSessionQuestions = 256
	// DefaultQuestions is how many questions may be open altogether.
	DefaultQuestions = 16 << 10
	// DefaultMailboxBytes is how many bytes of answers may wait: 64 MiB.
	DefaultMailboxBytes = 64 << 20
)

// MailboxOptions bounds a MemoryMailbox. A field that is zero or negative means
// the default.
type MailboxOptions struct {
	// SessionQuestions is how many questions of one session may be open; default
	// DefaultSessionQuestions.
	SessionQuestions int
	// Questions is how many questions may be open altogether; default
	// DefaultQuestions.
	Questions int
	// Bytes is how many bytes of answers may wait to be taken, altogether; default
	// DefaultMailboxBytes. Who has asked waits for his answer, so that hardly any
	// wait for longer than a moment.
	Bytes int
}

// MemoryMailbox is a Mailbox in this process's memory. It runs no goroutine, and
// holds nothing of a session without open questions. Safe for concurrent use.
type MemoryMailbox struct {
	options MailboxOptions

	mu       sync.Mutex
	sessions map[string]map[string]*question
	open     int // questions of all sessions
	bytes    int // of their answers
}

// question is one that is open.
type question struct {
	settled chan struct{} // closed with the answer, or when the question is closed
	answer  []byte        // nil before there is one
}

// NewMemoryMailbox returns a mailbox without questions.
func NewMemoryMailbox(opts MailboxOptions) *MemoryMailbox {
	orDefault(&opts.SessionQuestions, DefaultSessionQuestions)
	orDefault(&opts.Questions, DefaultQuestions)
	orDefault(&opts.Bytes, DefaultMailboxBytes)
	return &MemoryMailbox{options: opts, sessions: map[string]map[string]*question{}}
}

// Open implements Mailbox.
func (m *MemoryMailbox) Open(_ context.Context, session, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	questions := m.sessions[session]
	switch {
	case questions[id] != nil:
		return fmt.Errorf("question id %q is in use: make a new one for each question", id)
	case len(questions) >= m.options.SessionQuestions, m.open >= m.options.Questions:
		return ErrMailboxFull
	case questions == nil:
		questions = map[string]*question{}
		m.sessions[session] = questions
	}
	questions[id] = &question{settled: make(chan struct{})}
	m.open++
	return nil
}

// Put implements Mailbox.
func (m *MemoryMailbox) Put(_ context.Context, session, id string, response []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.sessions[session][id]
	switch {
	case q == nil, q.answer != nil:
		return ErrNoQuestion
	case len(response) > m.options.Bytes-m.bytes:
		return ErrMailboxFull
	}
	q.answer = append([]byte{}, response...) // not nil, whatever the response is
	m.bytes += len(response)
	close(q.settled)
	return nil
}

// Take implements Mailbox.
func (m *MemoryMailbox) Take(ctx context.Context, session, id string) ([]byte, error) {
	m.mu.Lock()
	q := m.sessions[session][id]
	m.mu.Unlock()
	if q == nil {
		return nil, ErrNoQuestion
	}
	select {
	case <-q.settled:
	default:
		select {
		case <-q.settled:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if q.answer == nil || m.sessions[session][id] != q {
		return nil, ErrNoQuestion
	}
	m.forget(session, id)
	return q.answer, nil
}

// Close implements Mailbox.
func (m *MemoryMailbox) Close(_ context.Context, session string, ids ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		m.forget(session, id)
	}
	if len(ids) == 0 {
		for id := range m.sessions[session] {
			m.forget(session, id)
		}
	}
	return nil
}

// Len returns how many questions are open.
func (m *MemoryMailbox) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open
}

// forget drops one question, if it is there; the caller holds mu.
func (m *MemoryMailbox) forget(session, id string) {
	questions := m.sessions[session]
	q := questions[id]
	if q == nil {
		return
	}
	if delete(questions, id); len(questions) == 0 {
		delete(m.sessions, session)
	}
	m.open--
	m.bytes -= len(q.answer)
	if q.answer == nil {
		close(q.settled)
	}
}
