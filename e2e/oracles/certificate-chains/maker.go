package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/md5"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"os"
	"time"
)

// A party has a certificate and its key.
type party struct {
	der  []byte
	cert *x509.Certificate
	key  crypto.Signer
}

type change func(*x509.Certificate)

var serial int64 = 100

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func p256() crypto.Signer { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) }

func curve(of elliptic.Curve) crypto.Signer { return must(ecdsa.GenerateKey(of, rand.Reader)) }

func ed() crypto.Signer {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return must(key, err)
}

func rsaKey(bits int) crypto.Signer {
	if bits < 1024 {
		// Go makes none else, and signs nothing with it.
		os.Setenv("GODEBUG", "rsa1024min=0")
		defer os.Setenv("GODEBUG", "")
	}
	return must(rsa.GenerateKey(rand.Reader, bits))
}

func template(name string, changes []change) *x509.Certificate {
	serial++
	made := &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(time.Hour),
	}
	for _, one := range changes {
		one(made)
	}
	return made
}

func authority(made *x509.Certificate) {
	made.IsCA, made.BasicConstraintsValid, made.KeyUsage = true, true, x509.KeyUsageCertSign
}

// signed by the issuer, or by itself where there is none.
func signed(by *party, key crypto.Signer, made *x509.Certificate) *party {
	issuer, signer := made, key
	if by != nil {
		issuer, signer = by.cert, by.key
	}
	if small, ok := signer.(*rsa.PrivateKey); ok && small.N.BitLen() < 1024 {
		os.Setenv("GODEBUG", "rsa1024min=0")
		defer os.Setenv("GODEBUG", "")
	}
	signedOne := partyOf(must(x509.CreateCertificate(rand.Reader, made, issuer, key.Public(), signer)), key)
	if signedOne.cert == nil {
		// It signs others all the same.
		signedOne.cert = made
	}
	return signedOne
}

// partyOf is without a parsed certificate where Go takes it for none.
func partyOf(der []byte, key crypto.Signer) *party {
	cert, _ := x509.ParseCertificate(der)
	return &party{der, cert, key}
}

func root(name string, changes ...change) *party {
	return rootWith(p256(), name, changes...)
}

func rootWith(key crypto.Signer, name string, changes ...change) *party {
	return signed(nil, key, template(name, append([]change{authority}, changes...)))
}

func (p *party) middle(name string, changes ...change) *party {
	return p.middleWith(p256(), name, changes...)
}

func (p *party) middleWith(key crypto.Signer, name string, changes ...change) *party {
	return signed(p, key, template(name, append([]change{authority}, changes...)))
}

// leaf is of localhost and example.com, for servers and clients.
func (p *party) leaf(changes ...change) *party {
	return p.leafWith(p256(), changes...)
}

func (p *party) leafWith(key crypto.Signer, changes ...change) *party {
	return signed(p, key, leafTemplate(changes))
}

func leafTemplate(changes []change) *x509.Certificate {
	return template("leaf", append([]change{func(made *x509.Certificate) {
		made.DNSNames = []string{host}
		made.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	}}, changes...))
}

var host = "hooks.example.com"

func (p *party) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.der}))
}

// A certificate of which anything can be changed, and that is signed again.
type loose struct {
	TBS       asn1.RawValue
	Algorithm pkix.AlgorithmIdentifier
	Signature asn1.BitString
}

// edited replaces bytes in what is signed, all of one length, and has it signed again.
func (p *party) edited(by *party, old, new []byte) *party {
	if !bytes.Contains(p.cert.RawTBSCertificate, old) || len(old) != len(new) {
		panic("nothing to edit")
	}
	var whole loose
	must(asn1.Unmarshal(p.der, &whole))
	whole.TBS.FullBytes = bytes.Replace(whole.TBS.FullBytes, old, new, 1)
	hash := sha256.Sum256(whole.TBS.FullBytes)
	whole.Signature.Bytes = must(by.key.Sign(rand.Reader, hash[:], crypto.SHA256))
	whole.Signature.BitLength = len(whole.Signature.Bytes) * 8
	return partyOf(must(asn1.Marshal(whole)), p.key)
}

var oidMD5WithRSA = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 4}
var oidSHA256WithRSA = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 11}

// md5Signed has what was signed over SHA-256 signed over MD5, which Go does not do.
func (p *party) md5Signed(by *party) *party {
	var whole loose
	must(asn1.Unmarshal(p.der, &whole))
	old, new := must(asn1.Marshal(oidSHA256WithRSA)), must(asn1.Marshal(oidMD5WithRSA))
	whole.TBS.FullBytes = bytes.Replace(whole.TBS.FullBytes, old, new, 1)
	whole.Algorithm.Algorithm = oidMD5WithRSA
	hash := md5.Sum(whole.TBS.FullBytes)
	whole.Signature.Bytes = must(by.key.Sign(rand.Reader, hash[:], crypto.MD5))
	return partyOf(must(asn1.Marshal(whole)), p.key)
}

type firstVersion struct {
	Serial    *big.Int
	Algorithm pkix.AlgorithmIdentifier
	Issuer    asn1.RawValue
	Validity  struct{ From, To time.Time }
	Subject   asn1.RawValue
	Key       asn1.RawValue
}

// versionOne is the same certificate of version 1, which knows no extensions.
func (p *party) versionOne(by *party) *party {
	var whole loose
	must(asn1.Unmarshal(p.der, &whole))
	made := firstVersion{Serial: p.cert.SerialNumber, Algorithm: whole.Algorithm}
	made.Issuer.FullBytes, made.Subject.FullBytes = p.cert.RawIssuer, p.cert.RawSubject
	made.Key.FullBytes = p.cert.RawSubjectPublicKeyInfo
	made.Validity.From, made.Validity.To = p.cert.NotBefore, p.cert.NotAfter
	whole.TBS.FullBytes = must(asn1.Marshal(made))
	hash := sha256.Sum256(whole.TBS.FullBytes)
	whole.Signature.Bytes = must(by.key.Sign(rand.Reader, hash[:], crypto.SHA256))
	whole.Signature.BitLength = len(whole.Signature.Bytes) * 8
	return partyOf(must(asn1.Marshal(whole)), p.key)
}

func extension(critical bool, value []byte, id ...int) pkix.Extension {
	return pkix.Extension{Id: id, Critical: critical, Value: value}
}
