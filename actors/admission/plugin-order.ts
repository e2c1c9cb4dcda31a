/**
 * The admission plug-ins there are, in the order in which they are asked, and which of them are on
 * where nobody says otherwise.
 *
 * In Kubernetes: AllOrderedPlugins and DefaultOffAdmissionPlugins, kubernetes/pkg/kubeapiserver/options.
 */
import type { AdmissionWorld } from './admission-world.ts';
import type { AdmissionPlugin } from './admission-plugin.ts';
import type { PluginConfiguration } from './plugin-configuration.ts';
import { DEFAULT_PLUGIN_NAMES, PLUGIN_NAMES, type PluginName } from './plugin-names.ts';
import { alwaysAdmit } from './plugins/always-admit.ts';
import { alwaysDeny } from './plugins/always-deny.ts';
import { alwaysPullImages } from './plugins/always-pull-images.ts';
import { certificateApproval } from './plugins/certificate-approval.ts';
import { certificateSigning } from './plugins/certificate-signing.ts';
import { certificateSubjectRestriction } from './plugins/certificate-subject-restriction.ts';
import { clusterTrustBundleAttest } from './plugins/cluster-trust-bundle-attest.ts';
import { defaultIngressClass } from './plugins/default-ingress-class.ts';
import { defaultStorageClass } from './plugins/default-storage-class.ts';
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.ts';
import { denyServiceExternalIPs } from './plugins/deny-service-external-ips.ts';
import { eventRateLimit } from './plugins/event-rate-limit.ts';
import { extendedResourceToleration } from './plugins/extended-resource-toleration.ts';
import { imagePolicyWebhook } from './plugins/image-policy-webhook.ts';
import { limitPodHardAntiAffinityTopology } from './plugins/limit-pod-hard-anti-affinity-topology.ts';
import { limitRanger } from './plugins/limit-ranger.ts';
import { namespaceAutoProvision } from './plugins/namespace-auto-provision.ts';
import { namespaceExists } from './plugins/namespace-exists.ts';
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts';
import { mutatingAdmissionPolicy } from './policies/mutating-admission-policy.ts';
import { validatingAdmissionPolicy } from './policies/validating-admission-policy.ts';
import { mutatingWebhook } from './webhooks/mutating-webhook.ts';
import { validatingWebhook } from './webhooks/validating-webhook.ts';
import { checkPolicyConfiguration } from './webhooks/webhook-configuration.ts';
import { nodeDeclaredFeatureValidator } from './plugins/node-declared-feature-validator.ts';
import { nodeRestriction } from './plugins/node-restriction.ts';
import { ownerReferencesPermissionEnforcement } from './plugins/owner-references-permission-enforcement.ts';
import { persistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.ts';
import { jobValidation, podGroupProtection, podGroupWorkloadExists } from './plugins/pod-groups.ts';
import { podNodeSelector } from './plugins/pod-node-selector.ts';
import { podResizeValidator } from './plugins/pod-resize-validator.ts';
import { podSecurity } from './plugins/pod-security.ts';
import { podTolerationRestriction } from './plugins/pod-toleration-restriction.ts';
import { podTopologyLabels } from './plugins/pod-topology-labels.ts';
import { priority } from './plugins/priority.ts';
import { resourceQuota } from './plugins/resource-quota.ts';
import { runtimeClass } from './plugins/runtime-class.ts';
import { serviceAccount } from './plugins/service-account.ts';
import { storageObjectInUseProtection } from './plugins/storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './plugins/taint-nodes-by-condition.ts';

/** @throws PluginConfigurationError where it cannot work with what it was told. */
type MakePlugin = (
  world: AdmissionWorld,
  configuration: PluginConfiguration | undefined,
) => AdmissionPlugin;

const MAKERS: Readonly<Record<PluginName, MakePlugin>> = {
  AlwaysAdmit: alwaysAdmit,
  NamespaceAutoProvision: namespaceAutoProvision,
  NamespaceLifecycle: namespaceLifecycle,
  NamespaceExists: namespaceExists,
  LimitPodHardAntiAffinityTopology: limitPodHardAntiAffinityTopology,
  LimitRanger: limitRanger,
  ServiceAccount: serviceAccount,
  NodeRestriction: nodeRestriction,
  TaintNodesByCondition: taintNodesByCondition,
  AlwaysPullImages: alwaysPullImages,
  ImagePolicyWebhook: imagePolicyWebhook,
  PodSecurity: podSecurity,
  PodNodeSelector: podNodeSelector,
  Priority: priority,
  DefaultTolerationSeconds: ({ tolerationSeconds }) => defaultTolerationSeconds(tolerationSeconds),
  PodTolerationRestriction: podTolerationRestriction,
  EventRateLimit: eventRateLimit,
  ExtendedResourceToleration: extendedResourceToleration,
  DefaultStorageClass: defaultStorageClass,
  StorageObjectInUseProtection: storageObjectInUseProtection,
  PodGroupProtection: podGroupProtection,
  OwnerReferencesPermissionEnforcement: ownerReferencesPermissionEnforcement,
  PersistentVolumeClaimResize: persistentVolumeClaimResize,
  RuntimeClass: runtimeClass,
  CertificateApproval: certificateApproval,
  CertificateSigning: certificateSigning,
  ClusterTrustBundleAttest: clusterTrustBundleAttest,
  CertificateSubjectRestriction: certificateSubjectRestriction,
  DefaultIngressClass: defaultIngressClass,
  DenyServiceExternalIPs: denyServiceExternalIPs,
  PodTopologyLabels: podTopologyLabels,
  PodGroupWorkloadExists: podGroupWorkloadExists,
  NodeDeclaredFeatureValidator: nodeDeclaredFeatureValidator,
  JobValidation: jobValidation,
  PodResizeValidator: podResizeValidator,
  MutatingAdmissionPolicy: (world, configuration) => {
    checkPolicyConfiguration('MutatingAdmissionPolicy', configuration);
    return mutatingAdmissionPolicy(world);
  },
  MutatingAdmissionWebhook: mutatingWebhook,
  ValidatingAdmissionPolicy: (world, configuration) => {
    checkPolicyConfiguration('ValidatingAdmissionPolicy', configuration);
    return validatingAdmissionPolicy(world);
  },
  ValidatingAdmissionWebhook: validatingWebhook,
  ResourceQuota: resourceQuota,
  AlwaysDeny: alwaysDeny,
};

/** Those that are on where nobody says otherwise, in their order. */
export function defaultPlugins(world: AdmissionWorld): readonly AdmissionPlugin[] {
  return pluginsOf(world, DEFAULT_SELECTION);
}

/** Which plug-ins a server asks, and what they were told. */
export interface PluginSelection {
  readonly isOn: (name: string) => boolean;
  readonly configurations: ReadonlyMap<string, PluginConfiguration>;
}

export const DEFAULT_SELECTION: PluginSelection = {
  isOn: (name) => DEFAULT_PLUGIN_NAMES.has(name),
  configurations: new Map(),
};

/** In their order. @throws PluginConfigurationError */
export function pluginsOf(
  world: AdmissionWorld,
  { isOn, configurations }: PluginSelection,
): readonly AdmissionPlugin[] {
  return PLUGIN_NAMES.filter(isOn).map((name) => MAKERS[name](world, configurations.get(name)));
}
