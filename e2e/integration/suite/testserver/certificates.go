package testing

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	testutil "k8s.io/kubernetes/test/utils"
)

// proxyNames may name other users.
var proxyNames = []string{"ash", "misty", "brock"}

const certificateHours = 10_000

// signingKey writes a new key for the tokens of service accounts.
func signingKey(folder string) (string, error) {
	file := filepath.Join(folder, "service-account.key")
	return file, writeNewKey(file, nil)
}

// writeNewKey writes a key, and the certificate that `sign` makes for it.
func writeNewKey(file string, sign func(*ecdsa.PrivateKey) error) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	encoded, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return err
	}
	if err := keyutil.WriteKey(file, encoded); err != nil || sign == nil {
		return err
	}
	return sign(key)
}

// newAuthority makes one, and writes its certificate.
func newAuthority(name, file string) (*x509.Certificate, *rsa.PrivateKey, error) {
	key, err := testutil.NewPrivateKey()
	if err != nil {
		return nil, nil, err
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: name}, key)
	if err != nil {
		return nil, nil, err
	}
	return certificate, key, os.WriteFile(file, testutil.EncodeCertPEM(certificate), 0o644)
}

// certificateFlags let clients and front proxies come with certificates, and give the server one as a front proxy.
func certificateFlags(folder string, given *ProxyCA) ([]string, error) {
	proxyFile := filepath.Join(folder, "proxy-ca.crt")
	clientFile := filepath.Join(folder, "client-ca.crt")
	if _, _, err := newAuthority("client-ca", clientFile); err != nil {
		return nil, err
	}
	if given == nil {
		certificate, key, err := newAuthority("front-proxy-ca", proxyFile)
		if err != nil {
			return nil, err
		}
		given = &ProxyCA{ProxySigningCert: certificate, ProxySigningKey: key}
	} else if err := os.WriteFile(proxyFile, testutil.EncodeCertPEM(given.ProxySigningCert), 0o644); err != nil {
		return nil, err
	}
	certFile, keyFile := filepath.Join(folder, "misty-crt.crt"), filepath.Join(folder, "misty-crt.key")
	err := writeNewKey(keyFile, func(key *ecdsa.PrivateKey) error {
		signed, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
			Subject:      pkix.Name{CommonName: "misty"},
			SerialNumber: big.NewInt(time.Now().UnixNano()),
			NotBefore:    given.ProxySigningCert.NotBefore,
			NotAfter:     time.Now().Add(certificateHours * time.Hour),
			KeyUsage:     x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature,
			ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		}, given.ProxySigningCert, key.Public(), given.ProxySigningKey)
		if err != nil {
			return err
		}
		return os.WriteFile(certFile, testutil.EncodeCertPEM(&x509.Certificate{Raw: signed}), 0o644)
	})
	return append(requestHeaderFlags(),
		"--client-ca-file="+clientFile, "--requestheader-client-ca-file="+proxyFile,
		"--proxy-client-cert-file="+certFile, "--proxy-client-key-file="+keyFile), err
}
