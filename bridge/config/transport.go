package config

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"github.com/mcpgrpc/bridge/bridge"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// How connections are kept. They are opened when first used and again after they broke; calls never wait for one that
// cannot be opened.
const (
	firstReconnect = 50 * time.Millisecond // pause after the first attempt to connect: a restart is over in no time
	maxReconnect   = time.Second           // longest pause: a backend that is back is used within it
	dialTimeout    = 5 * time.Second       // of one attempt
	pingAfter      = 30 * time.Second      // of silence while a call is in flight
	pingTimeout    = 10 * time.Second
)

// connect prepares the connection to a backend, secured by creds. It does not touch the network.
func connect(b *configv1.Backend, creds credentials.TransportCredentials, more []grpc.DialOption) (*grpc.ClientConn, error) {
	reconnect := backoff.Config{BaseDelay: firstReconnect, Multiplier: 1.6, Jitter: 0.2, MaxDelay: maxReconnect}
	conn, err := grpc.NewClient(b.GetTarget(), append([]grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		// A service config from DNS could turn on retries, and with them repeated executions. The second option is for those
		// of other origin. Neither touches gRPC's transparent retry of what the server declared unprocessed.
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnect, MinConnectTimeout: dialTimeout}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingAfter, Timeout: pingTimeout}),
		grpc.WithUserAgent("bridge/" + bridge.Version()),
	}, more...)...)
	if err != nil {
		return nil, fmt.Errorf("target %q: %w", b.GetTarget(), err)
	}
	return conn, nil
}

// maxCertificates bounds a file of certificates or of a key: 8 MiB.
const maxCertificates = 8 << 20

// certificates are what the files of a [configv1.Tls] hold; nil for those that are not named.
type certificates struct{ authorities, cert, key []byte }

// readCertificates reads the files that there are.
func (s shelf) readCertificates(t *configv1.Tls) (c certificates, err error) {
	if path := t.GetCaFile(); path != "" {
		if c.authorities, err = s.pem(path); err != nil {
			return c, fmt.Errorf("certificate authorities: %w", err)
		}
	}
	if t.GetCertFile() == "" {
		return c, nil
	}
	if c.cert, err = s.pem(t.GetCertFile()); err == nil {
		c.key, err = s.pem(t.GetKeyFile())
	}
	if err != nil {
		return c, unpaired(t, err)
	}
	return c, nil
}

// pem returns what is in a file of certificates or of a key.
func (s shelf) pem(path string) ([]byte, error) {
	text, err := s.read(path, maxCertificates)
	if len(text) > maxCertificates {
		return nil, fmt.Errorf("%s is larger than the %d bytes that certificates may have: name a file in PEM", path, maxCertificates)
	}
	return text, err
}

// transport returns how a connection is secured: TLS unless the configuration says plaintext.
func transport(b *configv1.Backend, c certificates) (credentials.TransportCredentials, error) {
	if b.GetPlaintext() != nil {
		return insecure.NewCredentials(), nil
	}
	t := b.GetTls()
	settings := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.GetServerName()}
	if t.GetCaFile() != "" {
		settings.RootCAs = x509.NewCertPool()
		if !settings.RootCAs.AppendCertsFromPEM(c.authorities) {
			return nil, fmt.Errorf("certificate authorities: %s holds no PEM certificate: give a file with BEGIN CERTIFICATE blocks", t.GetCaFile())
		}
	}
	if t.GetCertFile() != "" {
		pair, err := tls.X509KeyPair(c.cert, c.key)
		if err != nil {
			return nil, unpaired(t, err)
		}
		settings.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(settings), nil
}

// unpaired says which client certificate an error is about.
func unpaired(t *configv1.Tls, err error) error {
	return fmt.Errorf("client certificate %s with key %s: %w", t.GetCertFile(), t.GetKeyFile(), err)
}
