// webhook-check serves admission webhooks with controller-runtime and is, with client-go, the client
// whose writes they see: one adds a label, one refuses what has a bad key and warns of an odd one.
// One is named by its address, the other by its service.
//
// It reads KUBECONFIG, prints one line of JSON on standard output and exits with 1 when anything
// was not as it must be.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "default"

type report struct {
	Failures []string       `json:"failures"`
	Messages []string       `json:"messages"`
	Warnings []string       `json:"warnings"`
	Calls    map[string]int `json:"calls"`
	lock     sync.Mutex
}

func (r *report) fail(format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
}

func (r *report) HandleWarningHeader(_ int, _ string, text string) {
	r.Warnings = append(r.Warnings, text)
}

func main() {
	result := &report{Failures: []string{}, Messages: []string{}, Warnings: []string{}, Calls: map[string]int{}}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := check(ctx, result); err != nil {
		result.fail("%v", err)
	}
	result.lock.Lock()
	defer result.lock.Unlock()
	line, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
	if len(result.Failures) > 0 {
		os.Exit(1)
	}
}

func check(ctx context.Context, result *report) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.QPS = -1
	config.WarningHandler = result
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	hooks, err := startHooks(ctx, result)
	if err != nil {
		return fmt.Errorf("serving webhooks: %w", err)
	}
	if err := configure(ctx, client, hooks); err != nil {
		return fmt.Errorf("configuring webhooks: %w", err)
	}
	return write(ctx, client, result)
}

func configure(ctx context.Context, client kubernetes.Interface, hooks *served) error {
	service := &core.Service{ObjectMeta: metav1.ObjectMeta{Name: "hooks"}}
	service.Spec.Type = core.ServiceTypeExternalName
	service.Spec.ExternalName = "localhost"
	service.Spec.Ports = []core.ServicePort{{Name: "https", Port: hooks.port}}
	if _, err := client.CoreV1().Services(namespace).Create(ctx, service, metav1.CreateOptions{}); err != nil {
		return err
	}
	path, url := "/validate", fmt.Sprintf("https://127.0.0.1:%d/mutate", hooks.port)
	byService := admissionregistration.WebhookClientConfig{
		Service:  &admissionregistration.ServiceReference{Namespace: namespace, Name: "hooks", Path: &path, Port: &hooks.port},
		CABundle: hooks.authority,
	}
	byAddress := admissionregistration.WebhookClientConfig{URL: &url, CABundle: hooks.authority}
	none := admissionregistration.SideEffectClassNone
	rules := []admissionregistration.RuleWithOperations{{
		Operations: []admissionregistration.OperationType{admissionregistration.Create, admissionregistration.Update, admissionregistration.Delete},
		Rule:       admissionregistration.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
	}}
	mutating := &admissionregistration.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "hooks"}}
	mutating.Webhooks = []admissionregistration.MutatingWebhook{{
		Name: "mutate.example.com", ClientConfig: byAddress, Rules: rules, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
	}}
	registration := client.AdmissionregistrationV1()
	if _, err := registration.MutatingWebhookConfigurations().Create(ctx, mutating, metav1.CreateOptions{}); err != nil {
		return err
	}
	validating := &admissionregistration.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "hooks"}}
	validating.Webhooks = []admissionregistration.ValidatingWebhook{{
		Name: "validate.example.com", ClientConfig: byService, Rules: rules, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
	}}
	_, err := registration.ValidatingWebhookConfigurations().Create(ctx, validating, metav1.CreateOptions{})
	return err
}

// write does what webhooks see, and tells what came of it.
func write(ctx context.Context, client kubernetes.Interface, result *report) error {
	maps := client.CoreV1().ConfigMaps(namespace)
	made := func(name string, data map[string]string) *core.ConfigMap {
		return &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
	}
	good, err := maps.Create(ctx, made("good", map[string]string{"odd": "yes"}), metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("creating what nobody objects to: %w", err)
	}
	if good.Labels["mutated"] != "CREATE" {
		result.fail("the label of the webhook is missing: %v", good.Labels)
	}
	if _, err := maps.Create(ctx, made("bad", map[string]string{"bad": "yes"}), metav1.CreateOptions{}); err != nil {
		result.Messages = append(result.Messages, err.Error())
	} else {
		result.fail("what the webhook refuses was written")
	}
	good.Data["bad"] = "yes"
	if _, err := maps.Update(ctx, good, metav1.UpdateOptions{}); err != nil {
		result.Messages = append(result.Messages, err.Error())
	}
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	if tried, err := maps.Create(ctx, made("tried", nil), dry); err != nil || tried.Labels["mutated"] != "CREATE" {
		result.fail("a dry run does not show what webhooks make of it: %v, %v", tried, err)
	}
	if err := maps.Delete(ctx, "good", metav1.DeleteOptions{}); err != nil {
		result.Messages = append(result.Messages, err.Error())
	}
	return nil
}
