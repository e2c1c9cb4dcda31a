// Says which webhooks and policies are about a request, and what is wrong with the types in
// policies, by Kubernetes' own code: one question a line, one answer a line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/generic"
	"k8s.io/apiserver/pkg/authentication/user"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
)

type question struct {
	Webhook *admissionregistration.MutatingWebhook
	Match   *admissionregistration.MatchResources
	Request struct {
		Group, Version, Kind, Resource, Subresource, Operation, Namespace, Name string
		Object, OldObject                                                       *map[string]string
	}
	// Labels of the namespace that there is; none: there is none.
	Namespace   *map[string]string
	Equivalents []equivalent
	Types       *typesQuestion
	User        *userQuestion
}

type equivalent struct{ Group, Version, Resource, Kind string }

type answer struct {
	Matched  bool   `json:"matched"`
	Resource string `json:"resource"`
	Error    string `json:"error"`
	// Of the types of a policy.
	Warnings []admissionregistration.ExpressionWarning `json:"warnings,omitempty"`
	// As whom a webhook is asked.
	User *userAnswer `json:"user,omitempty"`
}

// mapper knows what it was told.
type mapper struct {
	admission.ObjectInterfaces
	known []equivalent
}

func (m mapper) GetEquivalentResourceMapper() runtime.EquivalentResourceMapper { return m }

func (m mapper) EquivalentResourcesFor(schema.GroupVersionResource, string) []schema.GroupVersionResource {
	var all []schema.GroupVersionResource
	for _, one := range m.known {
		all = append(all, schema.GroupVersionResource{Group: one.Group, Version: one.Version, Resource: one.Resource})
	}
	return all
}

func (m mapper) KindFor(resource schema.GroupVersionResource, _ string) schema.GroupVersionKind {
	for _, one := range m.known {
		if one.Group == resource.Group && one.Version == resource.Version {
			return schema.GroupVersionKind{Group: one.Group, Version: one.Version, Kind: one.Kind}
		}
	}
	return schema.GroupVersionKind{}
}

type criteria struct {
	match *admissionregistration.MatchResources
}

func (c criteria) GetParsedNamespaceSelector() (labels.Selector, error) {
	return metav1.LabelSelectorAsSelector(c.match.NamespaceSelector)
}

func (c criteria) GetParsedObjectSelector() (labels.Selector, error) {
	return metav1.LabelSelectorAsSelector(c.match.ObjectSelector)
}

func (c criteria) GetMatchResources() admissionregistration.MatchResources { return *c.match }

type nobody struct{ generic.Source }

// What every question is asked of: making a client takes longer than an answer.
var (
	client     = fake.NewClientset()
	factory    = informers.NewSharedInformerFactory(client, 0)
	namespaces = factory.Core().V1().Namespaces()
	hook       = newHook()
)

func newHook() *generic.Webhook {
	hook, err := generic.NewWebhook(
		admission.NewHandler(admission.Create), nil,
		func(informers.SharedInformerFactory) generic.Source { return nobody{} },
		func(*webhookutil.ClientManager) generic.Dispatcher { return nil },
	)
	if err != nil {
		panic(err)
	}
	hook.SetExternalKubeClientSet(client)
	hook.SetExternalKubeInformerFactory(factory)
	return hook
}

func main() {
	in, out := json.NewDecoder(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		var asked question
		if err := in.Decode(&asked); err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		said, err := json.Marshal(answerOf(asked))
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, string(said))
	}
}

func answerOf(asked question) answer {
	if asked.User != nil {
		return askUser(asked.User)
	}
	if asked.Types != nil {
		return typesOf(asked.Types)
	}
	known := []any{}
	if asked.Namespace != nil {
		known = append(known, &core.Namespace{ObjectMeta: metav1.ObjectMeta{Name: asked.Request.Namespace, Labels: *asked.Namespace}})
	}
	if err := namespaces.Informer().GetStore().Replace(known, ""); err != nil {
		panic(err)
	}
	attributes := attributesOf(asked)
	interfaces := mapper{known: asked.Equivalents}
	if asked.Match != nil {
		matched, resource, _, err := matching.NewMatcher(namespaces.Lister(), client).Matches(attributes, interfaces, criteria{asked.Match})
		if err != nil {
			return answer{Error: err.Error()}
		}
		return answer{Matched: matched, Resource: shown(matched, resource)}
	}
	accessor := webhook.NewMutatingWebhookAccessor("uid", "configuration", asked.Webhook)
	invocation, status := hook.ShouldCallHook(nil, accessor, attributes, interfaces, nil)
	if status != nil {
		return answer{Error: status.Error()}
	}
	if invocation == nil {
		return answer{}
	}
	return answer{Matched: true, Resource: shown(true, invocation.Resource)}
}

func shown(matched bool, resource schema.GroupVersionResource) string {
	if !matched {
		return ""
	}
	return resource.Group + "/" + resource.Version + "/" + resource.Resource
}

func attributesOf(asked question) admission.Attributes {
	request := asked.Request
	object := func(labels *map[string]string) runtime.Object {
		if labels == nil {
			return nil
		}
		return &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Labels: *labels}}
	}
	return admission.NewAttributesRecord(
		object(request.Object), object(request.OldObject),
		schema.GroupVersionKind{Group: request.Group, Version: request.Version, Kind: request.Kind},
		request.Namespace, request.Name,
		schema.GroupVersionResource{Group: request.Group, Version: request.Version, Resource: request.Resource},
		request.Subresource, admission.Operation(request.Operation), nil, false, &user.DefaultInfo{},
	)
}
