package main

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

// caches are the informers by name, and the number of changes that went backwards.
type caches struct {
	informers map[string]cache.SharedIndexInformer
	backwards atomic.Int64
}

// startInformers starts one informer of each sort and waits until all have their first state.
func startInformers(ctx context.Context, config *rest.Config, namespace string, count *traffic) (*caches, error) {
	typedClient, err := kubernetes.NewForConfig(speaking(config, protobufType, count))
	if err != nil {
		return nil, err
	}
	jsonClient, err := kubernetes.NewForConfig(speaking(config, jsonType, count))
	if err != nil {
		return nil, err
	}
	dynamicClient, err := dynamic.NewForConfig(speaking(config, jsonType, count))
	if err != nil {
		return nil, err
	}
	metadataClient, err := metadata.NewForConfig(speaking(config, protobufType, count))
	if err != nil {
		return nil, err
	}
	typed := informers.NewSharedInformerFactoryWithOptions(typedClient, 0, informers.WithNamespace(namespace))
	inJSON := informers.NewSharedInformerFactoryWithOptions(jsonClient, 0, informers.WithNamespace(namespace))
	untyped := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamicClient, 0, namespace, nil)
	partial := metadatainformer.NewFilteredSharedInformerFactory(metadataClient, 0, namespace, nil)
	all := &caches{informers: map[string]cache.SharedIndexInformer{
		"typed, protobuf": typed.Core().V1().ConfigMaps().Informer(),
		"typed, json":     inJSON.Core().V1().ConfigMaps().Informer(),
		"dynamic":         untyped.ForResource(configMaps).Informer(),
		"metadata":        partial.ForResource(configMaps).Informer(),
	}}
	for name, informer := range all.informers {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: all.noteUpdate}); err != nil {
			return nil, err
		}
		go informer.Run(ctx.Done())
		deadline, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		if !cache.WaitForCacheSync(deadline.Done(), informer.HasSynced) {
			return nil, fmt.Errorf("%s informer: no first state in 30 seconds", name)
		}
	}
	return all, nil
}

func (c *caches) noteUpdate(before, after any) {
	if versionOf(after) < versionOf(before) {
		c.backwards.Add(1)
	}
}

// compare waits until each cache holds exactly the objects of one list at their versions.
func (c *caches) compare(ctx context.Context, config *rest.Config, namespace string) (map[string]int, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	listed, err := client.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	sizes := map[string]int{}
	for name, informer := range c.informers {
		var difference error
		err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
			difference = differs(informer.GetStore(), listed.Items)
			return difference == nil, nil
		})
		if err != nil {
			return sizes, fmt.Errorf("%s informer: %w (%w)", name, difference, err)
		}
		sizes[name] = len(informer.GetStore().ListKeys())
	}
	if count := c.backwards.Load(); count > 0 {
		return sizes, fmt.Errorf("%d updates came in the wrong order", count)
	}
	return sizes, nil
}

func differs(store cache.Store, listed []corev1.ConfigMap) error {
	if have := len(store.ListKeys()); have != len(listed) {
		return fmt.Errorf("the cache has %d objects, the list %d", have, len(listed))
	}
	for i := range listed {
		want := &listed[i]
		key := want.Namespace + "/" + want.Name
		cached, exists, err := store.GetByKey(key)
		if err != nil || !exists {
			return fmt.Errorf("%s is not in the cache: %w", key, orUnexpected(err))
		}
		if versionOf(cached) != versionOf(want) {
			return fmt.Errorf("%s is cached at %d, listed at %d", key, versionOf(cached), versionOf(want))
		}
		if data, hasData := dataOf(cached); hasData && fmt.Sprint(data) != fmt.Sprint(want.Data) {
			return fmt.Errorf("%s is cached as %v, listed as %v", key, data, want.Data)
		}
	}
	return nil
}

// dataOf is a ConfigMap's data, typed or not; a PartialObjectMetadata has none.
func dataOf(object any) (map[string]string, bool) {
	switch object := object.(type) {
	case *corev1.ConfigMap:
		return object.Data, true
	case runtime.Unstructured:
		typed := &corev1.ConfigMap{}
		content := object.UnstructuredContent()
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, typed); err != nil {
			return map[string]string{"unreadable": err.Error()}, true
		}
		return typed.Data, true
	default:
		return nil, false
	}
}

func versionOf(object any) int64 {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return -1
	}
	version, err := strconv.ParseInt(accessor.GetResourceVersion(), 10, 64)
	if err != nil {
		return -1
	}
	return version
}
