// What an HTTPS server of net/http says to a client that does not begin as TLS does. A question is
// {"text": base64}, the whole of what the client sends; the answer {"answer": base64}, up to the end
// of the connection. A question without a text is answered by the cipher suites and curves of
// crypto/tls.
package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	address, err := serve()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	questions := bufio.NewScanner(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for questions.Scan() {
		var question struct{ Text []byte }
		if err := json.Unmarshal(questions.Bytes(), &question); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if question.Text == nil {
			_ = answers.Encode(choices())
			continue
		}
		answer, err := ask(address, question.Text)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_ = answers.Encode(map[string][]byte{"answer": answer})
	}
}

func choices() map[string]any {
	curves := map[string]string{}
	for id := 1; id < 1<<16; id++ {
		if name := tls.CurveID(id).String(); !strings.HasPrefix(name, "CurveID(") {
			curves[strconv.Itoa(id)] = name
		}
	}
	return map[string]any{
		"secure":   namesOf(tls.CipherSuites()),
		"insecure": namesOf(tls.InsecureCipherSuites()),
		"curves":   curves,
	}
}

func namesOf(suites []*tls.CipherSuite) []string {
	names := []string{}
	for _, suite := range suites {
		names = append(names, suite.Name)
	}
	return names
}

func serve() (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	pair := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	server := &http.Server{
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}},
		ErrorLog:  log.New(io.Discard, "", 0),
	}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	return listener.Addr().String(), nil
}

func ask(address string, text []byte) ([]byte, error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	if _, err := connection.Write(text); err != nil {
		return nil, err
	}
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		return nil, err
	}
	return io.ReadAll(connection)
}
