package testing

import (
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apiserver/pkg/cel/environment"
	serveroptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storageversion"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	restclient "k8s.io/client-go/rest"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/test/utils/ktesting"
)

// Issuer of the tokens of service accounts.
const Issuer = "https://foo.bar.example.com"

// TearDownFunc ends a server.
type TearDownFunc func()

// TestServerInstanceOptions are those of kube-apiserver's own tests.
type TestServerInstanceOptions struct {
	SkipHealthzCheck bool
	EnableCertAuth   bool
	// StorageVersionWrapFunc is for what runs in the process of the test: there is nothing to be wrapped.
	StorageVersionWrapFunc func(storageversion.Manager) storageversion.Manager
	ProxyCA                *ProxyCA
	BinaryVersion          string
	RequestTimeout         time.Duration
}

// TestServer is a server that runs.
type TestServer struct {
	ClientConfig *restclient.Config
	ServerOpts   *options.ServerRunOptions
	TearDownFn   TearDownFunc
	TmpDir       string
	// EtcdClient answers with an error: there is no etcd.
	EtcdClient        *clientv3.Client
	EtcdStoragePrefix string
}

// Logger is what a test or a benchmark offers.
type Logger interface {
	Helper()
	Errorf(format string, args ...interface{})
	Fatalf(format string, args ...interface{})
	Logf(format string, args ...interface{})
	Cleanup(func())
}

// ProxyCA signs the certificates of proxies, which name the users of their requests.
type ProxyCA struct {
	ProxySigningCert *x509.Certificate
	ProxySigningKey  *rsa.PrivateKey
}

// NewDefaultTestServerOptions takes client certificates.
func NewDefaultTestServerOptions() *TestServerInstanceOptions {
	return &TestServerInstanceOptions{EnableCertAuth: true}
}

// StartTestServer starts a server with the flags of the test.
func StartTestServer(t ktesting.TB, instanceOptions *TestServerInstanceOptions, customFlags []string, storageConfig *storagebackend.Config) (result TestServer, err error) {
	ctx := ktesting.Init(t).WithCancel()
	if instanceOptions == nil {
		instanceOptions = NewDefaultTestServerOptions()
	}
	result.TmpDir, err = os.MkdirTemp("", "kubernetes-kube-apiserver")
	if err != nil {
		return result, err
	}
	stop := func() {}
	tearDown := func() {
		ctx.Cancel("tearing down")
		stop()
		os.RemoveAll(result.TmpDir)
	}
	defer func() {
		if err != nil {
			tearDown()
		}
	}()
	s, err := optionsOf(customFlags)
	if err != nil {
		return result, err
	}
	s.Etcd.StorageConfig = *storageConfig
	// The test may ask for what a server in its process would have made by now.
	environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	key, err := signingKey(result.TmpDir)
	if err != nil {
		return result, err
	}
	s.SecureServing.ServerCert.CertDirectory = result.TmpDir
	if err := MakeCertificate(s.SecureServing.SecureServingOptions); err != nil {
		return result, err
	}
	certificate := s.SecureServing.ServerCert.CertKey
	base := []string{
		"--tls-cert-file=" + certificate.CertFile, "--tls-private-key-file=" + certificate.KeyFile,
		"--service-cluster-ip-range=10.0.0.0/16", "--service-account-issuer=" + Issuer,
		"--service-account-signing-key-file=" + key, "--service-account-key-file=" + key,
	}
	if instanceOptions.RequestTimeout > 0 {
		base = append(base, "--request-timeout="+instanceOptions.RequestTimeout.String())
	}
	if instanceOptions.EnableCertAuth {
		more, err := certificateFlags(result.TmpDir, instanceOptions.ProxyCA)
		if err != nil {
			return result, err
		}
		base = append(base, more...)
	}
	process, err := StartProcess(ctx, ProcessOptions{
		Flags: customFlags, Base: base, Prefix: storageConfig.Prefix, Folder: result.TmpDir,
		CAFile: certificate.CertFile, SkipHealthz: instanceOptions.SkipHealthzCheck,
	})
	if err != nil {
		return result, err
	}
	stop = process.Stop
	s.SecureServing.BindPort = process.Port
	result.EtcdClient, _, err = GetEtcdClients(storageConfig.Transport)
	if err != nil {
		return result, err
	}
	result.ClientConfig = process.Config
	result.ServerOpts = s
	result.TearDownFn = tearDown
	result.EtcdStoragePrefix = storageConfig.Prefix
	return result, nil
}

// StartTestServerOrDie ends the test where StartTestServer fails.
func StartTestServerOrDie(t testing.TB, instanceOptions *TestServerInstanceOptions, flags []string, storageConfig *storagebackend.Config) *TestServer {
	result, err := StartTestServer(t, instanceOptions, flags, storageConfig)
	if err != nil {
		t.Fatalf("failed to launch server: %v", err)
	}
	return &result
}

// GetEtcdClients returns clients that answer with an error at once: there is no etcd.
func GetEtcdClients(storagebackend.TransportConfig) (*clientv3.Client, clientv3.KV, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://127.0.0.1:1"}})
	if err != nil {
		return nil, nil, err
	}
	if err := client.Close(); err != nil {
		return nil, nil, err
	}
	return client, clientv3.NewKV(client), nil
}

// OwnRegistry has the gates, and the release, that the test has set. It is one of its own, as the flags of one test are nothing
// to others.
func OwnRegistry() (basecompatibility.ComponentGlobalsRegistry, error) {
	registry := basecompatibility.NewComponentGlobalsRegistry()
	version := compatibility.DefaultKubeEffectiveVersionForTest()
	gates := utilfeature.DefaultMutableFeatureGate.DeepCopy()
	if emulated := gates.EmulationVersion(); emulated.Minor() != defaultMinor {
		version.SetEmulationVersion(emulated)
	}
	return registry, registry.Register(basecompatibility.DefaultKubeComponent, version, gates)
}

// optionsOf reads the flags, for tests that look at what came of them. The server reads them itself.
func optionsOf(flags []string) (*options.ServerRunOptions, error) {
	s := options.NewServerRunOptions()
	registry, err := OwnRegistry()
	if err != nil {
		return nil, err
	}
	s.Options.GenericServerRunOptions.ComponentGlobalsRegistry = registry
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	named := s.Flags()
	for _, flags := range named.FlagSets {
		set.AddFlagSet(flags)
	}
	return s, set.Parse(flags)
}

// MakeCertificate makes one for 127.0.0.1 in the directory of certificates, or takes that of Kubernetes' own tests.
func MakeCertificate(serving *serveroptions.SecureServingOptions) error {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return fmt.Errorf("nothing says where this file lies")
	}
	serving.ServerCert.FixtureDirectory = filepath.Join(filepath.Dir(file), "testdata")
	names := []string{"kubernetes.default.svc", "kubernetes.default", "kubernetes"}
	return serving.MaybeDefaultWithSelfSignedCerts("127.0.0.1", names, []net.IP{net.IPv4(10, 0, 0, 1)})
}

func createLocalhostListenerOnFreePort() (net.Listener, int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, 0, err
	}
	return listener, listener.Addr().(*net.TCPAddr).Port, nil
}

// requestHeaderFlags are the names of the headers by which a front proxy names users.
func requestHeaderFlags() []string {
	headers := serveroptions.NewDelegatingAuthenticationOptions().RequestHeader
	return []string{
		"--requestheader-allowed-names=" + strings.Join(proxyNames, ","),
		"--requestheader-username-headers=" + strings.Join(headers.UsernameHeaders, ","),
		"--requestheader-group-headers=" + strings.Join(headers.GroupHeaders, ","),
		"--requestheader-extra-headers-prefix=" + strings.Join(headers.ExtraHeaderPrefixes, ","),
	}
}

// NoEtcd is a client that answers with an error at once.
func NoEtcd(clientv3.Config) (*clientv3.Client, error) {
	client, _, err := GetEtcdClients(storagebackend.TransportConfig{})
	return client, err
}
