package testing

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/controlplane"
	"k8s.io/kubernetes/pkg/serviceaccount"
)

// notPassedOn are flags that the server gets otherwise.
var notPassedOn = map[string]bool{
	"secure-port": true, "bind-address": true, "cert-dir": true, "feature-gates": true, "emulated-version": true,
	"tls-cert-file": true, "tls-private-key-file": true, "etcd-prefix": true, "etcd-servers": true,
}

// changedFlags are those whose values differ from the ones of a kube-apiserver without flags.
func changedFlags(opts *options.ServerRunOptions) []string {
	unchanged := map[string]string{}
	visit := func(o *options.ServerRunOptions, each func(*pflag.Flag)) {
		sets := o.Flags()
		for _, set := range sets.FlagSets {
			set.VisitAll(each)
		}
	}
	fresh := options.NewServerRunOptions()
	fresh.GenericServerRunOptions.ComponentGlobalsRegistry = opts.GenericServerRunOptions.ComponentGlobalsRegistry
	visit(fresh, func(flag *pflag.Flag) { unchanged[flag.Name] = flag.Value.String() })
	var flags []string
	visit(opts, func(flag *pflag.Flag) {
		value := flag.Value.String()
		if unchanged[flag.Name] == value || notPassedOn[flag.Name] {
			return
		}
		if slice, ok := flag.Value.(pflag.SliceValue); ok {
			value = strings.Join(slice.GetSlice(), ",")
		}
		if flag.Name != "tls-sni-cert-key" {
			flags = append(flags, "--"+flag.Name+"="+value)
			return
		}
		for _, pair := range strings.Split(strings.Trim(value, "[]"), ";") {
			flags = append(flags, "--"+flag.Name+"="+pair)
		}
	})
	return flags
}

// GiveAuthorities lets clients, front proxies and tokens of service accounts come that the server knows by these files.
func GiveAuthorities(opts *options.ServerRunOptions, folder string) error {
	proxyFile, clientFile := filepath.Join(folder, "proxy-ca.crt"), filepath.Join(folder, "client-ca.crt")
	for file, name := range map[string]string{proxyFile: "front-proxy-ca", clientFile: "client-ca"} {
		if _, _, err := newAuthority(name, file); err != nil {
			return err
		}
	}
	headers := opts.Authentication.RequestHeader
	headers.ClientCAFile = proxyFile
	headers.AllowedNames = []string{"kube-aggregator"}
	headers.UsernameHeaders = []string{"X-Remote-User"}
	headers.GroupHeaders = []string{"X-Remote-Group"}
	headers.ExtraHeaderPrefixes = []string{"X-Remote-Extra-"}
	opts.Authentication.ClientCert.ClientCA = clientFile
	key, err := signingKey(folder)
	opts.ServiceAccountSigningKeyFile = key
	opts.Authentication.ServiceAccounts.Issuers = []string{Issuer}
	opts.Authentication.ServiceAccounts.KeyFiles = []string{key}
	return err
}

// unopinionated stands for the authorizer of the server, which is in another process.
type unopinionated struct{}

func (unopinionated) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionNoOpinion, "", nil
}

// StartOptions starts a server with the options of a kube-apiserver that would run in the test's process. Changes of
// its configuration that are code are made as far as flags can say them; a test whose others matter is skipped.
func StartOptions(ctx context.Context, t testing.TB, opts *options.ServerRunOptions, modify func(*controlplane.Config), certDir string) (*Process, error) {
	if err := MakeCertificate(opts.SecureServing.SecureServingOptions); err != nil {
		return nil, err
	}
	certificate := opts.SecureServing.ServerCert.CertKey
	flags := changedFlags(opts)
	if modify != nil {
		more, err := modifiedFlags(t, opts, modify, certDir)
		if err != nil {
			return nil, err
		}
		if valueOf(more, "authorization-mode") != "" {
			flags = without(flags, "authorization-mode")
		}
		flags = append(flags, more...)
	}
	return StartProcess(ctx, ProcessOptions{
		Flags: flags, Prefix: opts.Etcd.StorageConfig.Prefix, Folder: certDir, CAFile: certificate.CertFile,
		Base: []string{
			"--tls-cert-file=" + certificate.CertFile,
			"--tls-private-key-file=" + certificate.KeyFile,
		},
	})
}

// modifiedFlags are those that do what the test does to the configuration.
func modifiedFlags(t testing.TB, opts *options.ServerRunOptions, modify func(*controlplane.Config), folder string) ([]string, error) {
	config := &controlplane.Config{}
	config.ControlPlane.Generic = &genericapiserver.Config{LoopbackClientConfig: &restclient.Config{}}
	config.ControlPlane.Generic.Authorization.Authorizer = unopinionated{}
	if file := opts.ServiceAccountSigningKeyFile; file != "" && len(opts.Authentication.ServiceAccounts.Issuers) > 0 {
		key, err := keyutil.PrivateKeyFromFile(file)
		if err != nil {
			return nil, err
		}
		issuer, err := serviceaccount.JWTTokenGenerator(opts.Authentication.ServiceAccounts.Issuers[0], key)
		if err != nil {
			return nil, err
		}
		config.ControlPlane.Extra.ServiceAccountIssuer = issuer
	}
	modify(config)
	generic := config.ControlPlane.Generic
	var flags []string
	if generic.AdmissionControl != nil {
		t.Skip("a plug-in of admission in the process of the test")
	}
	if generic.RequestInfoResolver != nil {
		t.Skip("a resolver of requests in the process of the test")
	}
	if !reflect.DeepEqual(generic.Authorization.Authorizer, unopinionated{}) {
		hook, err := authorizationWebhook(t, generic.Authorization.Authorizer, folder)
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--authorization-mode=Webhook,"+strings.Join(opts.Authorization.Modes, ","),
			"--authorization-webhook-config-file="+hook, "--authorization-webhook-version=v1",
			"--authorization-webhook-cache-authorized-ttl=0s", "--authorization-webhook-cache-unauthorized-ttl=0s")
	}
	if generic.Authentication.Authenticator != nil {
		hook, err := authenticationWebhook(t, generic.Authentication.Authenticator, folder)
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--authentication-token-webhook-config-file="+hook,
			"--authentication-token-webhook-version=v1", "--authentication-token-webhook-cache-ttl=0s")
	}
	if longest := config.ControlPlane.Extra.ServiceAccountMaxExpiration; longest != 0 {
		flags = append(flags, "--service-account-max-token-expiration="+longest.String(),
			fmt.Sprintf("--service-account-extend-token-expiration=%t", config.ControlPlane.Extra.ExtendExpiration))
	}
	return flags, nil
}

// webhookFile is a kubeconfig for a webhook of the server.
func webhookFile(folder, name, url string, certificate *x509.Certificate) (string, error) {
	ca := filepath.Join(folder, name+"-ca.crt")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}), 0o600); err != nil {
		return "", err
	}
	file := filepath.Join(folder, name+".kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: hook, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: hook}]
contexts: [{name: hook, context: {cluster: hook, user: hook}}]
current-context: hook
`, url, ca)
	return file, os.WriteFile(file, []byte(text), 0o600)
}
