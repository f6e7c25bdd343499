package config_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

func TestMain(m *testing.M) {
	resolver.Register(retrying{})
	goleak.VerifyTestMain(m)
}

// retrying resolves retrying:///host:port and tries to turn retries on by its service config, as a TXT record in DNS can.
type retrying struct{}

func (retrying) Scheme() string { return "retrying" }

func (retrying) Build(t resolver.Target, cc resolver.ClientConn, _ resolver.BuildOptions) (resolver.Resolver, error) {
	policy := cc.ParseServiceConfig(`{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.01s",
		"maxBackoff": "0.01s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`)
	state := resolver.State{Addresses: []resolver.Address{{Addr: t.Endpoint()}}, ServiceConfig: policy}
	return retrying{}, cc.UpdateState(state)
}

func (retrying) ResolveNow(resolver.ResolveNowOptions) {}
func (retrying) Close()                                {}

// server is a health service that refuses with UNAVAILABLE and remembers the metadata of its calls by method.
type server struct {
	grpc_health_v1.UnimplementedHealthServer
	address string

	mu   sync.Mutex
	seen map[string][]metadata.MD
}

func (s *server) Check(context.Context, *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	return nil, status.Error(codes.Unavailable, "so it is")
}

func (s *server) note(ctx context.Context, method string) {
	md, _ := metadata.FromIncomingContext(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[method] = append(s.seen[method], md)
}

// calls returns the metadata of all calls whose method has a part in its name.
func (s *server) calls(part string) []metadata.MD {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []metadata.MD
	for method, mds := range s.seen {
		if strings.Contains(method, part) {
			all = append(all, mds...)
		}
	}
	return all
}

// serve starts the server on loopback, with reflection.
func serve(t *testing.T, options ...grpc.ServerOption) *server {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{address: lis.Addr().String(), seen: map[string][]metadata.MD{}}
	g := grpc.NewServer(append(options,
		grpc.UnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			s.note(ctx, info.FullMethod)
			return next(ctx, req)
		}),
		grpc.StreamInterceptor(func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			s.note(ss.Context(), info.FullMethod)
			return next(srv, ss)
		}))...)
	grpc_health_v1.RegisterHealthServer(g, s)
	reflection.Register(g)
	done := make(chan error, 1)
	go func() { done <- g.Serve(lis) }()
	t.Cleanup(func() {
		g.Stop()
		<-done
	})
	return s
}

// dial dials a configuration with one backend.
func dial(t *testing.T, b *configv1.Backend) *config.Setup {
	t.Helper()
	setup, err := config.Dial(&configv1.Config{Backends: []*configv1.Backend{b}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { setup.Close() })
	return setup
}

// check calls the server over the first connection of a setup.
func check(t *testing.T, setup *config.Setup) error {
	t.Helper()
	_, err := grpc_health_v1.NewHealthClient(setup.Backends[0].Conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	return err
}

func plaintext() *configv1.Backend_Plaintext {
	return &configv1.Backend_Plaintext{Plaintext: &configv1.Plaintext{}}
}

// authority issues certificates into files of its own.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	a.cert, a.key = a.issue(t, "ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// file returns the path of a certificate ("ca.pem") or key ("ca.key").
func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// issue signs a certificate, with the authority's own key once there is one, and writes it and its key.
func (a *authority) issue(t *testing.T, name string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber, template.Subject = big.NewInt(1), pkix.Name{CommonName: name}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := template, key
	if a.cert != nil {
		parent, signer = a.cert, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{
		a.file(name + ".pem"): {Type: "CERTIFICATE", Bytes: der}, a.file(name + ".key"): {Type: "PRIVATE KEY", Bytes: pkcs8},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}
