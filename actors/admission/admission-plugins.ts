/**
 * The admission plug-ins, in the order in which they are asked, in one array. The phases that a row
 * names are those that the plug-in has: the compiler compares the two, and refuses an array that is
 * not in the order of plugin-names.ts, which the flags know. Webhooks and policies are plug-ins like
 * the others.
 *
 * In Kubernetes: AllOrderedPlugins, kubernetes/pkg/kubeapiserver/options.
 */
import { deviceRights } from './plugins/authorization/device-rights.ts';
import { parameterRights } from './plugins/authorization/parameter-rights.ts';
import { rbacEscalation } from './plugins/authorization/rbac-escalation.ts';
import type {
  AdmissionPlugin,
  IdlePlugin,
  MutatingPlugin,
  TwoPhasePlugin,
  ValidatingPlugin,
} from './admission-plugin.ts';
import type { AdmissionWorld } from './admission-world.ts';
import type { PluginConfiguration } from './plugin-configuration.ts';
import { DEFAULT_PLUGIN_NAMES, type OrderedNames } from './plugin-names.ts';
import { alwaysAdmit, alwaysDeny } from './plugins/always.ts';
import { alwaysPullImages } from './plugins/pods/always-pull-images.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  podCertificateSigning,
} from './plugins/certificates.ts';
import { defaultIngressClass, denyServiceExternalIPs } from './plugins/networking.ts';
import {
  defaultStorageClass,
  persistentVolumeClaimResize,
  storageObjectInUseProtection,
} from './plugins/storage.ts';
import {
  defaultTolerationSeconds,
  extendedResourceToleration,
  podTolerationRestriction,
} from './plugins/pods/toleration-plugins.ts';
import { eventRateLimit } from './plugins/quota/event-rate-limit.ts';
import { imagePolicyWebhook } from './plugins/pods/image-policy-webhook.ts';
import {
  limitPodHardAntiAffinityTopology,
  podTopologyLabels,
} from './plugins/pods/pod-topology.ts';
import { limitRanger } from './plugins/quota/limit-ranger.ts';
import {
  namespaceAutoProvision,
  namespaceExists,
  namespaceLifecycle,
} from './plugins/namespaces.ts';
import { mutatingAdmissionPolicy } from './policies/mutating-admission-policy.ts';
import { validatingAdmissionPolicy } from './policies/validating-admission-policy.ts';
import { mutatingWebhook } from './webhooks/mutating-webhook.ts';
import { validatingWebhook } from './webhooks/validating-webhook.ts';
import {
  nodeDeclaredFeatureValidator,
  podResizeValidator,
} from './plugins/nodes/node-capabilities.ts';
import { nodeRestriction } from './plugins/nodes/node-restriction.ts';
import { ownerReferencesPermissionEnforcement } from './plugins/authorization/owner-references-permission-enforcement.ts';
import {
  jobValidation,
  podGroupProtection,
  podGroupWorkloadExists,
} from './plugins/pods/pod-groups.ts';
import { podNodeSelector } from './plugins/pods/pod-node-selector.ts';
import { podSecurity } from './plugins/pods/pod-security.ts';
import { priority } from './plugins/pods/priority.ts';
import { resourceQuota } from './plugins/quota/resource-quota.ts';
import { runtimeClass } from './plugins/pods/runtime-class.ts';
import { serviceAccount } from './plugins/pods/service-account.ts';
import { taintNodesByCondition } from './plugins/nodes/taint-nodes-by-condition.ts';

/** @throws PluginConfigurationError where the plug-in cannot work with its configuration. */
type Make<Plugin extends AdmissionPlugin> = (
  world: AdmissionWorld,
  configuration: PluginConfiguration | undefined,
) => Plugin;

type Row<Name> =
  | readonly [Name, 'nothing to do', Make<IdlePlugin>]
  | readonly [Name, 'mutates', Make<MutatingPlugin>]
  | readonly [Name, 'validates', Make<ValidatingPlugin>]
  | readonly [Name, 'mutates and validates', Make<TwoPhasePlugin>];

/** A row for each name, and in the same order. */
export type PluginRows<Names extends readonly string[]> = {
  readonly [At in keyof Names]: Row<Names[At]>;
};

export const ADMISSION_PLUGINS: PluginRows<OrderedNames> = [
  ['AlwaysAdmit', 'nothing to do', alwaysAdmit],
  ['NamespaceAutoProvision', 'mutates', namespaceAutoProvision],
  ['NamespaceLifecycle', 'mutates', namespaceLifecycle],
  ['NamespaceExists', 'validates', namespaceExists],
  ['LimitPodHardAntiAffinityTopology', 'validates', limitPodHardAntiAffinityTopology],
  ['LimitRanger', 'mutates and validates', limitRanger],
  ['ServiceAccount', 'mutates and validates', serviceAccount],
  ['NodeRestriction', 'mutates', nodeRestriction],
  ['TaintNodesByCondition', 'mutates', taintNodesByCondition],
  ['AlwaysPullImages', 'mutates and validates', alwaysPullImages],
  ['ImagePolicyWebhook', 'validates', imagePolicyWebhook],
  ['PodSecurity', 'validates', podSecurity],
  ['PodNodeSelector', 'mutates and validates', podNodeSelector],
  ['Priority', 'mutates and validates', priority],
  ['DefaultTolerationSeconds', 'mutates', defaultTolerationSeconds],
  ['PodTolerationRestriction', 'mutates and validates', podTolerationRestriction],
  ['EventRateLimit', 'validates', eventRateLimit],
  ['ExtendedResourceToleration', 'mutates', extendedResourceToleration],
  ['DefaultStorageClass', 'mutates', defaultStorageClass],
  ['StorageObjectInUseProtection', 'mutates', storageObjectInUseProtection],
  ['PodGroupProtection', 'mutates', podGroupProtection],
  ['OwnerReferencesPermissionEnforcement', 'validates', ownerReferencesPermissionEnforcement],
  ['PersistentVolumeClaimResize', 'validates', persistentVolumeClaimResize],
  ['RuntimeClass', 'mutates and validates', runtimeClass],
  ['CertificateApproval', 'validates', certificateApproval],
  ['CertificateSigning', 'validates', certificateSigning],
  ['ClusterTrustBundleAttest', 'validates', clusterTrustBundleAttest],
  ['CertificateSubjectRestriction', 'validates', certificateSubjectRestriction],
  ['DefaultIngressClass', 'mutates', defaultIngressClass],
  ['DenyServiceExternalIPs', 'validates', denyServiceExternalIPs],
  ['PodTopologyLabels', 'mutates', podTopologyLabels],
  ['PodGroupWorkloadExists', 'validates', podGroupWorkloadExists],
  ['NodeDeclaredFeatureValidator', 'validates', nodeDeclaredFeatureValidator],
  ['JobValidation', 'validates', jobValidation],
  ['PodResizeValidator', 'validates', podResizeValidator],
  ['MutatingAdmissionPolicy', 'mutates', mutatingAdmissionPolicy],
  ['MutatingAdmissionWebhook', 'mutates', mutatingWebhook],
  ['ValidatingAdmissionPolicy', 'validates', validatingAdmissionPolicy],
  ['ValidatingAdmissionWebhook', 'validates', validatingWebhook],
  ['ResourceQuota', 'validates', resourceQuota],
  ['AlwaysDeny', 'mutates and validates', alwaysDeny],
];

/** Which plug-ins a server asks, and how they are configured. */
export interface PluginSelection {
  /** By the name of the plug-in, as --enable-admission-plugins knows it. */
  readonly isOn: (name: string) => boolean;
  /** By the name of the plug-in, from --admission-control-config-file. */
  readonly configurations: ReadonlyMap<string, PluginConfiguration>;
}

export const DEFAULT_SELECTION: PluginSelection = {
  isOn: (name) => DEFAULT_PLUGIN_NAMES.has(name),
  configurations: new Map(),
};

/** The selected plug-ins in their order. @throws PluginConfigurationError */
export function pluginsOf(
  world: AdmissionWorld,
  { isOn, configurations }: PluginSelection,
): readonly AdmissionPlugin[] {
  return ADMISSION_PLUGINS.filter(([name]) => isOn(name)).map(([name, , make]) =>
    make(world, configurations.get(name)),
  );
}

/**
 * All that a server asks: the selected plug-ins, and around them what cannot be switched off. In front,
 * since they are rules of their kinds upstream, whether a user may sign, read the parameters of a policy, and
 * give devices; behind them the check of RBAC that no client grants permissions that it does not hold.
 *
 * @throws PluginConfigurationError
 */
export function servedPlugins(
  world: AdmissionWorld,
  selection: PluginSelection,
): readonly AdmissionPlugin[] {
  const ofKinds = [podCertificateSigning, parameterRights, deviceRights].map((make) => make(world));
  return [...ofKinds, ...pluginsOf(world, selection), rbacEscalation(world)];
}
