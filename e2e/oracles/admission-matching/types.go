package main

import (
	"regexp"
	"strings"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/restmapper"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// typesQuestion says once what is served, and then asks about policies.
type typesQuestion struct {
	Schemas   map[string]*spec.Schema
	Resources []*metav1.APIResourceList
	Policy    *admissionregistration.ValidatingAdmissionPolicy
}

const reference = "#/components/schemas/"

// schemas are those of an OpenAPI document.
type schemas map[string]*spec.Schema

func (s schemas) ResolveSchema(gvk schema.GroupVersionKind) (*spec.Schema, error) {
	for name, one := range s {
		var kinds []schema.GroupVersionKind
		if err := one.Extensions.GetObject("x-kubernetes-group-version-kind", &kinds); err != nil {
			return nil, err
		}
		for _, kind := range kinds {
			if kind == gvk {
				return resolver.PopulateRefs(func(ref string) (*spec.Schema, bool) {
					found, ok := s[strings.TrimPrefix(ref, reference)]
					return found, ok
				}, reference+name)
			}
		}
	}
	return nil, resolver.ErrSchemaNotFound
}

var checker *validating.TypeChecker

// The names of types end with a moment.
var moment = regexp.MustCompile(`([A-Z][A-Za-z]*)[0-9]+`)

func typesOf(asked *typesQuestion) answer {
	if asked.Policy == nil {
		checker = &validating.TypeChecker{
			SchemaResolver: schemas(asked.Schemas),
			RestMapper:     restmapper.NewDiscoveryRESTMapper(groupsOf(asked.Resources)),
		}
		return answer{}
	}
	warnings := checker.Check(asked.Policy)
	for at := range warnings {
		warnings[at].Warning = moment.ReplaceAllString(warnings[at].Warning, "$1#")
	}
	return answer{Warnings: warnings}
}

func groupsOf(lists []*metav1.APIResourceList) []*restmapper.APIGroupResources {
	groups := map[string]*restmapper.APIGroupResources{}
	var all []*restmapper.APIGroupResources
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			panic(err)
		}
		group := groups[gv.Group]
		if group == nil {
			group = &restmapper.APIGroupResources{
				Group:              metav1.APIGroup{Name: gv.Group},
				VersionedResources: map[string][]metav1.APIResource{},
			}
			groups[gv.Group] = group
			all = append(all, group)
		}
		version := metav1.GroupVersionForDiscovery{GroupVersion: list.GroupVersion, Version: gv.Version}
		group.Group.Versions = append(group.Group.Versions, version)
		group.Group.PreferredVersion = group.Group.Versions[0]
		group.VersionedResources[gv.Version] = list.APIResources
	}
	return all
}
