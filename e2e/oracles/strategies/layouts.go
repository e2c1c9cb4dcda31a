// How the internal structs of some kinds are laid out, beside the JSON names of their public
// counterparts: {"Container": [["Name", "name", "string"], ...]}.
package main

import (
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/certificates"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/resource"
)

type layoutTable map[string][][3]string

func layouts() layoutTable {
	forms := layoutTable{}
	forms.walk(reflect.TypeOf(core.PodSpec{}), reflect.TypeOf(corev1.PodSpec{}))
	forms.walk(reflect.TypeOf(core.PodStatus{}), reflect.TypeOf(corev1.PodStatus{}))
	forms.walk(reflect.TypeOf(core.ServiceSpec{}), reflect.TypeOf(corev1.ServiceSpec{}))
	forms.walk(reflect.TypeOf(core.PersistentVolumeSpec{}), reflect.TypeOf(corev1.PersistentVolumeSpec{}))
	forms.walk(reflect.TypeOf(core.PersistentVolumeClaimSpec{}), reflect.TypeOf(corev1.PersistentVolumeClaimSpec{}))
	forms.walk(reflect.TypeOf(core.NodeSpec{}), reflect.TypeOf(corev1.NodeSpec{}))
	forms.walk(reflect.TypeOf(core.NodeStatus{}), reflect.TypeOf(corev1.NodeStatus{}))
	forms.walk(reflect.TypeOf(core.LimitRangeSpec{}), reflect.TypeOf(corev1.LimitRangeSpec{}))
	forms.walk(reflect.TypeOf(core.ResourceQuotaSpec{}), reflect.TypeOf(corev1.ResourceQuotaSpec{}))
	forms.walk(reflect.TypeOf(core.Event{}), reflect.TypeOf(corev1.Event{}))
	forms.walk(reflect.TypeOf(core.EndpointSubset{}), reflect.TypeOf(corev1.EndpointSubset{}))
	forms.walk(reflect.TypeOf(core.PodTemplateSpec{}), reflect.TypeOf(corev1.PodTemplateSpec{}))
	forms.walk(reflect.TypeOf(batch.JobSpec{}), reflect.TypeOf(batchv1.JobSpec{}))
	forms.walk(reflect.TypeOf(batch.JobStatus{}), reflect.TypeOf(batchv1.JobStatus{}))
	forms.walk(reflect.TypeOf(apps.DeploymentStrategy{}), reflect.TypeOf(appsv1.DeploymentStrategy{}))
	forms.walk(reflect.TypeOf(apps.DaemonSetUpdateStrategy{}), reflect.TypeOf(appsv1.DaemonSetUpdateStrategy{}))
	forms.walk(reflect.TypeOf(apps.StatefulSetSpec{}), reflect.TypeOf(appsv1.StatefulSetSpec{}))
	forms.walk(reflect.TypeOf(resource.ResourceClaimSpec{}), reflect.TypeOf(resourcev1.ResourceClaimSpec{}))
	forms.walk(reflect.TypeOf(resource.ResourceClaimTemplateSpec{}), reflect.TypeOf(resourcev1.ResourceClaimTemplateSpec{}))
	forms.walk(reflect.TypeOf(resource.AllocationResult{}), reflect.TypeOf(resourcev1.AllocationResult{}))
	forms.walk(reflect.TypeOf(resource.ResourcePoolStatusRequestStatus{}), reflect.TypeOf(resourcev1alpha3.ResourcePoolStatusRequestStatus{}))
	forms.walk(reflect.TypeOf(certificates.PodCertificateRequestSpec{}), reflect.TypeOf(certificatesv1beta1.PodCertificateRequestSpec{}))
	return forms
}

// Types that say themselves how they are written.
func isOwn(t reflect.Type) bool {
	return strings.HasPrefix(t.PkgPath(), "k8s.io/apimachinery") || t.PkgPath() == "time"
}

func (forms layoutTable) walk(inner, public reflect.Type) {
	name := inner.Name()
	if _, done := forms[name]; done {
		return
	}
	rows := [][3]string{}
	forms[name] = rows
	for i := 0; i < inner.NumField(); i++ {
		f := inner.Field(i)
		pub, ok := public.FieldByName(f.Name)
		jsonName := ""
		pubType := f.Type
		if ok {
			jsonName, _, _ = strings.Cut(pub.Tag.Get("json"), ",")
			pubType = pub.Type
		} else {
			jsonName = strings.ToLower(f.Name[:1]) + f.Name[1:]
		}
		kind := forms.notation(f.Type, pubType)
		tag := f.Tag.Get("json")
		if f.Anonymous && tag == "" {
			kind = "inline " + kind
		}
		rows = append(rows, [3]string{f.Name, jsonName, kind})
	}
	forms[name] = rows
}

func (forms layoutTable) notation(inner, public reflect.Type) string {
	switch inner.Kind() {
	case reflect.Pointer:
		if public.Kind() == reflect.Pointer {
			public = public.Elem()
		}
		return "*" + forms.notation(inner.Elem(), public)
	case reflect.Slice:
		if inner.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + forms.notation(inner.Elem(), public.Elem())
	case reflect.Map:
		return "{}" + forms.notation(inner.Elem(), public.Elem())
	case reflect.Struct:
		if isOwn(inner) {
			return "own:" + inner.Name()
		}
		if public.Kind() == reflect.Pointer {
			public = public.Elem()
		}
		if public.Kind() != reflect.Struct {
			return "own:" + inner.Name()
		}
		forms.walk(inner, public)
		return inner.Name()
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Interface:
		return "own:any"
	default:
		return "number"
	}
}
