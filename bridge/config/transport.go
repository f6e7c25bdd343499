package config

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
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

// connect prepares the connection to a backend. It does not touch the network.
func connect(b *configv1.Backend) (*grpc.ClientConn, error) {
	creds, err := transport(b)
	if err != nil {
		return nil, err
	}
	reconnect := backoff.Config{BaseDelay: firstReconnect, Multiplier: 1.6, Jitter: 0.2, MaxDelay: maxReconnect}
	conn, err := grpc.NewClient(b.GetTarget(),
		grpc.WithTransportCredentials(creds),
		// A service config from DNS could turn on retries, and with them repeated executions. The second option is for those
		// of other origin. Neither touches gRPC's transparent retry of what the server declared unprocessed.
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnect, MinConnectTimeout: dialTimeout}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingAfter, Timeout: pingTimeout}),
		grpc.WithUserAgent("bridge/"+bridge.Version()),
	)
	if err != nil {
		return nil, fmt.Errorf("target %q: %w", b.GetTarget(), err)
	}
	return conn, nil
}

// transport returns how a connection is secured: TLS unless the configuration says plaintext.
func transport(b *configv1.Backend) (credentials.TransportCredentials, error) {
	if b.GetPlaintext() != nil {
		return insecure.NewCredentials(), nil
	}
	settings := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: b.GetTls().GetServerName()}
	if path := b.GetTls().GetCaFile(); path != "" {
		pool, err := readPool(path)
		if err != nil {
			return nil, err
		}
		settings.RootCAs = pool
	}
	if path := b.GetTls().GetCertFile(); path != "" {
		cert, err := tls.LoadX509KeyPair(path, b.GetTls().GetKeyFile())
		if err != nil {
			return nil, fmt.Errorf("client certificate %s with key %s: %w", path, b.GetTls().GetKeyFile(), err)
		}
		settings.Certificates = []tls.Certificate{cert}
	}
	return credentials.NewTLS(settings), nil
}

// readPool reads the certificate authorities of a PEM file.
func readPool(path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("certificate authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("certificate authorities: %s holds no PEM certificate: give a file with BEGIN CERTIFICATE blocks", path)
	}
	return pool, nil
}
