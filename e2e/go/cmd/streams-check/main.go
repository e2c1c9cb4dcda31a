// streams-check is client-go's streams as a command: exec, attach, logs and port-forwards of one pod, by
// SPDY or by WebSocket. It reads KUBECONFIG.
//
//	streams-check PROTOCOL exec POD CONTAINER WORD…
//	streams-check PROTOCOL attach POD CONTAINER
//	streams-check PROTOCOL log POD CONTAINER follow
//	streams-check PROTOCOL forward POD PORT
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/client-go/util/exec"
)

type asked struct {
	config      *rest.Config
	client      *kubernetes.Clientset
	isWebSocket bool
	pod         string
	rest        []string
}

func main() {
	if len(os.Args) < 5 {
		fmt.Fprintln(os.Stderr, "streams-check PROTOCOL VERB POD …")
		os.Exit(2)
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err == nil {
		of := asked{config, kubernetes.NewForConfigOrDie(config), os.Args[1] == "websocket", os.Args[3], os.Args[4:]}
		err = map[string]func(asked) error{"exec": command, "attach": attach, "log": follow, "forward": forward}[os.Args[2]](of)
	}
	var exited exec.CodeExitError
	if errors.As(err, &exited) {
		os.Exit(exited.Code)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (of asked) url(subresource string, options runtime.Object) *url.URL {
	request := of.client.CoreV1().RESTClient().Post().Namespace("default").Resource("pods").Name(of.pod).SubResource(subresource)
	if options != nil {
		request.VersionedParams(options, scheme.ParameterCodec)
	}
	return request.URL()
}

func (of asked) stream(to *url.URL) error {
	executor, err := remotecommand.NewSPDYExecutor(of.config, "POST", to)
	if of.isWebSocket {
		executor, err = remotecommand.NewWebSocketExecutor(of.config, "GET", to.String())
	}
	if err != nil {
		return err
	}
	return executor.StreamWithContext(context.Background(), remotecommand.StreamOptions{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
}

func command(of asked) error {
	return of.stream(of.url("exec", &corev1.PodExecOptions{
		Container: of.rest[0], Command: of.rest[1:], Stdin: true, Stdout: true, Stderr: true,
	}))
}

func attach(of asked) error {
	return of.stream(of.url("attach", &corev1.PodAttachOptions{Container: of.rest[0], Stdin: true, Stdout: true, Stderr: true}))
}

func follow(of asked) error {
	options := &corev1.PodLogOptions{Container: of.rest[0], Follow: of.rest[1] == "true"}
	log, err := of.client.CoreV1().Pods("default").GetLogs(of.pod, options).Stream(context.Background())
	if err != nil {
		return err
	}
	defer log.Close()
	_, err = io.Copy(os.Stdout, log)
	return err
}

// Prints the local port as kubectl does, and goes on until it is killed.
func forward(of asked) error {
	to := of.url("portforward", nil)
	var dialer httpstream.Dialer
	if of.isWebSocket {
		tunnel, err := portforward.NewSPDYOverWebsocketDialer(to, of.config)
		if err != nil {
			return err
		}
		dialer = tunnel
	} else {
		transport, upgrader, err := spdy.RoundTripperFor(of.config)
		if err != nil {
			return err
		}
		dialer = spdy.NewDialer(upgrader, &http.Client{Transport: transport}, "POST", to)
	}
	forwarder, err := portforward.New(dialer, []string{":" + of.rest[0]}, make(chan struct{}), make(chan struct{}), os.Stdout, os.Stderr)
	if err != nil {
		return err
	}
	return forwarder.ForwardPorts()
}
