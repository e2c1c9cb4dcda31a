// Package storage reads what a server has stored from its log, where the integration tests of apiextensions-apiserver
// read etcd: it stands in the place of k8s.io/apiextensions-apiserver/test/integration/storage.
package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/kubernetes/scheme"
	restclient "k8s.io/client-go/rest"
	testserver "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"
)

// logPath is where a server shows its log.
const logPath = "/everwatch/v1/log"

var errReadOnly = errors.New("nothing is written into the log of a server but by the server")

// EtcdObjectReader reads the objects of one definition.
type EtcdObjectReader struct {
	prefix string
	crd    *apiextensionsv1.CustomResourceDefinition
}

// NewEtcdObjectReader reads from the server that was started with the prefix of these options.
func NewEtcdObjectReader(_ *clientv3.Client, restOptions *generic.RESTOptions, crd *apiextensionsv1.CustomResourceDefinition) *EtcdObjectReader {
	return &EtcdObjectReader{restOptions.StorageConfig.Prefix, crd}
}

// WaitForStorageVersion updates the object until it is stored in this version.
func (s *EtcdObjectReader) WaitForStorageVersion(version string, ns, name string, timeout time.Duration, updateObjFn func()) error {
	until := time.After(timeout)
	for {
		stored, err := s.GetStoredCustomResource(ns, name)
		if err != nil {
			return err
		}
		if stored.GroupVersionKind().Version == version {
			return nil
		}
		select {
		case <-until:
			return fmt.Errorf("%s/%s is not stored as %s after %v", ns, name, version, timeout)
		case <-time.After(10 * time.Millisecond):
			updateObjFn()
		}
	}
}

// line is a record of the log.
type line struct {
	Type   string          `json:"type"`
	Object json.RawMessage `json:"object"`
}

// GetStoredCustomResource returns what the last record of the object holds.
func (s *EtcdObjectReader) GetStoredCustomResource(ns, name string) (*unstructured.Unstructured, error) {
	config := testserver.ConfigOf(s.prefix)
	if config == nil {
		return nil, fmt.Errorf("no server has the prefix %q", s.prefix)
	}
	client, err := clientOf(config)
	if err != nil {
		return nil, err
	}
	stream, err := client.Get().AbsPath(logPath).
		Param("resource", s.crd.Spec.Group+"/"+s.crd.Spec.Names.Plural).Param("path", ns+"/"+name).
		Param("effectiveOnly", "true").Stream(context.Background())
	if err != nil {
		return nil, fmt.Errorf("the log cannot be read: %w", err)
	}
	defer stream.Close()
	var last line
	for decoder := json.NewDecoder(stream); ; {
		var next line
		if err := decoder.Decode(&next); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		last = next
	}
	if last.Object == nil || last.Type == "deleted" {
		return nil, fmt.Errorf("%s/%s is not stored", ns, name)
	}
	stored := &unstructured.Unstructured{}
	return stored, stored.UnmarshalJSON(last.Object)
}

func clientOf(config *restclient.Config) (*restclient.RESTClient, error) {
	config = restclient.CopyConfig(config)
	config.GroupVersion = &schema.GroupVersion{Version: "v1"}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	return restclient.RESTClientFor(config)
}

// SetStoredCustomResource answers with an error.
func (s *EtcdObjectReader) SetStoredCustomResource(string, string, *unstructured.Unstructured) error {
	return errReadOnly
}

// SetStoredCustomResourceDefinition answers with an error.
func (s *EtcdObjectReader) SetStoredCustomResourceDefinition(string, *apiextensionsv1.CustomResourceDefinition) error {
	return errReadOnly
}

// GetEtcdClients returns clients of no etcd.
func GetEtcdClients(config storagebackend.TransportConfig) (*clientv3.Client, clientv3.KV, error) {
	return testserver.GetEtcdClients(config)
}
