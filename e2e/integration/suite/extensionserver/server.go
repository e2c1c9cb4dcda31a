// Package testing starts Everwatch as a process where the integration tests of apiextensions-apiserver start that server
// in their own: it stands in the place of k8s.io/apiextensions-apiserver/pkg/cmd/server/testing.
package testing

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
	extensionsapiserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	restclient "k8s.io/client-go/rest"
	testserver "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"
)

// TearDownFunc ends a server.
type TearDownFunc func()

// TestServerInstanceOptions has no options.
type TestServerInstanceOptions struct{}

// TestServer is a server that runs.
type TestServer struct {
	ClientConfig    *restclient.Config
	ServerOpts      *options.CustomResourceDefinitionsServerOptions
	TearDownFn      TearDownFunc
	TmpDir          string
	CompletedConfig extensionsapiserver.CompletedConfig
}

// Logger is what a test offers.
type Logger interface {
	Errorf(format string, args ...interface{})
	Fatalf(format string, args ...interface{})
	Logf(format string, args ...interface{})
}

// NewDefaultTestServerOptions returns no options.
func NewDefaultTestServerOptions() *TestServerInstanceOptions {
	return &TestServerInstanceOptions{}
}

// notPassedOn are flags of apiextensions-apiserver alone.
var notPassedOn = map[string]bool{
	"etcd-prefix": true, "etcd-servers": true, "authentication-skip-lookup": true, "authentication-kubeconfig": true,
	"authorization-kubeconfig": true, "kubeconfig": true, "disable-admission-plugins": true,
}

// StartTestServer starts a whole server, of which the test uses what apiextensions-apiserver has.
func StartTestServer(t Logger, _ *TestServerInstanceOptions, customFlags []string, storageConfig *storagebackend.Config) (TestServer, error) {
	s := options.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr)
	fs := pflag.NewFlagSet("test", pflag.PanicOnError)
	s.AddFlags(fs)
	if storageConfig != nil {
		s.RecommendedOptions.Etcd.StorageConfig = *storageConfig
	}
	if err := fs.Parse(customFlags); err != nil {
		return TestServer{}, err
	}
	folder, err := os.MkdirTemp("", "apiextensions-apiserver")
	if err != nil {
		return TestServer{}, err
	}
	s.RecommendedOptions.SecureServing.ServerCert.CertDirectory = folder
	if err := s.RecommendedOptions.SecureServing.MaybeDefaultWithSelfSignedCerts("127.0.0.1", nil, nil); err != nil {
		return TestServer{}, err
	}
	certificate := s.RecommendedOptions.SecureServing.ServerCert.CertKey
	// The plug-ins that those tests switch off, without those that refuse nothing here.
	flags := []string{"--disable-admission-plugins=NamespaceLifecycle,MutatingAdmissionWebhook," +
		"ValidatingAdmissionWebhook,ValidatingAdmissionPolicy,MutatingAdmissionPolicy"}
	fs.Visit(func(flag *pflag.Flag) {
		if notPassedOn[flag.Name] {
			return
		}
		value := flag.Value.String()
		if slice, ok := flag.Value.(pflag.SliceValue); ok {
			value = strings.Join(slice.GetSlice(), ",")
		}
		flags = append(flags, fmt.Sprintf("--%s=%s", flag.Name, value))
	})
	process, err := testserver.StartProcess(context.Background(), testserver.ProcessOptions{
		Flags: flags, Prefix: s.RecommendedOptions.Etcd.StorageConfig.Prefix, Folder: folder, CAFile: certificate.CertFile,
		Base: []string{
			"--runtime-config=api/all=true",
			"--tls-cert-file=" + certificate.CertFile,
			"--tls-private-key-file=" + certificate.KeyFile,
		},
	})
	if err != nil {
		return TestServer{}, err
	}
	s.RecommendedOptions.SecureServing.BindPort = process.Port
	return TestServer{
		ClientConfig: process.Config, ServerOpts: s, TmpDir: folder,
		TearDownFn: func() {
			process.Stop()
			os.RemoveAll(folder)
		},
	}, nil
}

// StartTestServerOrDie ends the test where StartTestServer fails.
func StartTestServerOrDie(t Logger, instanceOptions *TestServerInstanceOptions, flags []string, storageConfig *storagebackend.Config) *TestServer {
	result, err := StartTestServer(t, instanceOptions, flags, storageConfig)
	if err != nil {
		t.Fatalf("failed to launch server: %v", err)
		return nil
	}
	return &result
}
