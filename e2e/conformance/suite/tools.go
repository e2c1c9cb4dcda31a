// Package conformance lies outside of e2e/go*, whose modules are compiled before all tests: this one is for a command
// alone, and takes minutes. It has no code: it names what `go mod tidy` keeps in go.mod for the tests of Kubernetes.
package conformance

import (
	_ "k8s.io/kubernetes/test/e2e"
	_ "k8s.io/kubernetes/test/e2e/apimachinery"
)
