// Test only: what apiextensions-apiserver says of custom resource definitions.
//
// Each line of standard input is {"do": ..., "object": {...}, "old": {...}}, where "do" is create,
// update or status. Each line of standard output is {"object", "errors", "warnings"}: the object as
// it would be stored, what its strategy finds wrong with it, and the warnings; or {"problem"} when
// it cannot be decoded.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type question struct {
	Do     string          `json:"do"`
	Object json.RawMessage `json:"object"`
	Old    json.RawMessage `json:"old"`
}

type fieldError struct {
	Type  string `json:"type"`
	Field string `json:"field"`
	Body  string `json:"body"`
}

type answer struct {
	Problem  string          `json:"problem,omitempty"`
	Object   json.RawMessage `json:"object,omitempty"`
	Errors   []fieldError    `json:"errors"`
	Warnings []string        `json:"warnings"`
}

var (
	scheme = runtime.NewScheme()
	codecs serializer.CodecFactory
)

func main() {
	install.Install(scheme)
	codecs = serializer.NewCodecFactory(scheme)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<30)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for in.Scan() {
		var asked question
		given, err := answer{}, json.Unmarshal(in.Bytes(), &asked)
		if err == nil {
			given, err = judge(asked)
		}
		if err != nil {
			given = answer{Problem: err.Error()}
		}
		if err := encoder.Encode(given); err != nil {
			panic(err)
		}
	}
}

func judge(asked question) (given answer, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	ctx := context.Background()
	object, err := decode(asked.Object)
	if err != nil {
		return answer{}, err
	}
	var errs field.ErrorList
	var warnings []string
	main, status := customresourcedefinition.NewStrategy(scheme), customresourcedefinition.NewStatusStrategy(scheme)
	if asked.Do == "create" {
		main.PrepareForCreate(ctx, object)
		errs = main.Validate(ctx, object)
		warnings = main.WarningsOnCreate(ctx, object)
	} else {
		old, err := decode(asked.Old)
		if err != nil {
			return answer{}, err
		}
		object.Generation = old.Generation
		if asked.Do == "update" {
			main.PrepareForUpdate(ctx, object, old)
			errs = main.ValidateUpdate(ctx, object, old)
			warnings = main.WarningsOnUpdate(ctx, object, old)
		} else {
			status.PrepareForUpdate(ctx, object, old)
			errs = status.ValidateUpdate(ctx, object, old)
		}
	}
	stored, err := encode(object)
	return answer{Object: stored, Errors: told(errs), Warnings: warnings}, err
}

func decode(raw json.RawMessage) (*apiextensions.CustomResourceDefinition, error) {
	decoder := codecs.UniversalDecoder(apiextensions.SchemeGroupVersion)
	object, _, err := decoder.Decode(raw, nil, nil)
	if err != nil {
		return nil, err
	}
	return object.(*apiextensions.CustomResourceDefinition), nil
}

func encode(object *apiextensions.CustomResourceDefinition) (json.RawMessage, error) {
	encoded, err := runtime.Encode(codecs.LegacyCodec(apiextensionsv1.SchemeGroupVersion), object)
	return json.RawMessage(strings.TrimSpace(string(encoded))), err
}

func told(errs field.ErrorList) []fieldError {
	shown := []fieldError{}
	for _, err := range errs {
		shown = append(shown, fieldError{string(err.Type), err.Field, err.ErrorBody()})
	}
	return shown
}
