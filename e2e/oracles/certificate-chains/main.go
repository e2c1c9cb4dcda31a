// certificate-chains makes chains of certificates and tells what Go thinks of each: crypto/tls as the
// client of a server that shows the chain, and crypto/x509 as kube-apiserver asks it about a client
// that shows it. Empty words mean that the chain is believed.
//
// It answers one line of JSON for each line that it reads, which may say when and of which host, and
// which rows: those come with their keys, and every one is judged by the roots of all of them, as by a
// server that has one file of authorities. Such rows can be given back, to be shown to a server.
package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"
)

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// A row is a chain, whom the judge believes, and what is thought of it.
type row struct {
	Name  string   `json:"name"`
	Host  string   `json:"host"`
	Roots string   `json:"roots"`
	Shown [][]byte `json:"shown"`
	// For what the leaf is shown to a client.
	Server string `json:"server"`
	// For what it is shown to a server.
	Client string `json:"client"`
	// Whether the words of the server come of a real handshake: for some keys Go serves none.
	Shaken bool `json:"shaken"`

	// PKCS #8, for what is to show the chain elsewhere too.
	Key []byte `json:"key,omitempty"`

	key any
}

type question struct {
	Now  int64    `json:"now"`
	Host string   `json:"host"`
	Rows []string `json:"rows"`
	// All rows, judged by the roots of all.
	All bool `json:"all"`
	// In the place of rows: what became of those that were answered before.
	Showing *showing `json:"showing"`
}

func (q *question) chosen(all []row) []row {
	if q.Rows == nil && !q.All {
		return all
	}
	var rows []row
	var roots string
	for _, one := range all {
		if q.All {
			rows, roots = append(rows, one), roots+readable(one.Roots)
		} else if slices.Contains(q.Rows, one.Name) {
			rows, roots = append(rows, one), roots+one.Roots
		}
	}
	for i := range rows {
		rows[i].Roots, rows[i].Key = roots, must(x509.MarshalPKCS8PrivateKey(rows[i].key))
	}
	return rows
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var asked question
		must(0, json.Unmarshal(lines.Bytes(), &asked))
		if asked.Now != 0 {
			now = time.UnixMilli(asked.Now).UTC()
		}
		if asked.Host != "" {
			host = asked.Host
		}
		line, err := json.Marshal(asked.answer())
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
	}
}

func (q *question) answer() map[string]any {
	if q.Showing != nil {
		return map[string]any{"shown": q.Showing.shown()}
	}
	rows := q.chosen(chains())
	for i := range rows {
		rows[i].judge()
	}
	answer := map[string]any{"now": now.UnixMilli(), "rows": rows}
	if q.All {
		answer["roots"] = rows[0].Roots
		for i := range rows {
			rows[i].Roots = ""
		}
	}
	return answer
}

func (r *row) judge() {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(r.Roots))
	r.Client = words(r.asClient(roots))
	err, shaken := r.asServer(roots)
	r.Server, r.Shaken = words(err), shaken
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (r *row) asClient(roots *x509.CertPool) error {
	certificates, err := r.parsed()
	if err == errTooLong {
		return errors.New("tls: client sent certificate containing RSA key larger than 8192 bits")
	}
	if err != nil {
		return fmt.Errorf("tls: failed to parse client certificate: %s", err)
	}
	switch key := certificates[0].PublicKey.(type) {
	case *rsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey:
	default:
		// Nothing of it comes as far as kube-apiserver's question.
		return fmt.Errorf("tls: client certificate contains an unsupported public key of type %T", key)
	}
	return verified(certificates, roots)
}

// asServer is the client of a server that shows the chain. Where Go's server cannot, it asks what the
// client asks, in the same order.
func (r *row) asServer(roots *x509.CertPool) (error, bool) {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	defer listener.Close()
	ours := must(net.Dial("tcp", listener.Addr().String()))
	defer ours.Close()
	theirs := must(listener.Accept())
	defer theirs.Close()
	must(0, ours.SetDeadline(time.Now().Add(10*time.Second)))
	go func() {
		pair := tls.Certificate{Certificate: r.Shown, PrivateKey: r.key}
		// A leaf is parsed by the server else, which is none of its business here.
		pair.Leaf = &x509.Certificate{}
		if tls.Server(theirs, &tls.Config{Certificates: []tls.Certificate{pair}}).Handshake() != nil {
			theirs.Close()
		}
	}()
	client := tls.Client(ours, &tls.Config{RootCAs: roots, ServerName: r.Host, Time: func() time.Time { return now }})
	err := client.Handshake()
	var verification *tls.CertificateVerificationError
	if err == nil || r.Host == "" || errors.As(err, &verification) || isOfCertificate(err) {
		return err, true
	}
	certificates, parseError := r.parsed()
	if parseError != nil {
		return fmt.Errorf("tls: failed to parse certificate from server: %s", parseError), false
	}
	options := x509.VerifyOptions{Roots: roots, CurrentTime: now, DNSName: r.Host, Intermediates: x509.NewCertPool()}
	for _, one := range certificates[1:] {
		options.Intermediates.AddCert(one)
	}
	if _, err := certificates[0].Verify(options); err != nil {
		return &tls.CertificateVerificationError{Err: err}, false
	}
	return nil, false
}

func isOfCertificate(err error) bool {
	for _, beginning := range []string{"tls: failed to parse certificate", "tls: server sent certificate", "tls: server's certificate", "tls: invalid signature by the server"} {
		if len(err.Error()) > len(beginning) && err.Error()[:len(beginning)] == beginning {
			return true
		}
	}
	return false
}

// What crypto/tls does not take; the words for a client are those that it has.
var errTooLong = errors.New("an RSA key that is too long")

func (r *row) parsed() ([]*x509.Certificate, error) {
	var certificates []*x509.Certificate
	for _, der := range r.Shown {
		one, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		if key, ok := one.PublicKey.(*rsa.PublicKey); ok && key.N.BitLen() > 8192 {
			return nil, errTooLong
		}
		certificates = append(certificates, one)
	}
	return certificates, nil
}
