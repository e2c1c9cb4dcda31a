package framework

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	client "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	testserver "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"

	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/controlplane"
)

// TestServerSetup changes what a server is started with.
type TestServerSetup struct {
	ModifyServerRunOptions func(*options.ServerRunOptions)
	ModifyServerConfig     func(*controlplane.Config)
}

// TearDownFunc ends a server.
type TearDownFunc func()

// StartTestServer starts a server in a process of its own, with the options that differ as flags.
func StartTestServer(ctx context.Context, t testing.TB, setup TestServerSetup) (client.Interface, *rest.Config, TearDownFunc) {
	ctx, cancel := context.WithCancel(ctx)
	folder, err := os.MkdirTemp("", "test-integration-"+strings.ReplaceAll(t.Name(), "/", "_"))
	if err != nil {
		t.Fatal(err)
	}
	stop := func() {}
	tearDown := func() {
		cancel()
		stop()
		if err := os.RemoveAll(folder); err != nil {
			t.Log(err)
		}
	}
	opts := options.NewServerRunOptions()
	registry, err := testserver.OwnRegistry()
	if err != nil {
		t.Fatal(err)
	}
	opts.GenericServerRunOptions.ComponentGlobalsRegistry = registry
	opts.SecureServing.ServerCert.CertDirectory = folder
	opts.Etcd.StorageConfig.Prefix = filepath.Join("/", uuid.New().String(), "registry")
	opts.ServiceClusterIPRanges = "10.0.0.0/24"
	opts.Authentication.APIAudiences = []string{testserver.Issuer}
	opts.Authorization.Modes = []string{"Node", "RBAC"}
	if err := testserver.GiveAuthorities(opts, folder); err != nil {
		t.Fatal(err)
	}
	if setup.ModifyServerRunOptions != nil {
		setup.ModifyServerRunOptions(opts)
	}
	process, err := testserver.StartOptions(ctx, t, opts, setup.ModifyServerConfig, folder)
	if err != nil {
		t.Fatal(err)
	}
	stop = process.Stop
	config := process.Config
	config.CAFile, config.CAData = filepath.Join(folder, "apiserver.crt"), nil
	found, err := client.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return found, config, tearDown
}
