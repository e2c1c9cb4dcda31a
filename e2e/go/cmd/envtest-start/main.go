// envtest-start does what a test of an operator does: it starts the program of the first argument, called
// kube-apiserver, with the certificates and arguments of envtest, and asks it as an administrator. The
// address of etcd is one where nothing listens.
//
// It prints one line of JSON with what it found wrong, and exits with 1 when that is anything.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func main() {
	ctrl.SetLogger(klog.Background())
	failures := []string{}
	said := &bytes.Buffer{}
	if err := check(os.Args[1], said); err != nil {
		failures = append(failures, err.Error(), said.String())
	}
	line, err := json.Marshal(map[string]any{"failures": failures, "warnings": warningsIn(said.String())})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
	if len(failures) > 0 {
		os.Exit(1)
	}
}

func check(program string, said *bytes.Buffer) error {
	etcd := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	server := &envtest.APIServer{Path: program, EtcdURL: etcd, StartTimeout: time.Minute, Out: said, Err: said}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() { _ = server.Stop() }()
	base := &rest.Config{
		Host:            server.SecureServing.URL("https", "/").String(),
		TLSClientConfig: rest.TLSClientConfig{CAData: server.SecureServing.CA},
	}
	user, err := server.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, base)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(user)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "started"}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, space, metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err = client.CoreV1().Namespaces().Get(ctx, "started", metav1.GetOptions{})
	return err
}

func warningsIn(said string) []string {
	warnings := []string{}
	for _, line := range strings.Split(said, "\n") {
		if strings.HasPrefix(line, "W") {
			warnings = append(warnings, line)
		}
	}
	return warnings
}
