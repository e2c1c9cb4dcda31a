// Quotas as kube-apiserver checks them and kube-controller-manager counts them, for comparison.
//
// Each line of standard input is a question. {"do": "usage", "resource", "object"} asks what an
// object uses; {"do": "check", "resource", "operation", "subresource", "object", "old", "quotas",
// "limited"} whether a write fits. The answer is {"usage"} or {"problem"}, which is empty where it
// fits, and {"used"}: what each quota's status would say behind it. {"do": "count", "quotas",
// "classes", "pods", "claims"} asks for {"used"} where there are just those objects, and
// {"claims"}: what each of the claims uses. With these objects "check" asks about them, too.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	resourcequotaapi "k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/utils/clock"
)

type question struct {
	Do          string                             `json:"do"`
	Resource    string                             `json:"resource"`
	Operation   string                             `json:"operation"`
	Subresource string                             `json:"subresource"`
	Object      json.RawMessage                    `json:"object"`
	Old         json.RawMessage                    `json:"old"`
	Quotas      []corev1.ResourceQuota             `json:"quotas"`
	Limited     []resourcequotaapi.LimitedResource `json:"limited"`
	Classes     []*resourcev1.DeviceClass          `json:"classes"`
	Pods        []*corev1.Pod                      `json:"pods"`
	Claims      []*resourcev1.ResourceClaim        `json:"claims"`
}

type answer struct {
	Usage   corev1.ResourceList            `json:"usage,omitempty"`
	Problem string                         `json:"problem"`
	Used    map[string]corev1.ResourceList `json:"used,omitempty"`
	Claims  map[string]corev1.ResourceList `json:"claims,omitempty"`
}

func evaluators() quota.Registry {
	logger := klog.Background()
	cache := extendedresourcecache.NewExtendedResourceCache(logger)
	return generic.NewRegistry([]quota.Evaluator{
		core.NewPodEvaluator(nil, clock.RealClock{}),
		core.NewServiceEvaluator(nil),
		core.NewPersistentVolumeClaimEvaluator(nil),
		core.NewResourceClaimEvaluator(nil, cache, nil, nil),
		generic.NewObjectCountEvaluator(schema.GroupResource{Resource: "configmaps"}, nil, corev1.ResourceConfigMaps),
		generic.NewObjectCountEvaluator(schema.GroupResource{Group: "apps", Resource: "deployments"}, nil, ""),
	})
}

var claimResource = resourcev1.Resource("resourceclaims")

func indexed(objects []runtime.Object) cache.Indexer {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
	})
	for _, object := range objects {
		if err := indexer.Add(object); err != nil {
			panic(err)
		}
	}
	return indexer
}

// madeFor finds the claims that say that they were made for the pod with that uid.
func madeFor(claims []*resourcev1.ResourceClaim) func(string, types.UID) ([]*resourcev1.ResourceClaim, error) {
	return func(namespace string, uid types.UID) ([]*resourcev1.ResourceClaim, error) {
		found := []*resourcev1.ResourceClaim{}
		for _, claim := range claims {
			owner := metav1.GetControllerOfNoCopy(claim)
			isMade := claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true"
			if !isMade || owner == nil || owner.Kind != "Pod" || owner.APIVersion != "v1" {
				continue
			}
			if claim.Namespace == namespace && owner.UID == uid {
				found = append(found, claim)
			}
		}
		return found, nil
	}
}

// world counts pods and claims where there are just the objects of the question.
func world(asked question) quota.Registry {
	classes := extendedresourcecache.NewExtendedResourceCache(klog.Background())
	for _, class := range asked.Classes {
		classes.OnAdd(class, true)
	}
	listed := map[string]cache.Indexer{}
	pods, claims := []runtime.Object{}, []runtime.Object{}
	for _, pod := range asked.Pods {
		pods = append(pods, pod)
	}
	for _, claim := range asked.Claims {
		claims = append(claims, claim)
	}
	listed["pods"], listed["resourceclaims"] = indexed(pods), indexed(claims)
	list := func(resource schema.GroupVersionResource) (cache.GenericLister, error) {
		return cache.NewGenericLister(listed[resource.Resource], resource.GroupResource()), nil
	}
	return generic.NewRegistry([]quota.Evaluator{
		core.NewPodEvaluator(list, clock.RealClock{}),
		core.NewResourceClaimEvaluator(
			list, classes, listers.NewPodLister(listed["pods"]), madeFor(asked.Claims)),
	})
}

func count(asked question) answer {
	registry := world(asked)
	told := answer{Used: map[string]corev1.ResourceList{}, Claims: map[string]corev1.ResourceList{}}
	for _, one := range asked.Quotas {
		used, err := quota.CalculateUsage(one.Namespace, one.Spec.Scopes, one.Spec.Hard, registry, one.Spec.ScopeSelector)
		if err != nil {
			return answer{Problem: err.Error()}
		}
		told.Used[one.Name] = used
	}
	for _, claim := range asked.Claims {
		usage, err := registry.Get(claimResource).Usage(claim)
		if err != nil {
			return answer{Problem: err.Error()}
		}
		told.Claims[claim.Name] = usage
	}
	return told
}

func objectOf(resource string, data json.RawMessage) (runtime.Object, error) {
	var object runtime.Object
	switch resource {
	case "pods":
		object = &corev1.Pod{}
	case "services":
		object = &corev1.Service{}
	case "persistentvolumeclaims":
		object = &corev1.PersistentVolumeClaim{}
	case "resourceclaims":
		object = &resourcev1.ResourceClaim{}
	default:
		object = &corev1.ConfigMap{}
	}
	if len(data) == 0 || string(data) == "null" {
		return nil, nil
	}
	return object, json.Unmarshal(data, object)
}

var groups = map[string]string{"resourceclaims": "resource.k8s.io", "deployments": "apps"}

func reply(registry quota.Registry, asked question) answer {
	if asked.Do == "count" {
		return count(asked)
	}
	if asked.Classes != nil {
		registry = world(asked)
	}
	group := groups[asked.Resource]
	evaluator := registry.Get(schema.GroupResource{Group: group, Resource: asked.Resource})
	object, err := objectOf(asked.Resource, asked.Object)
	if err != nil {
		return answer{Problem: "unreadable: " + err.Error()}
	}
	if asked.Do == "usage" {
		usage, err := evaluator.Usage(object)
		if err != nil {
			return answer{Problem: err.Error()}
		}
		return answer{Usage: usage}
	}
	old, err := objectOf(asked.Resource, asked.Old)
	if err != nil {
		return answer{Problem: "unreadable: " + err.Error()}
	}
	accessor, _ := meta.Accessor(object)
	attributes := admission.NewAttributesRecord(object, old, schema.GroupVersionKind{Version: "v1", Kind: "Thing"},
		"shop", accessor.GetName(), schema.GroupVersionResource{Group: group, Version: "v1", Resource: asked.Resource},
		asked.Subresource, admission.Operation(asked.Operation), &metav1.CreateOptions{}, false, nil)
	after, err := resourcequota.CheckRequest(asked.Quotas, attributes, evaluator, asked.Limited)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	used := map[string]corev1.ResourceList{}
	for _, one := range after {
		used[one.Name] = one.Status.Used
	}
	return answer{Used: used}
}

func main() {
	registry := evaluators()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<28)
	for lines.Scan() {
		var asked question
		var told answer
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			told.Problem = "unreadable: " + err.Error()
		} else {
			told = reply(registry, asked)
		}
		out, err := json.Marshal(told)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(out))
	}
}
