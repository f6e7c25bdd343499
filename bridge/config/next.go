package config

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// material is what a backend's configuration only names.
type material struct {
	headers, reflection metadata.MD
	certificates        certificates
}

// readMaterial reads the secrets and certificates of a backend.
func (s shelf) readMaterial(b *configv1.Backend) (m material, err error) {
	if m.headers, err = s.resolveHeaders(b.GetHeaders()); err != nil {
		return m, err
	}
	if m.reflection, err = s.resolveHeaders(b.GetDescriptors().GetReflection().GetHeaders()); err != nil {
		return m, fmt.Errorf("reflection: %w", err)
	}
	if b.GetTarget() != "" {
		m.certificates, err = s.readCertificates(b.GetTls())
	}
	return m, err
}

func (m material) equal(o material) bool {
	a, b := m.certificates, o.certificates
	return maps.EqualFunc(m.headers, o.headers, slices.Equal[[]string]) &&
		maps.EqualFunc(m.reflection, o.reflection, slices.Equal[[]string]) &&
		bytes.Equal(a.authorities, b.authorities) && bytes.Equal(a.cert, b.cert) && bytes.Equal(a.key, b.key)
}

// part is what a Setup has of one backend: what it was made of, and a hold on its connection.
type part struct {
	config   *configv1.Backend
	material material
	source   descriptor.Source
	link     *link        // nil without a target
	letGo    func() error // of link; counts once
}

// newPart opens a connection, if there is a target, and chooses the source of descriptors.
func newPart(b *configv1.Backend, m material, dial []grpc.DialOption) (*part, error) {
	p := &part{config: proto.CloneOf(b), material: m, letGo: func() error { return nil }}
	if b.GetTarget() == "" {
		p.source = &identified{source(b.GetDescriptors(), nil, m)}
		return p, nil
	}
	creds, err := transport(b, m.certificates)
	if err != nil {
		return nil, err
	}
	conn, err := connect(b, creds, dial)
	if err != nil {
		return nil, err
	}
	p.link = &link{conn: conn, holds: 1}
	p.letGo = sync.OnceValue(p.link.letGo)
	p.source = &identified{source(b.GetDescriptors(), conn, m)}
	return p, nil
}

// same returns a new hold on the part of s for a backend that is the same; nil where there is none.
func (s *Setup) same(b *configv1.Backend, m material) *part {
	for _, p := range s.parts {
		if cmp.Or(p.config.GetName(), "default") != cmp.Or(b.GetName(), "default") {
			continue
		}
		if !proto.Equal(p.config, b) || !p.material.equal(m) {
			return nil
		}
		shared := *p
		if p.link == nil {
			return &shared
		}
		if !p.link.hold() {
			return nil // closed by now
		}
		shared.letGo = sync.OnceValue(p.link.letGo)
		return &shared
	}
	return nil
}

// link is a connection and how many Setups hold it; the last to let go closes it. It is safe for concurrent use.
type link struct {
	conn *grpc.ClientConn

	mu     sync.Mutex
	holds  int
	closed bool
}

// hold counts one more Setup that holds the connection; false where it is closed.
func (l *link) hold() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.holds++
	return true
}

// letGo counts one less.
func (l *link) letGo() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holds--; l.holds > 0 {
		return nil
	}
	return l.end()
}

// close closes the connection, whoever holds it.
func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.end() // an error of a connection says only that it is closed already
}

// end closes the connection once; the caller holds mu.
func (l *link) end() error {
	if l.closed {
		return nil
	}
	l.closed = true
	return l.conn.Close()
}

// identified is a source of descriptors that is equal to itself alone, so that a bridge sees that a backend has kept its own.
type identified struct{ descriptor.Source }
