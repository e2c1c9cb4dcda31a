package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type served struct {
	port      int32
	authority []byte
}

// startHooks serves until the context is done.
func startHooks(ctx context.Context, result *report) (*served, error) {
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, []string{"hooks.default.svc"})
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
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
			config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }
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
