// Strategies as kube-apiserver runs them, for comparison in tests.
//
// Each line of standard input is {"do": ..., "object": {...}, "old": {...}}. To create, to update
// and to write a subresource are done by the kind's own strategy; "store" only stores the object,
// "convert" shows it in its other version, "canonical" as it is, without defaults; "layouts" needs
// no object and tells how Go lays out what messages show. Each line of
// standard output is {"object", "errors", "warnings"}: the object as it is read back from the
// store, what validation says of it field by field, and the warnings. It is defaulted twice, when
// it comes in and when it is read back, as kube-apiserver does it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validate/content"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/warning"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/component-base/featuregate"
	"k8s.io/klog/v2"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kube-aggregator/pkg/registry/apiservice"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apiserverinternal/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
	"k8s.io/kubernetes/pkg/capabilities"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/resolver"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/apiserverinternal/storageversion"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/certificates/certificates"
	"k8s.io/kubernetes/pkg/registry/certificates/clustertrustbundle"
	"k8s.io/kubernetes/pkg/registry/certificates/podcertificaterequest"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/coordination/leasecandidate"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/flowschema"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/prioritylevelconfiguration"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/ipaddress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/networking/servicecidr"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourcepoolstatusrequest"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/scheduling/podgroup"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/scheduling/workload"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
	"k8s.io/kubernetes/pkg/registry/storagemigration/storagemigration"
	clocks "k8s.io/utils/clock/testing"
)

type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

type kind struct {
	main         strategy
	subresources map[string]rest.RESTUpdateStrategy
}

func plain(main strategy) kind { return kind{main, nil} }

func withStatus(main strategy, status rest.RESTUpdateStrategy) kind {
	return kind{main, map[string]rest.RESTUpdateStrategy{"status": status}}
}

var kinds = map[string]kind{
	"ConfigMap":                 plain(configmap.Strategy),
	"Endpoints":                 plain(endpoint.Strategy),
	"Event":                     plain(event.Strategy),
	"LimitRange":                plain(limitrange.Strategy),
	"Namespace":                 {namespace.Strategy, map[string]rest.RESTUpdateStrategy{"status": namespace.StatusStrategy, "finalize": namespace.FinalizeStrategy}},
	"Node":                      withStatus(node.Strategy, node.StatusStrategy),
	"PersistentVolume":          withStatus(persistentvolume.Strategy, persistentvolume.StatusStrategy),
	"PersistentVolumeClaim":     withStatus(persistentvolumeclaim.Strategy, persistentvolumeclaim.StatusStrategy),
	"Pod":                       {pod.Strategy, map[string]rest.RESTUpdateStrategy{"status": pod.StatusStrategy, "ephemeralcontainers": pod.EphemeralContainersStrategy, "resize": pod.ResizeStrategy}},
	"PodTemplate":               plain(podtemplate.Strategy),
	"ReplicationController":     withStatus(replicationcontroller.Strategy, replicationcontroller.StatusStrategy),
	"ResourceQuota":             withStatus(resourcequota.Strategy, resourcequota.StatusStrategy),
	"Secret":                    plain(secret.Strategy),
	"Service":                   withStatus(service.Strategy, service.StatusStrategy),
	"ServiceAccount":            plain(serviceaccount.Strategy),
	"ControllerRevision":        plain(controllerrevision.Strategy),
	"DaemonSet":                 withStatus(daemonset.Strategy, daemonset.StatusStrategy),
	"Deployment":                withStatus(deployment.Strategy, deployment.StatusStrategy),
	"ReplicaSet":                withStatus(replicaset.Strategy, replicaset.StatusStrategy),
	"StatefulSet":               withStatus(statefulset.Strategy, statefulset.StatusStrategy),
	"HorizontalPodAutoscaler":   withStatus(horizontalpodautoscaler.Strategy, horizontalpodautoscaler.StatusStrategy),
	"CronJob":                   withStatus(cronjob.Strategy, cronjob.StatusStrategy),
	"Job":                       withStatus(job.Strategy, job.StatusStrategy),
	"CertificateSigningRequest": {certificates.Strategy, map[string]rest.RESTUpdateStrategy{"status": certificates.StatusStrategy, "approval": certificates.ApprovalStrategy}},
	"Lease":                     plain(lease.Strategy),
	"EndpointSlice":             plain(endpointslice.Strategy),
	"FlowSchema":                withStatus(flowschema.Strategy, flowschema.StatusStrategy),
	"Ingress":                   withStatus(ingress.Strategy, ingress.StatusStrategy),
	"IngressClass":              plain(ingressclass.Strategy),
	"IPAddress":                 plain(ipaddress.Strategy),
	"NetworkPolicy":             plain(networkpolicy.Strategy),
	"ServiceCIDR":               withStatus(servicecidr.Strategy, servicecidr.StatusStrategy),
	"RuntimeClass":              plain(runtimeclass.Strategy),
	"PodDisruptionBudget":       withStatus(poddisruptionbudget.Strategy, poddisruptionbudget.StatusStrategy),
	"ClusterRole":               plain(clusterrole.Strategy),
	"ClusterRoleBinding":        plain(clusterrolebinding.Strategy),
	"Role":                      plain(role.Strategy),
	"RoleBinding":               plain(rolebinding.Strategy),
	"PriorityClass":             plain(priorityclass.Strategy),
	"CSIDriver":                 plain(csidriver.Strategy),
	"CSINode":                   plain(csinode.Strategy),
	"CSIStorageCapacity":        plain(csistoragecapacity.Strategy),
	"StorageClass":              plain(storageclass.Strategy),
	"VolumeAttachment":          withStatus(volumeattachment.Strategy, volumeattachment.StatusStrategy),
	"VolumeAttributesClass":     plain(volumeattributesclass.Strategy),

	"MutatingAdmissionPolicy":          plain(mutatingadmissionpolicy.NewStrategy(nil, nil)),
	"MutatingAdmissionPolicyBinding":   plain(mutatingadmissionpolicybinding.NewStrategy(nil, nil, noResources)),
	"MutatingWebhookConfiguration":     plain(mutatingwebhookconfiguration.Strategy),
	"ValidatingAdmissionPolicy":        withStatus(validatingPolicies, validatingadmissionpolicy.NewStatusStrategy(validatingPolicies)),
	"ValidatingAdmissionPolicyBinding": plain(validatingadmissionpolicybinding.NewStrategy(nil, nil, noResources)),
	"ValidatingWebhookConfiguration":   plain(validatingwebhookconfiguration.Strategy),
	"APIService":                       withStatus(apiServices, apiservice.NewStatusStrategy(legacyscheme.Scheme)),
	"PriorityLevelConfiguration":       withStatus(prioritylevelconfiguration.Strategy, prioritylevelconfiguration.StatusStrategy),
	"DeviceClass":                      plain(deviceclass.Strategy),
	"ResourceClaim":                    withStatus(claims, resourceclaim.NewStatusStrategy(claims)),
	"ResourceClaimTemplate":            plain(resourceclaimtemplate.NewStrategy(namespaces{})),
	"ResourceSlice":                    plain(resourceslice.Strategy),
	"ClusterTrustBundle":               plain(clustertrustbundle.Strategy),
	"PodCertificateRequest":            withStatus(podCertificates, podcertificaterequest.NewStatusStrategy(podCertificates, everybodyMay{}, clocks.NewFakePassiveClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)))),
	"LeaseCandidate":                   plain(leasecandidate.Strategy),
	"StorageVersionMigration":          withStatus(storagemigration.Strategy, storagemigration.StatusStrategy),
	"StorageVersion":                   withStatus(storageversion.Strategy, storageversion.StatusStrategy),
	"DeviceTaintRule":                  withStatus(devicetaintrule.Strategy, devicetaintrule.StatusStrategy),
	"ResourcePoolStatusRequest":        withStatus(resourcepoolstatusrequest.Strategy, resourcepoolstatusrequest.StatusStrategy),
	"PodGroup":                         withStatus(podGroups, podgroup.NewStatusStrategy(podGroups)),
	"Workload":                         plain(workload.Strategy),
}

// Nobody has to be asked whether a requester may refer to what a policy refers to.
var (
	validatingPolicies = validatingadmissionpolicy.NewStrategy(nil, nil)
	apiServices        = apiservice.NewStrategy(legacyscheme.Scheme)
	podCertificates    = podcertificaterequest.NewStrategy()
	podGroups          = podgroup.NewStrategy()
	claims             = resourceclaim.NewStrategy(namespaces{}, everybodyMay{})
)

// Every namespace lets its claims have administrators' access.
type namespaces struct{ corev1.NamespaceInterface }

func (namespaces) Get(_ context.Context, name string, _ metav1.GetOptions) (*v1.Namespace, error) {
	return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"resource.kubernetes.io/admin-access": "true"},
	}}, nil
}

// Bindings of policies want one, though without an authorizer they never ask it.
var noResources = resolver.ResourceResolverFunc(func(schema.GroupVersionKind) (schema.GroupVersionResource, error) {
	return schema.GroupVersionResource{}, nil
})

type everybodyMay struct{}

func (everybodyMay) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}

func init() {
	apiregistration.Install(legacyscheme.Scheme)
	// As kube-apiserver has it unless it is told otherwise.
	capabilities.Setup(false, 0)
}

// What is said on the way.
type recorder struct{ said *[]string }

func (r recorder) AddWarning(_, text string) { *r.said = append(*r.said, text) }

type question struct {
	Do     string          `json:"do"`
	Object json.RawMessage `json:"object"`
	Old    json.RawMessage `json:"old"`
	// Features that are on or off for this question alone.
	Gates map[string]bool `json:"gates"`
	// Metadata is judged too, as for any kind.
	Whole bool `json:"whole"`
}

type fieldError struct {
	Type  field.ErrorType `json:"type"`
	Field string          `json:"field"`
	Body  string          `json:"body"`
}

type answer struct {
	Object   json.RawMessage `json:"object,omitempty"`
	Errors   []fieldError    `json:"errors"`
	Warnings []string        `json:"warnings"`
	Error    string          `json:"error,omitempty"`
	Layouts  layoutTable     `json:"layouts,omitempty"`
}

func main() {
	// Upstream complains of addresses that are none, of which the questions are full.
	klog.SetLogger(klog.Logger{})
	// What shows bundles in pods needs that there are bundles.
	_ = feature.DefaultMutableFeatureGate.Set("ClusterTrustBundle=true")
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	for lines.Scan() {
		_ = answers.Encode(ask(lines.Bytes()))
	}
}

func ask(line []byte) (given answer) {
	// Upstream does not get over some objects, of which its server says 500.
	defer func() {
		if fault := recover(); fault != nil {
			given = answer{Error: fmt.Sprint(fault)}
		}
	}()
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Error: err.Error()}
	}
	defer withGates(asked.Gates)()
	switch asked.Do {
	case "canonical":
		return canonical(asked.Object)
	case "layouts":
		return answer{Layouts: layouts()}
	}
	object, version, err := decode(asked.Object)
	if err != nil {
		return answer{Error: err.Error()}
	}
	known, ok := kinds[version.Kind]
	isForm := asked.Do == "convert" || asked.Do == "store"
	if !ok && !isForm {
		return answer{Error: "unknown kind " + version.Kind}
	}
	ctx := context.Background()
	if version.Kind == "PodCertificateRequest" {
		// Its strategy asks whether the requester may sign.
		ctx = request.WithUser(ctx, &user.DefaultInfo{Name: "somebody"})
	}
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{
		APIGroup: version.Group, APIVersion: version.Version, Subresource: subresource(asked.Do),
	})
	given.Errors, given.Warnings = []fieldError{}, []string{}
	ctx = warning.WithWarningRecorder(ctx, recorder{&given.Warnings})
	switch {
	case isForm:
	case asked.Do == "create":
		known.main.PrepareForCreate(ctx, object)
		errors := known.main.Validate(ctx, object)
		if asked.Whole && len(errors) == 0 {
			errors = newMetadata(known.main, object)
		}
		given.Errors = told(errors)
		given.Warnings = append(given.Warnings, known.main.WarningsOnCreate(ctx, object)...)
		known.main.Canonicalize(object)
	default:
		old, _, err := decode(asked.Old)
		if err != nil {
			return answer{Error: err.Error()}
		}
		update := rest.RESTUpdateStrategy(known.main)
		if asked.Do != "update" {
			update = known.subresources[asked.Do]
		}
		keepGeneration(object, old)
		update.PrepareForUpdate(ctx, object, old)
		var errors field.ErrorList
		if asked.Whole {
			errors = changedMetadata(update, object, old)
		}
		given.Errors = told(append(errors, update.ValidateUpdate(ctx, object, old)...))
		given.Warnings = append(given.Warnings, update.WarningsOnUpdate(ctx, object, old)...)
		update.Canonicalize(object)
	}
	given.Object, err = readBack(object, storageVersion(version, asked.Do))
	if err != nil {
		return answer{Error: err.Error()}
	}
	return given
}

// Sets features and returns what sets them back.
func withGates(gates map[string]bool) func() {
	before := map[string]bool{}
	for name, value := range gates {
		before[name] = feature.DefaultFeatureGate.Enabled(featuregate.Feature(name))
		if err := feature.DefaultMutableFeatureGate.Set(fmt.Sprintf("%s=%t", name, value)); err != nil {
			panic(err)
		}
	}
	return func() {
		for name, value := range before {
			_ = feature.DefaultMutableFeatureGate.Set(fmt.Sprintf("%s=%t", name, value))
		}
	}
}

func canonical(raw []byte) answer {
	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	if err != nil {
		return answer{Error: err.Error()}
	}
	encoded, err := json.Marshal(object)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Object: encoded, Errors: []fieldError{}, Warnings: []string{}}
}

func readBack(object runtime.Object, version schema.GroupVersion) ([]byte, error) {
	codec := legacyscheme.Codecs.LegacyCodec(version)
	stored, err := runtime.Encode(codec, object)
	if err != nil {
		return nil, err
	}
	object, _, err = decode(stored)
	if err != nil {
		return nil, err
	}
	return runtime.Encode(codec, object)
}

func subresource(do string) string {
	if do == "create" || do == "update" {
		return ""
	}
	return do
}

// What BeforeCreate asks once a strategy has nothing to object.
func newMetadata(strategy rest.RESTCreateStrategy, object runtime.Object) field.ErrorList {
	metadata, _ := meta.Accessor(object)
	return genericvalidation.ValidateObjectMetaAccessor(
		metadata, strategy.NamespaceScoped(), pathSegment, field.NewPath("metadata"))
}

// What BeforeUpdate does between a strategy's preparation and its validation.
func changedMetadata(strategy rest.RESTUpdateStrategy, object, old runtime.Object) field.ErrorList {
	to, _ := meta.Accessor(object)
	from, _ := meta.Accessor(old)
	if to.GetUID() == "" {
		to.SetUID(from.GetUID())
	}
	if made := from.GetCreationTimestamp(); !made.IsZero() {
		to.SetCreationTimestamp(made)
	}
	if from.GetDeletionTimestamp() != nil {
		to.SetDeletionTimestamp(from.GetDeletionTimestamp())
	}
	if from.GetDeletionGracePeriodSeconds() != nil && to.GetDeletionGracePeriodSeconds() == nil {
		to.SetDeletionGracePeriodSeconds(from.GetDeletionGracePeriodSeconds())
	}
	path := field.NewPath("metadata")
	return append(
		genericvalidation.ValidateObjectMetaAccessor(to, strategy.NamespaceScoped(), pathSegment, path),
		genericvalidation.ValidateObjectMetaAccessorUpdate(to, from, path)...)
}

func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// Every update starts with the generation of the old object.
func keepGeneration(object, old runtime.Object) {
	to, _ := meta.Accessor(object)
	from, _ := meta.Accessor(old)
	to.SetGeneration(from.GetGeneration())
}

func decode(raw []byte) (runtime.Object, *schema.GroupVersionKind, error) {
	return legacyscheme.Codecs.UniversalDecoder().Decode(raw, nil, nil)
}

// Conversion answers in the version that was not asked in.
func storageVersion(asked *schema.GroupVersionKind, do string) schema.GroupVersion {
	switch {
	case asked.Kind == "HorizontalPodAutoscaler" && do == "convert" && asked.Version == "v2":
		return schema.GroupVersion{Group: "autoscaling", Version: "v1"}
	case asked.Kind == "HorizontalPodAutoscaler":
		return schema.GroupVersion{Group: "autoscaling", Version: "v2"}
	case asked.Kind == "Event" && do == "convert" && asked.Group == "":
		return schema.GroupVersion{Group: "events.k8s.io", Version: "v1"}
	case asked.Kind == "Event":
		return schema.GroupVersion{Version: "v1"}
	case asked.Group == "resource.k8s.io" && asked.Version == "v1beta1" && do != "convert":
		return schema.GroupVersion{Group: asked.Group, Version: "v1"}
	}
	return schema.GroupVersion{Group: asked.Group, Version: asked.Version}
}

func told(errors field.ErrorList) []fieldError {
	all := make([]fieldError, 0, len(errors))
	for _, one := range errors {
		all = append(all, fieldError{one.Type, one.Field, strings.TrimSpace(one.ErrorBody())})
	}
	return all
}
