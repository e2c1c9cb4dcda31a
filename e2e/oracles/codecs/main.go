// Command codecs answers, one line of JSON for each line of JSON it reads, what kube-apiserver's
// codecs make of a text. The tests beside api/scheme, api/meta and gateway/negotiation compare.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

type question struct {
	// json, protobuf, cbor, toCBOR, fromCBOR, toYAML, fromYAML, fromYAMLStrict or quantity.
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Type       string `json:"type"`
	Text       string `json:"text"`
	Bytes      []byte `json:"bytes"`
}

type answer struct {
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
	// What strict decoding says.
	Strict []string `json:"strict,omitempty"`
	// The object in protobuf.
	Bytes []byte `json:"bytes,omitempty"`
}

func main() {
	for _, add := range []func(*runtime.Scheme) error{
		apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme, metav1.AddMetaToScheme,
	} {
		if err := add(scheme.Scheme); err != nil {
			panic(err)
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<28)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		answered, err := asked.answer()
		if err != nil {
			answered = answer{Error: err.Error()}
		}
		if err := out.Encode(answered); err != nil {
			panic(err)
		}
	}
}

func (q question) answer() (answer, error) {
	switch q.Kind {
	case "json":
		return q.fromJSON()
	case "protobuf":
		kind := schema.FromAPIVersionAndKind(q.APIVersion, q.Type)
		object, _, err := protobufSerializer().Decode(q.Bytes, &kind, nil)
		if err != nil {
			return answer{}, err
		}
		return written(object, nil)
	case "cbor":
		kind := schema.FromAPIVersionAndKind(q.APIVersion, q.Type)
		object, _, err := cbor.NewSerializer(scheme.Scheme, scheme.Scheme).Decode(q.Bytes, &kind, nil)
		if err != nil {
			return answer{}, err
		}
		answered, err := written(object, nil)
		if err != nil {
			return answer{}, err
		}
		var encoded bytes.Buffer
		err = cbor.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &encoded)
		answered.Bytes = encoded.Bytes()
		return answered, err
	case "toCBOR":
		var value any
		if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(q.Text), &value); err != nil {
			return answer{}, err
		}
		encoded, err := direct.Marshal(value)
		return answer{Bytes: encoded}, err
	case "fromCBOR":
		var value any
		if err := direct.Unmarshal(q.Bytes, &value); err != nil {
			return answer{}, err
		}
		text, err := json.Marshal(value)
		return answer{Text: string(text)}, err
	case "toYAML":
		text, err := yaml.JSONToYAML([]byte(q.Text))
		return answer{Text: string(text)}, err
	case "fromYAML":
		text, err := yaml.YAMLToJSON([]byte(q.Text))
		return answer{Text: string(text)}, err
	case "fromYAMLStrict":
		text, err := yaml.YAMLToJSONStrict([]byte(q.Text))
		return answer{Text: string(text)}, err
	case "quantity":
		quantity, err := resource.ParseQuantity(q.Text)
		return answer{Text: quantity.String()}, err
	}
	return answer{}, fmt.Errorf("no such question: %s", q.Kind)
}

func (q question) fromJSON() (answer, error) {
	object, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(q.APIVersion, q.Type))
	if err != nil {
		return answer{}, err
	}
	strict, err := kjson.UnmarshalStrict([]byte(q.Text), object)
	if err != nil {
		return answer{}, err
	}
	return written(object, strict)
}

func written(object runtime.Object, strict []error) (answer, error) {
	var text, encoded bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return answer{}, err
	}
	if err := protobufSerializer().Encode(object, &encoded); err != nil {
		return answer{}, err
	}
	messages := make([]string, len(strict))
	for index, one := range strict {
		messages[index] = one.Error()
	}
	return answer{Text: text.String(), Strict: messages, Bytes: encoded.Bytes()}, nil
}

func protobufSerializer() *protobuf.Serializer {
	return protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
}
