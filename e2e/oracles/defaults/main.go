// Defaulting as kube-apiserver does it, for comparison in tests.
//
// Each line of standard input is {"setDefaults": bool, "object": {...}}; each line of standard
// output is the object decoded, defaulted by legacyscheme if asked for, and encoded again, or
// {"error": ...} when it does not decode. Without setDefaults it is the canonical form only, so
// that two objects can be compared however they spell the same values.
package main

import (
	"bufio"
	"encoding/json"
	"os"

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
	SetDefaults bool            `json:"setDefaults"`
	Object      json.RawMessage `json:"object"`
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

func answer(line []byte) any {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return map[string]string{"error": err.Error()}
	}
	decoder := legacyscheme.Codecs.UniversalDeserializer()
	object, _, err := decoder.Decode(asked.Object, nil, nil)
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	if asked.SetDefaults {
		legacyscheme.Scheme.Default(object)
	}
	return object
}
