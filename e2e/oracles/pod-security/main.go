// Reads lines of JSON, each with a pod, and tells what is wrong with it at each level of pod
// security, as each version of Kubernetes had it. Asked for labels, it tells what policy they mean.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

type question struct {
	Ask      string            `json:"ask"`
	Pod      corev1.Pod        `json:"pod"`
	Versions []string          `json:"versions"`
	Labels   map[string]string `json:"labels"`
	Default  api.Level         `json:"default"`
}

type verdict struct {
	Level   string `json:"level"`
	Reasons string `json:"reasons"`
	Details string `json:"details"`
}

func main() {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := out.Encode(answer(evaluator, asked)); err != nil {
			panic(err)
		}
	}
}

func answer(evaluator policy.Evaluator, asked question) any {
	switch asked.Ask {
	case "labels":
		return labels(asked)
	case "fixtures":
		return map[string]any{"pods": fixtures()}
	default:
		return map[string]any{"verdicts": verdicts(evaluator, asked)}
	}
}

func verdicts(evaluator policy.Evaluator, asked question) []verdict {
	found := []verdict{}
	for _, level := range []api.Level{api.LevelPrivileged, api.LevelBaseline, api.LevelRestricted} {
		for _, text := range asked.Versions {
			version, err := api.ParseVersion(text)
			if err != nil {
				panic(err)
			}
			lv := api.LevelVersion{Level: level, Version: version}
			results := evaluator.EvaluatePod(lv, &asked.Pod.ObjectMeta, &asked.Pod.Spec)
			all := policy.AggregateCheckResults(results)
			found = append(found, verdict{lv.String(), all.ForbiddenReason(), all.ForbiddenDetail()})
		}
	}
	return found
}

func labels(asked question) any {
	level := api.LevelVersion{Level: asked.Default, Version: api.LatestVersion()}
	defaults := api.Policy{Enforce: level, Audit: level, Warn: level}
	read, errors := api.PolicyToEvaluate(asked.Labels, defaults)
	said := map[string]any{
		"enforce": read.Enforce.String(),
		"audit":   read.Audit.String(),
		"warn":    read.Warn.String(),
		"errors":  "",
	}
	if len(errors) > 0 {
		said["errors"] = errors.ToAggregate().Error()
	}
	return said
}

// fixtures gives the pods of upstream's own tests, which lie beside the package.
func fixtures() []corev1.Pod {
	address := reflect.ValueOf(policy.DefaultChecks).Pointer()
	source, _ := runtime.FuncForPC(address).FileLine(address)
	folder := filepath.Join(filepath.Dir(source), "..", "test", "testdata")
	files, err := filepath.Glob(filepath.Join(folder, "*", "*", "*", "*.yaml"))
	if err != nil {
		panic(err)
	}
	pods := []corev1.Pod{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		var pod corev1.Pod
		if err := yaml.Unmarshal(text, &pod); err != nil {
			panic(err)
		}
		pods = append(pods, pod)
	}
	return pods
}
