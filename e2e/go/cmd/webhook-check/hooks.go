package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type served struct {
	port      int32
	authority []byte
}

// startHooks serves until the context is done.
func startHooks(ctx context.Context, result *report) (*served, error) {
	pair, certificate, err := ownCertificate()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		return nil, err
	}
	server := webhook.NewServer(webhook.Options{
		Host: "127.0.0.1",
		Port: port,
		TLSOpts: []func(*tls.Config){func(config *tls.Config) {
			config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return pair, nil }
		}},
	})
	server.Register("/mutate", &webhook.Admission{Handler: counted(result, "mutate", label)})
	server.Register("/validate", &webhook.Admission{Handler: counted(result, "validate", judge)})
	go func() {
		if err := server.Start(ctx); err != nil {
			fmt.Println(err)
		}
	}()
	if err := untilServing(ctx, port); err != nil {
		return nil, err
	}
	return &served{port: int32(port), authority: certificate}, nil
}

// ownCertificate is no authority and is signed by itself, as tests of operators have it: in PEM it is
// the whole bundle of the authorities to believe.
func ownCertificate() (*tls.Certificate, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "hooks"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:     []string{"hooks.default.svc"},
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, bundle, nil
}

func untilServing(ctx context.Context, port int) error {
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for {
		connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
		if err == nil {
			return connection.Close()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func counted(result *report, name string, handler admission.HandlerFunc) admission.Handler {
	return admission.HandlerFunc(func(ctx context.Context, request admission.Request) admission.Response {
		result.lock.Lock()
		result.Calls[name+" "+string(request.Operation)]++
		result.lock.Unlock()
		return handler(ctx, request)
	})
}

func label(_ context.Context, request admission.Request) admission.Response {
	if request.Operation == admissionv1.Delete {
		return admission.Allowed("")
	}
	object := &core.ConfigMap{}
	if err := json.Unmarshal(request.Object.Raw, object); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if object.Labels == nil {
		object.Labels = map[string]string{}
	}
	object.Labels["mutated"] = string(request.Operation)
	changed, err := json.Marshal(object)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, changed)
}

func judge(_ context.Context, request admission.Request) admission.Response {
	if request.Operation == admissionv1.Delete {
		return admission.Denied(fmt.Sprintf("%s keeps %s", request.UserInfo.Username, request.Name))
	}
	object := &core.ConfigMap{}
	if err := json.Unmarshal(request.Object.Raw, object); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if _, bad := object.Data["bad"]; bad {
		return admission.Denied("no bad keys")
	}
	response := admission.Allowed("")
	if _, odd := object.Data["odd"]; odd {
		response = response.WithWarnings("an odd key")
	}
	return response
}
