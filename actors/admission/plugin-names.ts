/**
 * The names of all admission plug-ins of kube-apiserver, in the order in which they are asked, and
 * which of them are on by default. The flags know all of them; what each does is in
 * admission-plugins.ts.
 *
 * In Kubernetes: AllOrderedPlugins and DefaultOffAdmissionPlugins, kubernetes/pkg/kubeapiserver/options.
 */
const ON = true;
const OFF = false;

const ORDERED = [
  ['AlwaysAdmit', OFF],
  ['NamespaceAutoProvision', OFF],
  ['NamespaceLifecycle', ON],
  ['NamespaceExists', OFF],
  ['LimitPodHardAntiAffinityTopology', OFF],
  ['LimitRanger', ON],
  ['ServiceAccount', ON],
  ['NodeRestriction', OFF],
  ['TaintNodesByCondition', ON],
  ['AlwaysPullImages', OFF],
  ['ImagePolicyWebhook', OFF],
  ['PodSecurity', ON],
  ['PodNodeSelector', OFF],
  ['Priority', ON],
  ['DefaultTolerationSeconds', ON],
  ['PodTolerationRestriction', OFF],
  ['EventRateLimit', OFF],
  ['ExtendedResourceToleration', OFF],
  ['DefaultStorageClass', ON],
  ['StorageObjectInUseProtection', ON],
  ['PodGroupProtection', ON],
  ['OwnerReferencesPermissionEnforcement', OFF],
  ['PersistentVolumeClaimResize', ON],
  ['RuntimeClass', ON],
  ['CertificateApproval', ON],
  ['CertificateSigning', ON],
  ['ClusterTrustBundleAttest', ON],
  ['CertificateSubjectRestriction', ON],
  ['DefaultIngressClass', ON],
  ['DenyServiceExternalIPs', OFF],
  ['PodTopologyLabels', ON],
  ['PodGroupWorkloadExists', ON],
  ['NodeDeclaredFeatureValidator', ON],
  ['JobValidation', ON],
  ['PodResizeValidator', ON],
  ['MutatingAdmissionPolicy', ON],
  ['MutatingAdmissionWebhook', ON],
  ['ValidatingAdmissionPolicy', ON],
  ['ValidatingAdmissionWebhook', ON],
  ['ResourceQuota', ON],
  ['AlwaysDeny', OFF],
] as const;

type NamesIn<Rows extends readonly (readonly [string, boolean])[]> = {
  readonly [At in keyof Rows]: Rows[At][0];
};

/** The names as a tuple, so that the compiler knows their order. */
export type OrderedNames = NamesIn<typeof ORDERED>;

export const PLUGIN_NAMES: readonly OrderedNames[number][] = ORDERED.map(([name]) => name);

/** The plug-ins that are on where no flag says otherwise. */
export const DEFAULT_PLUGIN_NAMES: ReadonlySet<string> = new Set(
  ORDERED.filter(([, isOnByDefault]) => isOnByDefault).map(([name]) => name),
);
