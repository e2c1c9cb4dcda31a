// envtest-suite does what the suite of an operator does with envtest: it starts a control plane from
// KUBEBUILDER_ASSETS with a definition that has a conversion webhook and with a validating webhook,
// writes objects that both see, opens watches, and stops while they are open.
//
// It prints one line of JSON: what went wrong, and how long start and stop took in milliseconds. The
// environment variable WATCHES says how many watches are open, STARTS how often all of it is done.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type outcome struct {
	Failures []string `json:"failures"`
	StartMs  []int64  `json:"startMs"`
	StopMs   []int64  `json:"stopMs"`
	Kubectl  string   `json:"kubectl"`
}

func main() {
	ctrl.SetLogger(klog.Background())
	told := outcome{Failures: []string{}}
	for range numberOf("STARTS", 1) {
		if err := told.round(); err != nil {
			told.Failures = append(told.Failures, err.Error())
		}
	}
	line, err := json.Marshal(told)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
	if len(told.Failures) > 0 {
		os.Exit(1)
	}
}

func numberOf(name string, byDefault int) int {
	number, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return byDefault
	}
	return number
}

func (o *outcome) round() error {
	crate := definition()
	environment := &envtest.Environment{
		Scheme: scheme.Scheme,
		CRDs:   []*apiextensionsv1.CustomResourceDefinition{crate},
		WebhookInstallOptions: envtest.WebhookInstallOptions{
			ValidatingWebhooks: []*admissionv1.ValidatingWebhookConfiguration{validation()},
		},
	}
	began := time.Now()
	config, err := environment.Start()
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	o.StartMs = append(o.StartMs, time.Since(began).Milliseconds())
	failure := o.use(environment, config)
	ended := time.Now()
	if err := environment.Stop(); err != nil {
		failure = errors.Join(failure, fmt.Errorf("stop: %w", err))
	}
	o.StopMs = append(o.StopMs, time.Since(ended).Milliseconds())
	return failure
}

func (o *outcome) use(environment *envtest.Environment, config *rest.Config) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	direct, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	if err := serveWebhook(ctx, environment, config); err != nil {
		return err
	}
	if err := judged(ctx, direct); err != nil {
		return err
	}
	if err := keepsDependents(ctx, direct); err != nil {
		return err
	}
	user, err := environment.AddUser(envtest.User{Name: "someone"}, nil)
	if err != nil {
		return err
	}
	if o.Kubectl, err = currentUser(user); err != nil {
		return err
	}
	return openWatches(config, numberOf("WATCHES", 100))
}

// definition is served in two versions, with conversion by a webhook that envtest puts in.
func definition() *apiextensionsv1.CustomResourceDefinition {
	keepsAll := true
	open := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
		Type: "object", XPreserveUnknownFields: &keepsAll,
	}}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "crates.store.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "store.example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "crates", Kind: "Crate"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
				{Name: "v1", Served: true, Storage: true, Schema: open},
				{Name: "v2", Served: true, Schema: open},
			},
		},
	}
}

func validation() *admissionv1.ValidatingWebhookConfiguration {
	path, fails, none := "/validate", admissionv1.Fail, admissionv1.SideEffectClassNone
	return &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "maps"},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "maps.store.example.com", FailurePolicy: &fails, SideEffects: &none,
			AdmissionReviewVersions: []string{"v1"},
			ClientConfig: admissionv1.WebhookClientConfig{
				Service: &admissionv1.ServiceReference{Name: "store", Namespace: "default", Path: &path},
			},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Create},
				Rule: admissionv1.Rule{
					APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"},
				},
			}},
			NamespaceSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{"kubernetes.io/metadata.name": "default"},
			},
		}},
	}
}

// serveWebhook refuses ConfigMaps that are called "refused".
func serveWebhook(ctx context.Context, environment *envtest.Environment, config *rest.Config) error {
	options := &environment.WebhookInstallOptions
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir,
		}),
	})
	if err != nil {
		return err
	}
	handler := admission.HandlerFunc(func(_ context.Context, request admission.Request) admission.Response {
		if request.Name == "refused" {
			return admission.Denied("it is called refused")
		}
		return admission.Allowed("")
	})
	manager.GetWebhookServer().Register("/validate", &admission.Webhook{Handler: handler})
	// It goes on until the program ends: a suite that stops does so while its manager runs.
	go func() { _ = manager.Start(context.Background()) }()
	for manager.GetWebhookServer().StartedChecker()(nil) != nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

func judged(ctx context.Context, direct client.Client) error {
	err := direct.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "refused", Namespace: "default"}})
	if err == nil || !strings.Contains(err.Error(), "it is called refused") {
		return fmt.Errorf("the webhook was not asked: %w", err)
	}
	crate := &unstructured.Unstructured{}
	crate.SetGroupVersionKind(schema.GroupVersionKind{Group: "store.example.com", Version: "v1", Kind: "Crate"})
	crate.SetName("one")
	crate.SetNamespace("default")
	return direct.Create(ctx, crate)
}

// keepsDependents deletes an owner, behind which envtest collects nothing.
func keepsDependents(ctx context.Context, direct client.Client) error {
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner", Namespace: "default"}}
	if err := direct.Create(ctx, owner); err != nil {
		return err
	}
	dependent := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: "dependent", Namespace: "default",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: owner.UID}},
	}}
	if err := direct.Create(ctx, dependent); err != nil {
		return err
	}
	if err := direct.Delete(ctx, owner); err != nil {
		return err
	}
	wanted := os.Getenv("EVERWATCH_CONTROLLERS") == ""
	for end := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := direct.Get(ctx, types.NamespacedName{Namespace: "default", Name: "dependent"}, &corev1.Secret{})
		if wanted || err != nil {
			return expectation(wanted, err)
		}
		if time.Now().After(end) {
			return errors.New("the dependent was not collected")
		}
	}
}

func expectation(wanted bool, err error) error {
	if wanted {
		return err
	}
	return client.IgnoreNotFound(err)
}

func currentUser(user *envtest.AuthenticatedUser) (string, error) {
	kubectl, err := user.Kubectl()
	if err != nil {
		return "", err
	}
	stdout, stderr, err := kubectl.Run("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
	if err != nil {
		said, _ := io.ReadAll(stderr)
		return "", fmt.Errorf("kubectl: %w: %s", err, said)
	}
	said, err := io.ReadAll(stdout)
	return string(said), err
}

// openWatches leaves them open.
func openWatches(config *rest.Config, count int) error {
	direct, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	// The address that envtest gives ends with a slash, and no API server has a path with two.
	watches := strings.TrimSuffix(config.Host, "/") + "/api/v1/configmaps?watch=1"
	for range count {
		response, err := direct.Get(watches)
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("watch: %s", response.Status)
		}
		go func() { _, _ = io.Copy(io.Discard, response.Body) }()
	}
	return nil
}
