package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdCertify implements "certify NAME HOST": it writes NAME.pem and NAME.key, a certificate for a host that is its own
// authority.
func cmdCertify(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: certify NAME HOST")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{args[1]},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	ts.Check(err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	ts.Check(err)
	for path, block := range map[string]*pem.Block{
		args[0] + ".pem": {Type: "CERTIFICATE", Bytes: cert}, args[0] + ".key": {Type: "PRIVATE KEY", Bytes: pkcs8},
	} {
		ts.Check(os.WriteFile(ts.MkAbs(path), pem.EncodeToMemory(block), 0o600))
	}
}
