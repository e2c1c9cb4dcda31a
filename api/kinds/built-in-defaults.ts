/**
 * The defaults of every built-in type that has any, by the type's name in OpenAPI. Types that are not
 * in the list have none: ConfigMap, Role, Lease, Ingress, PodDisruptionBudget and others.
 *
 * In Kubernetes: RegisterDefaults of every API group.
 */
import type { ModelTypes } from '../generated/kinds/kinds.ts';
import type { JsonObject } from '../json/json.ts';
import {
  setAdmissionPolicyBindingDefaults,
  setAlphaPolicyBindingDefaults,
  setMutatingAdmissionPolicyDefaults,
  setMutatingWebhookConfigurationDefaults,
  setValidatingAdmissionPolicyDefaults,
  setValidatingWebhookConfigurationDefaults,
} from './admissionregistration/defaults.ts';
import { setCustomResourceDefinitionDefaults } from './apiextensions/customresourcedefinitions/definition.ts';
import { setApiServiceDefaults } from './apiregistration/definition.ts';
import { setDaemonSetDefaults } from './apps/daemonsets/definition.ts';
import { setDeploymentDefaults } from './apps/deployments/definition.ts';
import { setReplicaSetDefaults } from './apps/replicasets/definition.ts';
import { setStatefulSetDefaults } from './apps/statefulsets/definition.ts';
import {
  setHorizontalPodAutoscalerDefaults,
  setHorizontalPodAutoscalerV1Defaults,
} from './autoscaling/horizontalpodautoscalers/definition.ts';
import { setCronJobDefaults, setJobDefaults } from './batch/defaults.ts';
import { setPodCertificateRequestDefaults } from './certificates/podcertificaterequests/definition.ts';
import { setEndpointsDefaults } from './core/endpoints/definition.ts';
import { setLimitRangeDefaults } from './core/limitranges/definition.ts';
import { setNamespaceDefaults } from './core/namespaces/definition.ts';
import { setNodeDefaults } from './core/nodes/definition.ts';
import { setPersistentVolumeClaimDefaults } from './core/persistentvolumeclaims/definition.ts';
import { setPersistentVolumeDefaults } from './core/persistentvolumes/definition.ts';
import { setPodDefaults } from './core/pods/definition.ts';
import { setPodTemplateDefaults } from './core/podtemplates/definition.ts';
import { setReplicationControllerDefaults } from './core/replicationcontrollers/definition.ts';
import { setResourceQuotaDefaults } from './core/resourcequotas/definition.ts';
import { setSecretDefaults } from './core/secrets/definition.ts';
import { setTokenRequestDefaults } from './core/serviceaccounts/definition.ts';
import { setServiceDefaults } from './core/services/definition.ts';
import { setEndpointSliceDefaults } from './discovery/definition.ts';
import {
  setFlowSchemaDefaults,
  setPriorityLevelConfigurationDefaults,
} from './flowcontrol/defaults.ts';
import { setIngressClassDefaults, setNetworkPolicyDefaults } from './networking/defaults.ts';
import { setClusterRoleBindingDefaults, setRoleBindingDefaults } from './rbac/defaults.ts';
import {
  setBetaClaimDefaults,
  setBetaSliceDefaults,
  setBetaTemplateDefaults,
} from './resource/beta-versions.ts';
import {
  setResourceClaimDefaults,
  setResourceClaimTemplateDefaults,
} from './resource/resourceclaims/defaults.ts';
import { setResourcePoolStatusRequestDefaults } from './resource/resourcepoolstatusrequests.ts';
import { setResourceSliceDefaults } from './resource/resourceslices/defaults.ts';
import { setPriorityClassDefaults } from './scheduling/definition.ts';
import { setPodGroupDefaults } from './scheduling/pod-groups.ts';
import {
  setCsiDriverDefaults,
  setStorageClassDefaults,
  setVolumeAttachmentDefaults,
} from './storage/defaults.ts';

/** Changes the object, which must be of that version and held nowhere else yet. */
export type SetDefaults = (object: JsonObject) => void;

/** Each is given what the codec of that model has read. */
type Defaulters = { readonly [Model in keyof ModelTypes]?: (object: ModelTypes[Model]) => void };

const DEFAULTERS: Defaulters = {
  'io.k8s.api.core.v1.Pod': setPodDefaults,
  'io.k8s.api.core.v1.PodTemplate': setPodTemplateDefaults,
  'io.k8s.api.core.v1.ReplicationController': setReplicationControllerDefaults,
  'io.k8s.api.core.v1.Service': setServiceDefaults,
  'io.k8s.api.core.v1.Endpoints': setEndpointsDefaults,
  'io.k8s.api.core.v1.Secret': setSecretDefaults,
  'io.k8s.api.core.v1.Namespace': setNamespaceDefaults,
  'io.k8s.api.core.v1.Node': setNodeDefaults,
  'io.k8s.api.core.v1.PersistentVolume': setPersistentVolumeDefaults,
  'io.k8s.api.core.v1.PersistentVolumeClaim': setPersistentVolumeClaimDefaults,
  'io.k8s.api.core.v1.LimitRange': setLimitRangeDefaults,
  'io.k8s.api.core.v1.ResourceQuota': setResourceQuotaDefaults,
  'io.k8s.api.apps.v1.Deployment': setDeploymentDefaults,
  'io.k8s.api.apps.v1.ReplicaSet': setReplicaSetDefaults,
  'io.k8s.api.apps.v1.StatefulSet': setStatefulSetDefaults,
  'io.k8s.api.apps.v1.DaemonSet': setDaemonSetDefaults,
  'io.k8s.api.batch.v1.Job': setJobDefaults,
  'io.k8s.api.batch.v1.CronJob': setCronJobDefaults,
  'io.k8s.api.rbac.v1.RoleBinding': setRoleBindingDefaults,
  'io.k8s.api.rbac.v1.ClusterRoleBinding': setClusterRoleBindingDefaults,
  'io.k8s.api.networking.v1.NetworkPolicy': setNetworkPolicyDefaults,
  'io.k8s.api.networking.v1.IngressClass': setIngressClassDefaults,
  'io.k8s.api.discovery.v1.EndpointSlice': setEndpointSliceDefaults,
  'io.k8s.api.storage.v1.StorageClass': setStorageClassDefaults,
  'io.k8s.api.storage.v1.CSIDriver': setCsiDriverDefaults,
  'io.k8s.api.storage.v1.VolumeAttachment': setVolumeAttachmentDefaults,
  'io.k8s.api.scheduling.v1.PriorityClass': setPriorityClassDefaults,
  'io.k8s.api.scheduling.v1alpha2.PodGroup': setPodGroupDefaults,
  'io.k8s.api.flowcontrol.v1.FlowSchema': setFlowSchemaDefaults,
  'io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration': setPriorityLevelConfigurationDefaults,
  'io.k8s.api.resource.v1.ResourceClaim': setResourceClaimDefaults,
  'io.k8s.api.resource.v1.ResourceClaimTemplate': setResourceClaimTemplateDefaults,
  'io.k8s.api.resource.v1.ResourceSlice': setResourceSliceDefaults,
  'io.k8s.api.resource.v1beta1.ResourceClaim': setBetaClaimDefaults,
  'io.k8s.api.resource.v1beta1.ResourceClaimTemplate': setBetaTemplateDefaults,
  'io.k8s.api.resource.v1beta1.ResourceSlice': setBetaSliceDefaults,
  'io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequest': setResourcePoolStatusRequestDefaults,
  'io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration':
    setMutatingWebhookConfigurationDefaults,
  'io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration':
    setValidatingWebhookConfigurationDefaults,
  'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy':
    setValidatingAdmissionPolicyDefaults,
  'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding':
    setAdmissionPolicyBindingDefaults,
  'io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy': setMutatingAdmissionPolicyDefaults,
  'io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBinding':
    setAdmissionPolicyBindingDefaults,
  'io.k8s.api.admissionregistration.v1alpha1.MutatingAdmissionPolicyBinding':
    setAlphaPolicyBindingDefaults,
  'io.k8s.api.certificates.v1beta1.PodCertificateRequest': setPodCertificateRequestDefaults,
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler': setHorizontalPodAutoscalerV1Defaults,
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler': setHorizontalPodAutoscalerDefaults,
  'io.k8s.api.authentication.v1.TokenRequest': setTokenRequestDefaults,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition':
    setCustomResourceDefinitionDefaults,
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService': setApiServiceDefaults,
};

/**
 * By the full name of the type, as `io.k8s.api.core.v1.Pod`. A type without defaults is not in it.
 */
export const defaultersByType: ReadonlyMap<string, SetDefaults> = new Map(
  // A defaulter is called for objects of its own model only, which its codec gave that type.
  Object.entries(DEFAULTERS) as [string, SetDefaults][],
);
