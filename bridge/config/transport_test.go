package config_test

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// reached is what the server answers to a call that arrives.
const reached = "so it is"

func TestTransport(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t), newAuthority(t)
	ca.issue(t, "library.internal", &x509.Certificate{DNSNames: []string{"library.internal"}})
	ca.issue(t, "client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	other.issue(t, "client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	trusted := func(edit func(*configv1.Tls)) *configv1.Tls {
		settings := &configv1.Tls{CaFile: ca.file("ca.pem"), ServerName: "library.internal"}
		edit(settings)
		return settings
	}
	client := func(a *authority) func(*configv1.Tls) {
		return func(s *configv1.Tls) { s.CertFile, s.KeyFile = a.file("client.pem"), a.file("client.key") }
	}
	// In TLS 1.3 the client's part is over before the server has looked at its certificate. What the client then meets first,
	// the alert or the end of the connection, is a matter of chance.
	const refused = "certificate|broken pipe|connection reset"
	for _, tt := range []struct {
		name   string
		mutual bool
		tls    *configv1.Tls
		want   string
	}{
		{"authority and server name", false, trusted(func(*configv1.Tls) {}), reached},
		{
			"wrong server name", false, trusted(func(s *configv1.Tls) { s.ServerName = "shop.internal" }),
			"valid for library.internal, not shop.internal",
		},
		{"server name of the target", false, trusted(func(s *configv1.Tls) { s.ServerName = "" }), "cannot validate certificate for 127.0.0.1"},
		{"authority unknown to the system", false, trusted(func(s *configv1.Tls) { s.CaFile = "" }), "unknown authority"},
		{"another authority", false, trusted(func(s *configv1.Tls) { s.CaFile = other.file("ca.pem") }), "unknown authority"},
		{"nothing said", false, nil, "failed to verify certificate"},
		{"client certificate", true, trusted(client(ca)), reached},
		{"client certificate of another authority", true, trusted(client(other)), refused},
		{"no client certificate", true, trusted(func(*configv1.Tls) {}), refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, grpc.Creds(serverTLS(t, ca, tt.mutual)))
			b := &configv1.Backend{Target: s.address}
			if tt.tls != nil {
				b.Transport = &configv1.Backend_Tls{Tls: tt.tls}
			}
			if err := check(t, dial(t, b)); err == nil || !regexp.MustCompile(tt.want).MatchString(err.Error()) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// serverTLS are the credentials of library.internal, which asks for a client certificate of the same authority if mutual.
func serverTLS(t *testing.T, ca *authority, mutual bool) credentials.TransportCredentials {
	t.Helper()
	cert, err := tls.LoadX509KeyPair(ca.file("library.internal.pem"), ca.file("library.internal.key"))
	if err != nil {
		t.Fatal(err)
	}
	settings := &tls.Config{Certificates: []tls.Certificate{cert}, ClientCAs: x509.NewCertPool()}
	settings.ClientCAs.AddCert(ca.cert)
	if mutual {
		settings.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return credentials.NewTLS(settings)
}

// TestPlaintextIsExplicit: a server without TLS is not talked to unless the configuration says so.
func TestPlaintextIsExplicit(t *testing.T) {
	t.Parallel()
	s := serve(t)
	if err := check(t, dial(t, &configv1.Backend{Target: s.address})); err == nil || strings.Contains(err.Error(), reached) {
		t.Errorf("error %v, want a failed handshake", err)
	}
	if err := check(t, dial(t, &configv1.Backend{Target: s.address, Transport: plaintext()})); err == nil ||
		!strings.Contains(err.Error(), reached) {
		t.Errorf("error %v, want %q", err, reached)
	}
}

// TestOldTLS: TLS 1.1 is not spoken.
func TestOldTLS(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	ca.issue(t, "library.internal", &x509.Certificate{DNSNames: []string{"library.internal"}})
	cert, err := tls.LoadX509KeyPair(ca.file("library.internal.pem"), ca.file("library.internal.key"))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t,
		grpc.Creds(credentials.NewTLS(&tls.Config{
			Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11,
		})))
	b := &configv1.Backend{
		Target: s.address, Transport: &configv1.Backend_Tls{Tls: &configv1.Tls{CaFile: ca.file("ca.pem"), ServerName: "library.internal"}},
	}
	if err := check(t, dial(t, b)); err == nil || !strings.Contains(err.Error(), "protocol version") {
		t.Errorf("error %v, want a refused protocol version", err)
	}
}

func TestTransportFiles(t *testing.T) {
	t.Parallel()
	a, b := newAuthority(t), newAuthority(t)
	noPEM := write(t, "not PEM")
	for _, tt := range []struct {
		name string
		tls  *configv1.Tls
		want string
	}{
		{"no authority file", &configv1.Tls{CaFile: "/nowhere.pem"}, "certificate authorities: open /nowhere.pem"},
		{"no PEM", &configv1.Tls{CaFile: noPEM}, noPEM + " holds no PEM certificate"},
		{"no certificate file", &configv1.Tls{CertFile: "/nowhere.pem", KeyFile: a.file("ca.key")}, "client certificate /nowhere.pem"},
		{
			"key of another certificate", &configv1.Tls{CertFile: a.file("ca.pem"), KeyFile: b.file("ca.key")},
			"private key does not match public key",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := valid()
			c.Backends[0].Transport = &configv1.Backend_Tls{Tls: tt.tls}
			_, err := config.Dial(c)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), `backend "default": `) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := os.Stat(noPEM); err != nil {
		t.Error(err)
	}
}
