// The streaming half of a kubelet, on the code that container runtimes have of it. A container is a
// process of this machine; a port of a pod is one of this machine.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/proxy"
	translator "k8s.io/apiserver/pkg/util/proxy"
	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	"k8s.io/streaming/pkg/httpstream/wsstream"
	utilexec "k8s.io/utils/exec"
)

const (
	idle     = 4 * time.Hour
	creating = 30 * time.Second
)

// How many requests are being answered; /open tells.
var open atomic.Int64

type containers struct{}

func (containers) ExecInContainer(ctx context.Context, _, _, _ string, cmd []string, in io.Reader, out, err io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize, _ time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if tty && len(cmd) == 1 && cmd[0] == "size" {
		size := <-resize
		_, failed := fmt.Fprintf(out, "%dx%d\n", size.Width, size.Height)
		return failed
	}
	process := exec.CommandContext(ctx, cmd[0], cmd[1:]...)
	process.WaitDelay = time.Second
	if in != nil {
		// As a pipe of our own: a process that ends is not waited for until its input has ended.
		pipe, failed := process.StdinPipe()
		if failed != nil {
			return failed
		}
		go func() {
			_, _ = io.Copy(pipe, in)
			_ = pipe.Close()
		}()
	}
	if out != nil {
		process.Stdout = out
	}
	if err != nil {
		process.Stderr = err
	} else {
		process.Stderr = process.Stdout
	}
	failed := process.Run()
	if exited, ok := failed.(*exec.ExitError); ok {
		return utilexec.CodeExitError{Err: exited, Code: exited.ExitCode()}
	}
	return failed
}

func (containers) AttachContainer(_ context.Context, _, _, _ string, in io.Reader, out, err io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize) error {
	if _, failed := fmt.Fprintln(out, "attached"); failed != nil || in == nil {
		return failed
	}
	_, failed := io.Copy(out, in)
	return failed
}

func (containers) PortForward(_ context.Context, _, _ string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	far, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer far.Close()
	go func() {
		_, _ = io.Copy(far, stream)
		_ = far.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(stream, far)
	return err
}

func serveCommand(w http.ResponseWriter, req *http.Request) {
	options, err := remotecommand.NewOptions(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	parts := strings.Split(req.URL.Path, "/")
	pod, container := parts[3], parts[len(parts)-1]
	if parts[1] == "attach" {
		remotecommand.ServeAttach(w, req, containers{}, pod, "", container, options, idle, creating, remotecommand.SupportedStreamingProtocols)
		return
	}
	command := req.URL.Query()["command"]
	remotecommand.ServeExec(w, req, containers{}, pod, "", container, command, options, idle, creating, remotecommand.SupportedStreamingProtocols)
}

func servePorts(w http.ResponseWriter, req *http.Request) {
	options, err := portforward.NewV4Options(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pod := strings.Split(req.URL.Path, "/")[3]
	portforward.ServePortForward(w, req, containers{}, pod, "", options, idle, creating, portforward.SupportedProtocols)
}

// Says what was asked, and with `follow` a line every few milliseconds until the client is gone.
func serveLog(w http.ResponseWriter, req *http.Request) {
	query := req.URL.Query()
	if strings.HasSuffix(req.URL.Path, "/missing") {
		http.Error(w, "no log of it", http.StatusNotFound)
		return
	}
	fmt.Fprintf(w, "%s?%s\n", req.URL.Path, req.URL.RawQuery)
	if query.Get("follow") == "" {
		return
	}
	for line := 0; ; line++ {
		fmt.Fprintf(w, "line %d\n", line)
		w.(http.Flusher).Flush()
		select {
		case <-req.Context().Done():
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// What came, as JSON; `/big/N` has N bytes, and `/page` is a page with links.
func serveElse(w http.ResponseWriter, req *http.Request) {
	if size, found := strings.CutPrefix(req.URL.Path, "/big/"); found {
		count, _ := strconv.ParseInt(size, 10, 64)
		_, _ = io.CopyN(w, zeros{}, count)
		return
	}
	switch req.URL.Path {
	case "/open":
		fmt.Fprintf(w, "%d", open.Load()-1)
	case "/redirect":
		w.Header().Set("Location", "/elsewhere?a=b")
		w.WriteHeader(http.StatusFound)
	case "/page":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<a href="/metrics">x</a><a href="sub">y</a><a href="https://example.org/z">z</a>`)
	default:
		body, _ := io.ReadAll(req.Body)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "application/json")
		common := ""
		if req.TLS != nil && len(req.TLS.PeerCertificates) > 0 {
			common = req.TLS.PeerCertificates[0].Subject.CommonName
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"method": req.Method, "path": req.URL.EscapedPath(), "query": req.URL.RawQuery,
			"host": req.Host, "headers": req.Header, "body": string(body), "commonName": common,
		})
	}
}

type zeros struct{}

func (zeros) Read(into []byte) (int, error) { return len(into), nil }

// What kubelet 1.36 has in front: WebSockets of today are turned into SPDY towards itself.
func withWebSockets(inner http.Handler, self *url.URL, transport http.RoundTripper) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		location := *self
		location.Path, location.RawQuery = req.URL.Path, req.URL.RawQuery
		// Some clients offer the protocol of commands for ports as well.
		isPorts := strings.HasPrefix(req.URL.Path, "/portForward/")
		if !isPorts && wsstream.IsWebSocketRequestWithStreamCloseProtocol(req) {
			options, _ := remotecommand.NewOptions(req)
			translator.NewStreamTranslatorHandler(&location, transport, 0, translator.Options{
				Stdin: options.Stdin, Stdout: options.Stdout, Stderr: options.Stderr, Tty: options.TTY,
			}).ServeHTTP(w, req)
			return
		}
		if isPorts && wsstream.IsWebSocketRequestWithTunnelingProtocol(req) {
			handler := proxy.NewUpgradeAwareHandler(&location, transport, false, true, nil)
			translator.NewTunnelingHandler(handler).ServeHTTP(w, req)
			return
		}
		inner.ServeHTTP(w, req)
	})
}

func counted(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		open.Add(1)
		defer open.Add(-1)
		inner.ServeHTTP(w, req)
	})
}

func main() {
	address := flag.String("listen", "127.0.0.1:0", "")
	cert := flag.String("cert", "", "of the server; none: without TLS")
	key := flag.String("key", "", "")
	clientCA := flag.String("client-ca", "", "whose clients alone are answered")
	webSockets := flag.Bool("websockets", false, "as kubelet 1.36 does")
	flag.Parse()

	mux := http.NewServeMux()
	mux.HandleFunc("/exec/", serveCommand)
	mux.HandleFunc("/attach/", serveCommand)
	mux.HandleFunc("/portForward/", servePorts)
	mux.HandleFunc("/containerLogs/", serveLog)
	mux.HandleFunc("/", serveElse)
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	handler := http.Handler(mux)
	if *webSockets {
		inside, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		go func() { log.Fatal(http.Serve(inside, mux)) }()
		self := &url.URL{Scheme: "http", Host: inside.Addr().String()}
		handler = withWebSockets(mux, self, nil)
	}
	server := &http.Server{Handler: counted(handler)}
	if *cert == "" {
		fmt.Println(listener.Addr().String())
		log.Fatal(server.Serve(listener))
	}
	server.TLSConfig = &tls.Config{NextProtos: []string{"http/1.1"}}
	if *clientCA != "" {
		pem, err := os.ReadFile(*clientCA)
		if err != nil {
			log.Fatal(err)
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		server.TLSConfig.ClientCAs = pool
		server.TLSConfig.ClientAuth = tls.RequireAndVerifyClientCert
	}
	fmt.Println(listener.Addr().String())
	log.Fatal(server.ServeTLS(listener, *cert, *key))
}
