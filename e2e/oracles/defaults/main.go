// Defaulting and conversion as kube-apiserver does them, for comparison in tests.
//
// Each line of standard input is {"steps": [...], "object": {...}}; each line of standard output is
// the object decoded, taken through the steps and encoded again, or {"error": ...} when it does not
// decode. A step is "default", or the apiVersion in which the object is written by way of the internal
// version, and read again. Without steps it is the canonical form only, so that two objects can be compared
// however they spell the same values.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	// Each registers its types and defaults with legacyscheme.
	_ "k8s.io/kubernetes/pkg/apis/admission/install"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apiserverinternal/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
)

type question struct {
	Steps  []string        `json:"steps"`
	Object json.RawMessage `json:"object"`
}

func init() {
	apiextensions.Install(legacyscheme.Scheme)
	apiregistration.Install(legacyscheme.Scheme)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	for lines.Scan() {
		_ = answers.Encode(answer(lines.Bytes()))
	}
}

// A conversion may trip over an object that validation would have refused.
func answer(line []byte) (answered any) {
	defer func() {
		if problem := recover(); problem != nil {
			answered = failed(fmt.Sprint(problem))
		}
	}()
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return failed(err.Error())
	}
	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(asked.Object, nil, nil)
	for _, step := range asked.Steps {
		if err == nil {
			object, err = taken(object, step)
		}
	}
	if err != nil {
		return failed(err.Error())
	}
	return object
}

func taken(object runtime.Object, step string) (runtime.Object, error) {
	if step == "default" {
		legacyscheme.Scheme.Default(object)
		return object, nil
	}
	to, err := schema.ParseGroupVersion(step)
	if err != nil {
		return nil, err
	}
	internal, err := legacyscheme.Scheme.UnsafeConvertToVersion(object, runtime.InternalGroupVersioner)
	if err != nil {
		return nil, err
	}
	written, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(to), internal)
	if err != nil {
		return nil, err
	}
	read, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(written, nil, nil)
	return read, err
}

func failed(why string) map[string]string {
	return map[string]string{"error": why}
}
