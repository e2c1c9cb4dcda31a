package main

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// webhook converts hosts: v1 has spec.hostPort, v2 has spec.host and spec.port.
type webhook struct {
	server *httptest.Server

	mu      sync.Mutex
	mode    string
	calls   int
	objects int
}

func startWebhook() *webhook {
	w := &webhook{}
	w.server = httptest.NewTLSServer(http.HandlerFunc(w.serve))
	return w
}

func (w *webhook) caBundle() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate(w.server).Raw})
}

func certificate(server *httptest.Server) *x509.Certificate { return server.Certificate() }

// be decides how it answers from now on: "", "refuse", "rename" or "redirect".
func (w *webhook) be(mode string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mode = mode
}

// asked tells how often it was called since the last time, and about how many objects.
func (w *webhook) asked() (calls, objects int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls, objects = w.calls, w.objects
	w.calls, w.objects = 0, 0
	return calls, objects
}

type object = map[string]any

func (w *webhook) serve(answer http.ResponseWriter, question *http.Request) {
	var review struct {
		APIVersion string `json:"apiVersion"`
		Request    struct {
			UID               string   `json:"uid"`
			DesiredAPIVersion string   `json:"desiredAPIVersion"`
			Objects           []object `json:"objects"`
		} `json:"request"`
	}
	if err := json.NewDecoder(question.Body).Decode(&review); err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	w.calls++
	w.objects += len(review.Request.Objects)
	mode := w.mode
	w.mu.Unlock()
	if mode == "redirect" {
		http.Redirect(answer, question, "/elsewhere", http.StatusTemporaryRedirect)
		return
	}
	result := object{"status": "Success"}
	if mode == "refuse" {
		result = object{"status": "Failure", "message": "no thanks"}
	}
	for _, one := range review.Request.Objects {
		convert(one, review.Request.DesiredAPIVersion)
		if mode == "rename" {
			one["metadata"].(object)["name"] = "another"
		}
	}
	response := object{
		"kind":       "ConversionReview",
		"apiVersion": review.APIVersion,
		"response": object{
			"uid":              review.Request.UID,
			"result":           result,
			"convertedObjects": review.Request.Objects,
		},
	}
	if err := json.NewEncoder(answer).Encode(response); err != nil {
		panic(err)
	}
}

func convert(one object, apiVersion string) {
	one["apiVersion"] = apiVersion
	spec, _ := one["spec"].(object)
	if spec == nil {
		return
	}
	if strings.HasSuffix(apiVersion, "/v2") {
		host, port, _ := strings.Cut(fmt.Sprint(spec["hostPort"]), ":")
		delete(spec, "hostPort")
		spec["host"], spec["port"] = host, port
		return
	}
	spec["hostPort"] = fmt.Sprintf("%v:%v", spec["host"], spec["port"])
	delete(spec, "host")
	delete(spec, "port")
}
