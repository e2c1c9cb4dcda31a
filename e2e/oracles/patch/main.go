// Command patch answers, one line of JSON for each line of JSON it reads, what comes of a patch in
// kube-apiserver. The tests beside api/patch compare.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"
)

type question struct {
	// json, merge or strategic.
	Kind string `json:"kind"`
	// The Go type of a strategic merge.
	Type string `json:"type"`
	// Not Ignore.
	Strict      bool            `json:"strict"`
	CopyLimit   int64           `json:"copyLimit"`
	Document    json.RawMessage `json:"document"`
	Patch       json.RawMessage `json:"patch"`
	Repetitions int             `json:"repetitions"`
}

type answer struct {
	Value  json.RawMessage `json:"value,omitempty"`
	Code   int             `json:"code,omitempty"`
	Error  string          `json:"error,omitempty"`
	Strict []string        `json:"strict,omitempty"`
	// Go goes through maps in any order; these are all results that were met.
	Others []answer `json:"others,omitempty"`
}

// odd has what the built-in types have seldom or not at all.
type odd struct {
	Scalars     []string          `json:"scalars" patchStrategy:"merge"`
	Numbers     []int             `json:"numbers" patchStrategy:"merge"`
	Atomic      []string          `json:"atomic"`
	Items       []item            `json:"items" patchStrategy:"merge" patchMergeKey:"name"`
	Pointers    []*item           `json:"pointers" patchStrategy:"merge" patchMergeKey:"name"`
	Keyless     []item            `json:"keyless" patchStrategy:"merge"`
	Retained    []item            `json:"retained" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
	Replaced    *item             `json:"replaced" patchStrategy:"replace"`
	Inner       item              `json:"inner"`
	Maps        map[string]item   `json:"maps"`
	Nested      [][]string        `json:"nested" patchStrategy:"merge"`
	Labels      map[string]string `json:"labels"`
	Text        string            `json:"text"`
	Embedded    `json:",inline"`
	Bad         []string              `json:"bad" patchStrategy:"merge,replace"`
	Raw         *runtime.RawExtension `json:"raw"`
	ScalarKeyed []string              `json:"scalarKeyed" patchStrategy:"merge" patchMergeKey:"name"`
}

type Embedded struct {
	Inlined []item `json:"inlined" patchStrategy:"merge" patchMergeKey:"name"`
}

type item struct {
	Name     string   `json:"name"`
	Value    string   `json:"value"`
	Children []item   `json:"children" patchStrategy:"merge" patchMergeKey:"name"`
	Tags     []string `json:"tags" patchStrategy:"merge"`
	Args     []string `json:"args"`
	Child    *item    `json:"child"`
}

// types are the structs; the schema in the test says the same of odd.
var types = map[string]any{
	"odd":            odd{},
	"Pod":            corev1.Pod{},
	"Service":        corev1.Service{},
	"Node":           corev1.Node{},
	"ServiceAccount": corev1.ServiceAccount{},
	"ConfigMap":      corev1.ConfigMap{},
	"Deployment":     appsv1.Deployment{},
	"Ingress":        networkingv1.Ingress{},
	"EndpointSlice":  discoveryv1.EndpointSlice{},
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	decoder := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	for decoder.More() {
		var q question
		if err := decoder.Decode(&q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := encoder.Encode(replies(q)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func replies(q question) answer {
	first := reply(q)
	for range q.Repetitions {
		next := reply(q)
		if !same(first, next) && !contains(first.Others, next) {
			first.Others = append(first.Others, next)
		}
	}
	return first
}

func contains(list []answer, one answer) bool {
	for _, other := range list {
		if same(other, one) {
			return true
		}
	}
	return false
}

func same(one, other answer) bool {
	return string(one.Value) == string(other.Value) && one.Error == other.Error && one.Code == other.Code
}

func reply(q question) (result answer) {
	defer func() {
		if problem := recover(); problem != nil {
			result = answer{Code: 500, Error: fmt.Sprintf("panic: %v", problem)}
		}
	}()
	switch q.Kind {
	case "json":
		return jsonReply(q)
	case "merge":
		return mergeReply(q)
	default:
		return strategicReply(q)
	}
}

// jsonPatchOp is the apiserver's own, named in its messages as handlers.jsonPatchOp.
type jsonPatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

func jsonReply(q question) answer {
	var strict []string
	if q.Strict {
		var operations []jsonPatchOp
		strictErrors, err := kjson.UnmarshalStrict(q.Patch, &operations)
		if err != nil {
			message := strings.ReplaceAll(err.Error(), "main.jsonPatchOp", "handlers.jsonPatchOp")
			return answer{Code: 400, Error: "error decoding patch: " + message}
		}
		for _, one := range strictErrors {
			strict = append(strict, fmt.Sprintf("json patch %v", one))
		}
	}
	operations, err := jsonpatch.DecodePatch(q.Patch)
	if err != nil {
		return answer{Code: 400, Error: err.Error()}
	}
	jsonpatch.AccumulatedCopySizeLimit = q.CopyLimit
	value, err := operations.Apply(q.Document)
	if err != nil {
		return answer{Code: 422, Error: err.Error()}
	}
	return answer{Value: value, Strict: strict}
}

func mergeReply(q question) answer {
	if q.Strict {
		patch := map[string]any{}
		if _, err := kjson.UnmarshalStrict(q.Patch, &patch); err != nil {
			return answer{Code: 400, Error: fmt.Sprintf("error decoding patch: %v", err)}
		}
	}
	value, err := jsonpatch.MergePatch(q.Document, q.Patch)
	if errors.Is(err, jsonpatch.ErrBadJSONPatch) {
		return answer{Code: 400, Error: err.Error()}
	}
	if err != nil {
		return answer{Code: 500, Error: err.Error()}
	}
	return answer{Value: value}
}

func strategicReply(q question) answer {
	document := map[string]any{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(q.Document, &document); err != nil {
		return answer{Code: 500, Error: err.Error()}
	}
	patch := map[string]any{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(q.Patch, &patch); err != nil {
		return answer{Code: 400, Error: err.Error()}
	}
	// Slices of objects that were structs have no room behind their end; those from a decoder do.
	document = runtime.DeepCopyJSON(document)
	value, err := strategicpatch.StrategicMergeMapPatch(document, patch, types[q.Type])
	if err != nil {
		return answer{Code: codeOf(err), Error: err.Error()}
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return answer{Code: 500, Error: err.Error()}
	}
	return answer{Value: encoded}
}

// codeOf is interpretStrategicMergePatchError.
func codeOf(err error) int {
	switch err {
	case mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList,
		mergepatch.ErrBadPatchFormatForRetainKeys, mergepatch.ErrBadPatchFormatForSetElementOrderList,
		mergepatch.ErrUnsupportedStrategicMergePatchFormat:
		return 400
	case mergepatch.ErrNoListOfLists, mergepatch.ErrPatchContentNotMatchRetainKeys:
		return 422
	default:
		return 500
	}
}
