// Field management as kube-apiserver does it, for comparison in tests.
//
// Each line of standard input is one question, each line of standard output its answer:
//
//	{"do": "schema"}: the merge types of all built-in kinds.
//	{"do": "fields", "fields": ...}: a fieldsV1, read and written again.
//	{"do": "update" or "apply", "apiVersion", "kind", "subresource", "live", "object", "manager",
//	"force", "reset", "crd"}: what becomes of metadata.managedFields, and of the object. Without
//	"live" the object is new. "reset" are paths of fields that are not managed. "crd" makes it a
//	custom resource.
//
// Nothing is defaulted, and objects are read back in the version of the request.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/spec3"
	openapiutil "k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/extensions/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	generatedopenapi "k8s.io/kubernetes/pkg/generated/openapi"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
)

type question struct {
	Do          string                                    `json:"do"`
	Fields      json.RawMessage                           `json:"fields"`
	APIVersion  string                                    `json:"apiVersion"`
	Kind        string                                    `json:"kind"`
	Subresource string                                    `json:"subresource"`
	Live        json.RawMessage                           `json:"live"`
	Object      json.RawMessage                           `json:"object"`
	Manager     string                                    `json:"manager"`
	Force       bool                                      `json:"force"`
	Reset       [][]string                                `json:"reset"`
	CRD         *apiextensionsv1.CustomResourceDefinition `json:"crd"`
}

type answer struct {
	Object any            `json:"object,omitempty"`
	Fields any            `json:"fields,omitempty"`
	Types  any            `json:"types,omitempty"`
	Error  string         `json:"error,omitempty"`
	Status *metav1.Status `json:"status,omitempty"`
}

var models = builtInModels()
var builtIn = must(managedfields.NewTypeConverter(models, false))
var crds = map[string]*custom{}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var asked question
			if err := json.Unmarshal(line, &asked); err != nil {
				panic(err)
			}
			if err := out.Encode(reply(&asked)); err != nil {
				panic(err)
			}
		}
		if err != nil {
			return
		}
	}
}

func reply(asked *question) answer {
	switch asked.Do {
	case "schema":
		types := map[string]any{}
		for _, named := range must(schemaconv.ToSchemaFromOpenAPI(models, false)).Types {
			types[named.Name] = atomForm(named.Atom)
		}
		return answer{Types: types}
	case "fields":
		set := fieldpath.Set{}
		if err := set.FromJSON(bytes.NewReader(asked.Fields)); err != nil {
			return answer{Error: err.Error()}
		}
		return answer{Fields: string(must(set.ToJSON()))}
	}
	manager, err := managerFor(asked)
	if err != nil {
		return failure(err)
	}
	return manager.write(asked)
}

func failure(err error) answer {
	result := answer{Error: err.Error()}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		of := status.Status()
		result.Status = &of
	}
	return result
}

// A resource as field management sees it.
type managed struct {
	fields *managedfields.FieldManager
	kind   schema.GroupVersionKind
	create func() runtime.Object
	back   func(runtime.Object) (any, error)
}

func managerFor(asked *question) (*managed, error) {
	kind := schema.FromAPIVersionAndKind(asked.APIVersion, asked.Kind)
	if asked.CRD != nil {
		return customManager(asked, kind)
	}
	scheme := legacyscheme.Scheme
	// Not by way of the internal version, which is not to be had without defaults.
	fields, err := managedfields.NewDefaultFieldManager(builtIn, scheme, noDefaults{}, scheme, kind,
		kind.GroupVersion(), asked.Subresource, resetFields(asked, kind))
	if err != nil {
		return nil, err
	}
	create := func() runtime.Object { return must(scheme.New(kind)) }
	back := func(object runtime.Object) (any, error) {
		return scheme.ConvertToVersion(object, kind.GroupVersion())
	}
	return &managed{fields: fields, kind: kind, create: create, back: back}, nil
}

func (m *managed) write(asked *question) answer {
	live := m.create()
	if len(asked.Live) > 0 {
		if err := json.Unmarshal(asked.Live, live); err != nil {
			return answer{Error: "live: " + err.Error()}
		}
	}
	var result runtime.Object
	var err error
	if asked.Do == "apply" {
		applied := &unstructured.Unstructured{Object: map[string]any{}}
		if err := json.Unmarshal(asked.Object, &applied.Object); err != nil {
			return answer{Error: "object: " + err.Error()}
		}
		result, err = m.fields.Apply(live, applied, asked.Manager, asked.Force)
	} else {
		object := m.create()
		if err := json.Unmarshal(asked.Object, object); err != nil {
			return answer{Error: "object: " + err.Error()}
		}
		result, err = m.fields.Update(live, object, asked.Manager)
	}
	if err != nil {
		return failure(err)
	}
	object, err := m.back(result)
	if err != nil {
		return failure(err)
	}
	return answer{Object: object}
}

func resetFields(asked *question, kind schema.GroupVersionKind) map[fieldpath.APIVersion]fieldpath.Filter {
	set := fieldpath.NewSet()
	for _, names := range asked.Reset {
		path := fieldpath.Path{}
		for _, name := range names {
			path = append(path, fieldpath.FieldNameElement(name))
		}
		set.Insert(path)
	}
	return fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(kind.GroupVersion().String()): set,
	})
}

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

// A CustomResourceDefinition as it is served.
type custom struct {
	types     managedfields.TypeConverter
	converter runtime.ObjectConvertor
}

type unstructuredCreater struct{}

func (unstructuredCreater) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object, nil
}

func customManager(asked *question, kind schema.GroupVersionKind) (*managed, error) {
	crd, err := served(asked.CRD)
	if err != nil {
		return nil, err
	}
	create := func() runtime.Object { return must(unstructuredCreater{}.New(kind)) }
	fields, err := managedfields.NewDefaultCRDFieldManager(crd.types, crd.converter, noDefaults{},
		unstructuredCreater{}, kind, kind.GroupVersion(), asked.Subresource, resetFields(asked, kind))
	if err != nil {
		return nil, err
	}
	back := func(object runtime.Object) (any, error) { return object, nil }
	return &managed{fields: fields, kind: kind, create: create, back: back}, nil
}

func served(crd *apiextensionsv1.CustomResourceDefinition) (*custom, error) {
	key := string(must(json.Marshal(crd)))
	if known, ok := crds[key]; ok {
		return known, nil
	}
	specs := []*spec3.OpenAPI{{
		Version:    "3.0.0",
		Info:       &spec.Info{},
		Components: &spec3.Components{Schemas: models},
	}}
	for _, version := range crd.Spec.Versions {
		built, err := builder.BuildOpenAPIV3(crd, version.Name, builder.Options{})
		if err != nil {
			return nil, err
		}
		specs = append(specs, built)
	}
	merged, err := builder.MergeSpecsV3(specs...)
	if err != nil {
		return nil, err
	}
	types, err := managedfields.NewTypeConverter(merged.Components.Schemas, false)
	if err != nil {
		return nil, err
	}
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.NoneConverter,
	}
	factory, err := conversion.NewCRConverterFactory(nil, nil)
	if err != nil {
		return nil, err
	}
	safe, _, err := factory.NewConverter(crd)
	if err != nil {
		return nil, err
	}
	made := &custom{types: types, converter: safe}
	crds[key] = made
	return made, nil
}

// The OpenAPI v3 models of all built-in kinds, as kube-apiserver makes its merge types of them.
func builtInModels() map[string]*spec.Schema {
	aggregatorscheme.Install(legacyscheme.Scheme)
	if err := apiextensionsv1.AddToScheme(legacyscheme.Scheme); err != nil {
		panic(err)
	}
	namer := openapi.NewDefinitionNamer(legacyscheme.Scheme)
	config := &common.OpenAPIV3Config{
		Info:              &spec.Info{},
		GetDefinitions:    generatedopenapi.GetOpenAPIDefinitions,
		GetDefinitionName: namer.GetDefinitionName,
	}
	names := []string{}
	for kind := range legacyscheme.Scheme.AllKnownTypes() {
		if kind.Version == runtime.APIVersionInternal || isOfMeta(kind.Kind) {
			continue
		}
		names = append(names, openapiutil.GetCanonicalTypeName(must(legacyscheme.Scheme.New(kind))))
	}
	return must(builder3.BuildOpenAPIDefinitionsForResources(config, names...))
}

func isOfMeta(kind string) bool {
	return kind == "WatchEvent" || strings.HasSuffix(kind, "Options") || strings.HasPrefix(kind, "API")
}

func atomForm(atom smd.Atom) map[string]any {
	form := map[string]any{}
	if atom.Scalar != nil {
		form["scalar"] = *atom.Scalar
	}
	if atom.List != nil {
		form["list"] = map[string]any{
			"relation": atom.List.ElementRelationship,
			"keys":     atom.List.Keys,
			"items":    referenceForm(atom.List.ElementType),
		}
	}
	if atom.Map != nil {
		fields := map[string]any{}
		for _, field := range atom.Map.Fields {
			fields[field.Name] = map[string]any{
				"type":    referenceForm(field.Type),
				"default": field.Default,
			}
		}
		form["map"] = map[string]any{
			"relation": atom.Map.ElementRelationship,
			"fields":   fields,
			"values":   referenceForm(atom.Map.ElementType),
		}
	}
	return form
}

func referenceForm(reference smd.TypeRef) any {
	form := map[string]any{"inlined": atomForm(reference.Inlined)}
	if reference.NamedType != nil {
		form = map[string]any{"named": *reference.NamedType}
	}
	if reference.ElementRelationship != nil {
		form["relation"] = *reference.ElementRelationship
	}
	return form
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
