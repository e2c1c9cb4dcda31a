// Command encryption-configuration answers, one line of JSON for each line of JSON it reads, what kube-apiserver
// finds wrong with an EncryptionConfiguration. The tests beside gateway/configuration compare.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
)

type question struct {
	Configuration json.RawMessage `json:"configuration"`
	Reload        bool            `json:"reload"`
}

// Undecodable is what the strict decoder says; errors are those of the validation, in order.
type answer struct {
	Undecodable string   `json:"undecodable,omitempty"`
	Errors      []string `json:"errors"`
}

func answerOf(decoder runtime.Decoder, asked question) answer {
	decoded, _, err := decoder.Decode(asked.Configuration, nil, nil)
	if err != nil {
		return answer{Undecodable: err.Error()}
	}
	configuration, ok := decoded.(*apiserver.EncryptionConfiguration)
	if !ok {
		return answer{Undecodable: "another kind"}
	}
	errors := []string{}
	for _, one := range validation.ValidateEncryptionConfiguration(configuration, asked.Reload) {
		errors = append(errors, one.Error())
	}
	return answer{Errors: errors}
}

func main() {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	utilruntime.Must(apiserver.AddToScheme(scheme))
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder()
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var asked question
		if err := json.Unmarshal(input.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := output.Encode(answerOf(decoder, asked)); err != nil {
			panic(err)
		}
	}
	if err := input.Err(); err != nil {
		panic(err)
	}
}
