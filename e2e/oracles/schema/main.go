// Command schema answers, one line of JSON for each line of JSON it reads, what
// apiextensions-apiserver does to custom resources: whether a schema is structural, what becomes of
// an object that is received or read from storage, and what is wrong with one that is written.
// The tests beside api/structural-schema compare.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

type question struct {
	Ask     string          `json:"ask"`
	Name    string          `json:"name"`
	Schema  json.RawMessage `json:"schema"`
	Object  json.RawMessage `json:"object"`
	Old     json.RawMessage `json:"old"`
	Root    bool            `json:"root"`
	Texts   []string        `json:"texts"`
	Repeats int             `json:"repeats"`
}

type fieldError struct {
	Type  string `json:"type"`
	Field string `json:"field"`
	Body  string `json:"body"`
}

type answer struct {
	Error   string       `json:"error,omitempty"`
	Errors  []fieldError `json:"errors,omitempty"`
	Object  any          `json:"object,omitempty"`
	Unknown []string     `json:"unknown,omitempty"`
	Valid   []bool       `json:"valid,omitempty"`
	Texts   []string     `json:"texts,omitempty"`
	Micros  float64      `json:"micros,omitempty"`
	Compile float64      `json:"compile,omitempty"`
}

// known is a schema that questions refer to by its name.
type known struct {
	structural *structuralschema.Structural
	create     rest.RESTCreateStrategy
	update     rest.RESTUpdateStrategy
	status     rest.RESTUpdateStrategy
}

var schemas = map[string]*known{}

var kind = schema.GroupVersionKind{Group: "stable.example.com", Version: "v1", Kind: "Thing"}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	decoder := json.NewDecoder(in)
	for decoder.More() {
		var asked question
		if err := decoder.Decode(&asked); err != nil {
			panic(err)
		}
		line, err := json.Marshal(answerTo(asked))
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, string(line))
	}
}

func answerTo(asked question) (result answer) {
	defer func() {
		if reason := recover(); reason != nil {
			result = answer{Error: fmt.Sprintf("panic: %v", reason)}
		}
	}()
	switch asked.Ask {
	case "schema":
		return learn(asked)
	case "structural":
		return structural(asked)
	case "defaults":
		return defaults(asked)
	case "received":
		return become(asked, coercer{unknown: true})
	case "stored":
		return become(asked, coercer{dropInvalid: true})
	case "create", "update", "status":
		return validate(asked)
	case "formats":
		return formats(asked)
	case "patterns":
		return patterns(asked)
	case "speed":
		return speed(asked)
	}
	return answer{Error: "unknown question"}
}

func parse(raw json.RawMessage) (*apiextensions.JSONSchemaProps, error) {
	external := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(raw, external); err != nil {
		return nil, err
	}
	internal := &apiextensions.JSONSchemaProps{}
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(external, internal, nil)
	return internal, err
}

func learn(asked question) answer {
	props, err := parse(asked.Schema)
	if err != nil {
		return answer{Error: err.Error()}
	}
	begin := time.Now()
	parsed, err := structuralschema.NewStructural(props)
	if err != nil {
		return answer{Error: err.Error()}
	}
	parsed = parsed.DeepCopy()
	if err := defaulting.PruneDefaults(parsed); err != nil {
		return answer{Error: err.Error()}
	}
	validator, _, err := schemavalidation.NewSchemaValidator(props)
	if err != nil {
		return answer{Error: err.Error()}
	}
	var statusValidator schemavalidation.SchemaValidator
	if statusProps, found := props.Properties["status"]; found {
		statusValidator, _, err = schemavalidation.NewSchemaValidator(&statusProps)
		if err != nil {
			return answer{Error: err.Error()}
		}
	}
	typer := runtime.NewScheme()
	strategy := customresource.NewStrategy(typer, true, kind, validator, statusValidator, parsed, nil, nil, nil)
	schemas[asked.Name] = &known{
		structural: parsed,
		create:     strategy,
		update:     strategy,
		status:     customresource.NewStatusStrategy(strategy),
	}
	return answer{Micros: float64(time.Since(begin).Nanoseconds()) / 1000}
}

func structural(asked question) answer {
	props, err := parse(asked.Schema)
	if err != nil {
		return answer{Error: err.Error()}
	}
	parsed, err := structuralschema.NewStructural(props)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Errors: shown(structuralschema.ValidateStructural(field.NewPath("spec"), parsed))}
}

func defaults(asked question) answer {
	props, err := parse(asked.Schema)
	if err != nil {
		return answer{Error: err.Error()}
	}
	parsed, err := structuralschema.NewStructural(props)
	if err != nil {
		return answer{Error: err.Error()}
	}
	errs, err := defaulting.ValidateDefaults(context.Background(), field.NewPath("spec"), parsed, asked.Root, true)
	if err != nil {
		return answer{Error: err.Error(), Errors: shown(errs)}
	}
	return answer{Errors: shown(errs)}
}

// coercer goes through the steps of the decoders of the custom resource handler.
type coercer struct {
	dropInvalid bool
	unknown     bool
}

func become(asked question, c coercer) answer {
	object, err := objectOf(asked.Object)
	if err != nil {
		return answer{Error: err.Error()}
	}
	s := schemas[asked.Name].structural
	unknown, err := c.apply(object, s)
	if err != nil {
		return answer{Error: err.Error()}
	}
	defaulting.Default(object.Object, s)
	return answer{Object: object.Object, Unknown: unknown}
}

func (c coercer) apply(object *unstructured.Unstructured, s *structuralschema.Structural) ([]string, error) {
	content := object.Object
	said, _, err := unstructured.NestedString(content, "kind")
	if err != nil {
		return nil, err
	}
	version, _, err := unstructured.NestedString(content, "apiVersion")
	if err != nil {
		return nil, err
	}
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(content, objectmeta.ObjectMetaOptions{
		DropMalformedFields:     c.dropInvalid,
		ReturnUnknownFieldPaths: c.unknown,
	})
	if err != nil {
		return nil, err
	}
	pruned := pruning.PruneWithOptions(content, s, true, structuralschema.UnknownFieldPathOptions{
		TrackUnknownFieldPaths: c.unknown,
	})
	unknown = append(unknown, pruned...)
	defaulting.PruneNonNullableNullsWithoutDefaults(content, s)
	fault, more := objectmeta.CoerceWithOptions(nil, content, s, false, objectmeta.CoerceOptions{
		DropInvalidFields:       c.dropInvalid,
		ReturnUnknownFieldPaths: c.unknown,
	})
	if fault != nil {
		return nil, fault
	}
	unknown = append(unknown, more...)
	if c.dropInvalid && meta.Generation == 0 {
		meta.Generation = 1
	}
	object.SetKind(said)
	object.SetAPIVersion(version)
	if found {
		return unknown, objectmeta.SetObjectMeta(content, meta)
	}
	return unknown, nil
}

func objectOf(raw json.RawMessage) (*unstructured.Unstructured, error) {
	content := map[string]interface{}{}
	if err := utiljson.Unmarshal(raw, &content); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: content}, nil
}

func validate(asked question) answer {
	object, err := objectOf(asked.Object)
	if err != nil {
		return answer{Error: err.Error()}
	}
	as := schemas[asked.Name]
	if asked.Ask == "create" {
		return answer{Errors: shown(as.create.Validate(context.Background(), object))}
	}
	old, err := objectOf(asked.Old)
	if err != nil {
		return answer{Error: err.Error()}
	}
	strategy := as.update
	if asked.Ask == "status" {
		strategy = as.status
	}
	return answer{Errors: shown(strategy.ValidateUpdate(context.Background(), object, old))}
}

func formats(asked question) answer {
	valid := make([]bool, 0, len(asked.Texts))
	for _, text := range asked.Texts {
		valid = append(valid, strfmt.Default.Validates(asked.Name, text))
	}
	return answer{Valid: valid}
}

// patterns says of each text why it is no regular expression, or "".
func patterns(asked question) answer {
	problems := make([]string, 0, len(asked.Texts))
	for _, text := range asked.Texts {
		problem := ""
		if _, err := regexp.Compile(text); err != nil {
			problem = err.Error()
		}
		problems = append(problems, problem)
	}
	return answer{Texts: problems}
}

// speed tells how long the validation of a new object takes.
func speed(asked question) answer {
	object, err := objectOf(asked.Object)
	if err != nil {
		return answer{Error: err.Error()}
	}
	as := schemas[asked.Name]
	var errs field.ErrorList
	begin := time.Now()
	for i := 0; i < asked.Repeats; i++ {
		errs = as.create.Validate(context.Background(), object)
	}
	validation := time.Since(begin)
	begin = time.Now()
	for i := 0; i < asked.Repeats; i++ {
		copied := object.DeepCopy()
		if _, err := (coercer{}).apply(copied, as.structural); err != nil {
			return answer{Error: err.Error()}
		}
		defaulting.Default(copied.Object, as.structural)
	}
	decoding := time.Since(begin)
	per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(asked.Repeats) }
	return answer{Errors: shown(errs), Micros: per(validation), Compile: per(decoding)}
}

func shown(errs field.ErrorList) []fieldError {
	list := make([]fieldError, 0, len(errs))
	for _, err := range errs {
		list = append(list, fieldError{Type: string(err.Type), Field: err.Field, Body: err.ErrorBody()})
	}
	return list
}
