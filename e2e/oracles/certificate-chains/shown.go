package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// A showing is a client that shows chains to a server, one after another, in each way.
type showing struct {
	// Where the server listens; "": a server of Go's own, which asks as kube-apiserver does.
	Address string `json:"address"`
	Roots   string `json:"roots"`
	Rows    []row  `json:"rows"`
}

// What became of a chain: the code of the answer by each way, 0 where the server ended the connection.
type shown struct {
	Name  string         `json:"name"`
	Codes map[string]int `json:"codes"`
}

type way struct {
	version  uint16
	protocol string
	// Whether a chain is shown only where the server names an authority of it.
	isAsked bool
	// Whether what is sent arrives in small pieces.
	inPieces bool
}

var ways = map[string]way{
	"HTTP/1.1 over TLS 1.2":           {version: tls.VersionTLS12, protocol: "http/1.1"},
	"HTTP/1.1 over TLS 1.2 in pieces": {version: tls.VersionTLS12, protocol: "http/1.1", inPieces: true},
	"HTTP/2 over TLS 1.3":             {version: tls.VersionTLS13, protocol: "h2"},
	"HTTP/2 over TLS 1.3 in pieces":   {version: tls.VersionTLS13, protocol: "h2", inPieces: true},
	"HTTP/1.1 over TLS 1.3, if asked": {version: tls.VersionTLS13, protocol: "http/1.1", isAsked: true},
}

func (s *showing) shown() []shown {
	if s.Address == "" {
		server := goServer(s.Roots)
		defer server.Close()
		s.Address = server.Addr
	}
	all := []shown{}
	for _, one := range s.Rows {
		codes := map[string]int{}
		for name, way := range ways {
			codes[name] = one.codeOf(s.Address, way)
		}
		all = append(all, shown{one.Name, codes})
	}
	return all
}

func (r *row) codeOf(address string, by way) int {
	pair := tls.Certificate{Certificate: r.Shown, PrivateKey: must(x509.ParsePKCS8PrivateKey(r.Key))}
	config := &tls.Config{
		InsecureSkipVerify: true, MinVersion: by.version, MaxVersion: by.version, NextProtos: []string{by.protocol},
		GetClientCertificate: func(asked *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			if by.isAsked && asked.SupportsCertificate(&pair) != nil {
				return &tls.Certificate{}, nil
			}
			return &pair, nil
		},
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: by.protocol == "h2", DisableKeepAlives: true}
	if by.inPieces {
		transport.DialContext = func(_ context.Context, network, address string) (net.Conn, error) {
			whole, err := net.Dial(network, address)
			return pieces{whole}, err
		}
	}
	defer transport.CloseIdleConnections()
	deadline, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	request := must(http.NewRequestWithContext(deadline, http.MethodGet, "https://"+address+"/version", nil))
	answer, err := transport.RoundTrip(request)
	if err != nil {
		must(0, deadline.Err())
		return 0
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// What is written to pieces leaves in several, of which no two are read at once.
type pieces struct{ net.Conn }

func (p pieces) Write(bytes []byte) (int, error) {
	written := 0
	for len(bytes) > 0 {
		count, err := p.Conn.Write(bytes[:min(len(bytes), pieceBytes)])
		written += count
		if err != nil {
			return written, err
		}
		bytes = bytes[count:]
		time.Sleep(time.Millisecond)
	}
	return written, nil
}

const pieceBytes = 400

// goServer asks for certificates and believes them as kube-apiserver does.
func goServer(bundle string) *http.Server {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(bundle))
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	own := root("a server")
	pair := tls.Certificate{Certificate: [][]byte{own.der}, PrivateKey: own.key}
	server := &http.Server{
		Addr:      listener.Addr().String(),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert},
		ErrorLog:  log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
			shown := request.TLS.PeerCertificates
			if len(shown) == 0 || shown[0].Subject.CommonName == "" || verified(shown, roots) != nil {
				answer.WriteHeader(http.StatusUnauthorized)
			}
		}),
	}
	go server.ServeTLS(listener, "", "")
	return server
}

func verified(shown []*x509.Certificate, roots *x509.CertPool) error {
	options := x509.VerifyOptions{
		Roots: roots, CurrentTime: now, Intermediates: x509.NewCertPool(),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	for _, one := range shown[1:] {
		options.Intermediates.AddCert(one)
	}
	_, err := shown[0].Verify(options)
	return err
}

// readable has the authorities of a bundle that Go can read.
func readable(bundle string) string {
	var kept []byte
	for block, rest := pem.Decode([]byte(bundle)); block != nil; block, rest = pem.Decode(rest) {
		if _, err := x509.ParseCertificate(block.Bytes); err == nil {
			kept = append(kept, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: block.Bytes})...)
		}
	}
	return string(kept)
}
