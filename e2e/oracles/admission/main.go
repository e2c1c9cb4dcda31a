// Reads lines of JSON, each with requests and the objects that are there, and tells what an admission
// plug-in of kube-apiserver makes of each request: the object as it leaves it, or why not.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/component-base/compatibility"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/kubeapiserver/options"
)

type question struct {
	Plugin        string            `json:"plugin"`
	Configuration json.RawMessage   `json:"configuration"`
	Objects       []json.RawMessage `json:"objects"`
	Requests      []request         `json:"requests"`
}

type request struct {
	Operation   string          `json:"operation"`
	Resource    string          `json:"resource"`
	Subresource string          `json:"subresource"`
	Namespace   string          `json:"namespace"`
	Name        string          `json:"name"`
	Object      json.RawMessage `json:"object"`
	OldObject   json.RawMessage `json:"oldObject"`
}

type answer struct {
	Object   json.RawMessage `json:"object,omitempty"`
	Status   any             `json:"status,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
}

type recorder struct{ warnings []string }

func (r *recorder) AddWarning(_, text string) { r.warnings = append(r.warnings, text) }

func main() {
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	plugins := admission.NewPlugins()
	options.RegisterAllAdmissionPlugins(plugins)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		check(json.Unmarshal(lines.Bytes(), &asked))
		check(out.Encode(map[string]any{"answers": answersTo(plugins, asked)}))
	}
}

func answersTo(plugins *admission.Plugins, asked question) []answer {
	plugin, stop := start(plugins, asked)
	defer stop()
	answers := []answer{}
	for _, one := range asked.Requests {
		answers = append(answers, answerTo(plugin, one))
	}
	return answers
}

func answerTo(plugin admission.Interface, asked request) answer {
	object, kind := read(asked.Object)
	var old runtime.Object
	if len(asked.OldObject) > 0 {
		old, _ = read(asked.OldObject)
	}
	resource := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: asked.Resource}
	attributes := admission.NewAttributesRecord(object, old, kind, asked.Namespace, asked.Name, resource,
		asked.Subresource, admission.Operation(asked.Operation), nil, false, &user.DefaultInfo{Name: "jane"})
	warnings := &recorder{}
	ctx := warning.WithWarningRecorder(context.Background(), warnings)
	if err := admit(ctx, plugin, attributes); err != nil {
		return answer{Status: responsewriters.ErrorToAPIStatus(err), Warnings: warnings.warnings}
	}
	text, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(kind.GroupVersion()), object)
	check(err)
	return answer{Object: text, Warnings: warnings.warnings}
}

func admit(ctx context.Context, plugin admission.Interface, attributes admission.Attributes) error {
	if !plugin.Handles(attributes.GetOperation()) {
		return nil
	}
	if mutating, ok := plugin.(admission.MutationInterface); ok {
		if err := mutating.Admit(ctx, attributes, nil); err != nil {
			return err
		}
	}
	if validating, ok := plugin.(admission.ValidationInterface); ok {
		return validating.Validate(ctx, attributes, nil)
	}
	return nil
}

func start(plugins *admission.Plugins, asked question) (admission.Interface, func()) {
	objects := []runtime.Object{}
	for _, one := range asked.Objects {
		object, _, err := clientscheme.Codecs.UniversalDeserializer().Decode(one, nil, nil)
		check(err)
		// As it would have been stored.
		legacyscheme.Scheme.Default(object)
		objects = append(objects, object)
	}
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	stopped := make(chan struct{})
	version := compatibility.NewEffectiveVersionFromString("1.36", "", "")
	initialize := initializer.New(client, nil, factory, authorizerfactory.NewAlwaysAllowAuthorizer(),
		utilfeature.DefaultFeatureGate, version, stopped, meta.NewDefaultRESTMapper(nil))
	var configuration io.Reader
	if len(asked.Configuration) > 0 {
		configuration = bytes.NewReader(asked.Configuration)
	}
	plugin, err := plugins.InitPlugin(asked.Plugin, configuration, initialize)
	check(err)
	factory.Start(stopped)
	factory.WaitForCacheSync(stopped)
	return plugin, func() { close(stopped) }
}

func read(text []byte) (runtime.Object, schema.GroupVersionKind) {
	object, kind, err := legacyscheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	check(err)
	return object, *kind
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
