// Package sockets stands in the place of k8s.io/apimachinery/pkg/util/net/testing: sockets of tests are files, as Node 20
// does not reach those with an abstract name.
package sockets

import (
	"os"
	"path/filepath"
	"testing"
)

// MakeSocketNameForTest gives a path that is there for this test alone.
func MakeSocketNameForTest(t testing.TB, name string) string {
	folder, err := os.MkdirTemp("", "sockets")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return filepath.Join(folder, name)
}
