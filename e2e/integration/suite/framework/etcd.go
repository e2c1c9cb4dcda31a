package framework

import (
	"errors"
	"flag"
	"os"
	"testing"

	"k8s.io/klog/v2"
	testserver "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"
)

// RunCustomEtcd is for tests that start a server in their process, which there is none of here.
func RunCustomEtcd(klog.Logger, string, []string) (url string, stopFn func(), err error) {
	return "", nil, errors.New("there is no etcd")
}

// EtcdMain runs tests without an etcd: each server has a data directory.
func EtcdMain(tests func() int) {
	flag.Parse()
	result := tests()
	testserver.RemoveData()
	klog.StopFlushDaemon()
	os.Exit(result)
}

// GetEtcdURL is where no etcd is.
func GetEtcdURL() string {
	return "http://127.0.0.1:1"
}

// StartEtcd starts none.
func StartEtcd(_ klog.Logger, tb testing.TB, _ bool) {
	tb.Cleanup(testserver.RemoveData)
}
