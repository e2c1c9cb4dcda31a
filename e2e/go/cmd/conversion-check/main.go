// conversion-check serves a conversion webhook and is, with client-go's dynamic client, the client
// of the custom resource that it converts: it writes and reads hosts in both of their versions,
// watches them, changes which version is stored, and lets the webhook misbehave.
//
// It reads KUBECONFIG, prints one line of JSON on standard output and exits with 1 when anything
// was not as it must be.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	group = "conversion.example.org"
	hosts = 20
)

var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	v1          = schema.GroupVersionResource{Group: group, Version: "v1", Resource: "hosts"}
	v2          = schema.GroupVersionResource{Group: group, Version: "v2", Resource: "hosts"}
)

type report struct {
	Failures []string       `json:"failures"`
	Messages []string       `json:"messages"`
	Counts   map[string]int `json:"counts"`
}

func (r *report) fail(format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
}

func main() {
	result := &report{Failures: []string{}, Messages: []string{}, Counts: map[string]int{}}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := check(ctx, result); err != nil {
		result.fail("%v", err)
	}
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
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	hook := startWebhook()
	defer hook.server.Close()
	if err := define(ctx, client, hook); err != nil {
		return fmt.Errorf("defining hosts: %w", err)
	}
	for _, step := range []func(context.Context, dynamic.Interface, *webhook, *report) error{
		writeAndList, watchBoth, storeOther, misbehave,
	} {
		if err := step(ctx, client, hook, result); err != nil {
			return err
		}
	}
	return nil
}

func version(name string, storage bool) any {
	open := object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	return object{
		"name": name, "served": true, "storage": storage,
		"schema": object{"openAPIV3Schema": object{"type": "object", "properties": object{"spec": open}}},
	}
}

func define(ctx context.Context, client dynamic.Interface, hook *webhook) error {
	definition := &unstructured.Unstructured{Object: object{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   object{"name": "hosts." + group},
		"spec": object{
			"group": group,
			"scope": "Namespaced",
			"names": object{"plural": "hosts", "singular": "host", "kind": "Host", "listKind": "HostList"},
			"conversion": object{
				"strategy": "Webhook",
				"webhook": object{
					"conversionReviewVersions": []any{"v1"},
					"clientConfig": object{
						"url":      hook.server.URL + "/convert",
						"caBundle": base64Of(hook.caBundle()),
					},
				},
			},
			"versions": []any{version("v1", true), version("v2", false)},
		},
	}}
	if _, err := client.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		_, err := client.Resource(v2).Namespace("default").List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
}

func host(name, port string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object{
		"apiVersion": group + "/v2",
		"kind":       "Host",
		"metadata":   object{"name": name},
		"spec":       object{"host": name, "port": port},
	}}
}

func field(one *unstructured.Unstructured, key string) string {
	value, _, _ := unstructured.NestedString(one.Object, "spec", key)
	return value
}

// hostPort is a host in the version that is stored.
func hostPort(name, port string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object{
		"apiVersion": group + "/v1",
		"kind":       "Host",
		"metadata":   object{"name": name},
		"spec":       object{"hostPort": name + ":" + port},
	}}
}

// writeAndList writes in both versions, and reads in both. What was written in the version that is not
// stored was converted and back, so a list need not ask for it again.
func writeAndList(ctx context.Context, client dynamic.Interface, hook *webhook, result *report) error {
	in1, in2 := client.Resource(v1).Namespace("default"), client.Resource(v2).Namespace("default")
	for i := range hosts {
		name := fmt.Sprintf("h%02d", i)
		if i%2 == 1 {
			if _, err := in1.Create(ctx, hostPort(name, "80"), metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("creating in v1: %w", err)
			}
			continue
		}
		made, err := in2.Create(ctx, host(name, "80"), metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("creating in v2: %w", err)
		}
		if made.GetAPIVersion() != group+"/v2" || field(made, "port") != "80" {
			result.fail("a create in v2 was answered %v", made.Object)
		}
	}
	result.Counts["createCalls"], _ = hook.asked()
	stored, err := in1.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if calls, _ := hook.asked(); calls != 0 {
		result.fail("a list of what is stored asked the webhook %d times", calls)
	}
	for i := range stored.Items {
		if field(&stored.Items[i], "hostPort") == "" {
			result.fail("v1 shows %v", stored.Items[i].Object)
		}
	}
	shown, err := in2.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	calls, objects := hook.asked()
	result.Counts["listCalls"], result.Counts["listObjects"] = calls, objects
	for i := range shown.Items {
		if field(&shown.Items[i], "host") != shown.Items[i].GetName() {
			result.fail("v2 shows %v", shown.Items[i].Object)
		}
	}
	if _, err := in2.List(ctx, metav1.ListOptions{}); err != nil {
		return err
	}
	result.Counts["secondListCalls"], _ = hook.asked()
	one := shown.Items[0].DeepCopy()
	if err := unstructured.SetNestedField(one.Object, "443", "spec", "port"); err != nil {
		return err
	}
	updated, err := in2.Update(ctx, one, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("updating in v2: %w", err)
	}
	again, err := in2.Update(ctx, updated, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	if again.GetResourceVersion() != updated.GetResourceVersion() {
		result.fail("an update in v2 that changes nothing made a new version")
	}
	there, err := in1.Get(ctx, one.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	if field(there, "hostPort") != one.GetName()+":443" {
		result.fail("what was updated in v2 is in v1 %v", there.Object)
	}
	return nil
}

// watchBoth sees writes of either version in the other one, in their order.
func watchBoth(ctx context.Context, client dynamic.Interface, _ *webhook, result *report) error {
	in1, in2 := client.Resource(v1).Namespace("default"), client.Resource(v2).Namespace("default")
	watching, err := in2.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer watching.Stop()
	for range hosts {
		event := <-watching.ResultChan()
		one, isObject := event.Object.(*unstructured.Unstructured)
		if event.Type != watch.Added || !isObject || field(one, "port") == "" {
			result.fail("the watch in v2 began with %v", event)
			return nil
		}
	}
	for i := range hosts {
		patch := fmt.Sprintf(`{"spec":{"hostPort":"h%02d:%d"}}`, i, 1000+i)
		name := fmt.Sprintf("h%02d", i)
		if _, err := in1.Patch(ctx, name, "application/merge-patch+json", []byte(patch), metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("patching in v1: %w", err)
		}
	}
	for i := range hosts {
		event := <-watching.ResultChan()
		one, isObject := event.Object.(*unstructured.Unstructured)
		if event.Type != watch.Modified || !isObject || field(one, "port") != fmt.Sprint(1000+i) {
			result.fail("the watch in v2 went on with %v", event)
			return nil
		}
	}
	return nil
}

// storeOther changes which version is stored: watches end, and old objects are read all the same.
func storeOther(ctx context.Context, client dynamic.Interface, hook *webhook, result *report) error {
	in2 := client.Resource(v2).Namespace("default")
	watching, err := in2.Watch(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	patch := `[{"op":"replace","path":"/spec/versions/0/storage","value":false},
		{"op":"replace","path":"/spec/versions/1/storage","value":true}]`
	if _, err := client.Resource(definitions).Patch(ctx, "hosts."+group, "application/json-patch+json", []byte(patch), metav1.PatchOptions{}); err != nil {
		return err
	}
	for range watching.ResultChan() {
		// Until it ends.
	}
	hook.asked()
	list, err := in2.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	result.Counts["oldObjectsConverted"], _ = hook.asked()
	for i := range list.Items {
		if _, err := in2.Update(ctx, &list.Items[i], metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("rewriting: %w", err)
		}
	}
	rewritten, err := in2.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range rewritten.Items {
		if rewritten.Items[i].GetResourceVersion() == list.Items[i].GetResourceVersion() {
			result.fail("%s was not written in the new version", list.Items[i].GetName())
		}
	}
	hook.asked()
	if _, err := in2.List(ctx, metav1.ListOptions{}); err != nil {
		return err
	}
	result.Counts["rewrittenConverted"], _ = hook.asked()
	return nil
}

// misbehave collects what clients are told when the webhook does not do what it must.
func misbehave(ctx context.Context, client dynamic.Interface, hook *webhook, result *report) error {
	in1 := client.Resource(v1).Namespace("default")
	for i, mode := range []string{"refuse", "rename", "redirect"} {
		hook.be(mode)
		_, err := in1.Get(ctx, fmt.Sprintf("h%02d", i), metav1.GetOptions{})
		result.Messages = append(result.Messages, messageOf(err))
	}
	hook.server.Close()
	_, err := in1.Get(ctx, "h05", metav1.GetOptions{})
	message := strings.ReplaceAll(messageOf(err), strings.TrimPrefix(hook.server.URL, "https://"), "ADDRESS")
	result.Messages = append(result.Messages, message)
	return nil
}

func messageOf(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}
