/**
 * The printers of rows, each registered under the path of the kind whose objects it is given, so
 * that a path that is not there and a printer of another type do not compile. A resource without
 * one gets its name and when it was created.
 *
 * In Kubernetes: AddHandlers, pkg/printers/internalversion.
 */
import type { Scale } from '../../api/generated/kinds/autoscaling-v1.ts';
import type { Event } from '../../api/generated/kinds/core-v1.ts';
import type { ResourceTypes } from '../../api/generated/kinds/kinds.ts';
import type { JsonValue } from '../../api/json/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { type CellsOf, nameAndAgeCells } from './cells.ts';
import {
  bindingCells,
  certificateSigningRequestCells,
  mutatingPolicyCells,
  policyBindingCells,
  validatingPolicyCells,
  webhookConfigurationCells,
} from './rows/access.ts';
import { horizontalPodAutoscalerCells } from './rows/autoscaling.ts';
import {
  apiServiceCells,
  flowSchemaCells,
  forkCells,
  inOrderOfPrecedence,
  leaseCells,
  podDisruptionBudgetCells,
  priorityClassCells,
  priorityLevelConfigurationCells,
  resourceClaimCells,
  resourceSliceCells,
  runtimeClassCells,
} from './rows/cluster.ts';
import {
  componentStatusCells,
  configMapCells,
  eventCells,
  namespaceCells,
  nodeCells,
  resourceQuotaCells,
  secretCells,
} from './rows/core.ts';
import {
  endpointsCells,
  endpointSliceCells,
  ingressCells,
  ingressClassCells,
  ipAddressCells,
  networkPolicyCells,
  serviceCells,
  serviceCidrCells,
} from './rows/network.ts';
import {
  clusterTrustBundleCells,
  deviceTaintRuleCells,
  leaseCandidateCells,
  podCertificateRequestCells,
  podGroupCells,
  resourcePoolStatusRequestCells,
  storageVersionCells,
  storageVersionMigrationCells,
} from './rows/optional.ts';
import { podCells, podConditions } from './rows/pods.ts';
import {
  csiDriverCells,
  csiNodeCells,
  persistentVolumeCells,
  persistentVolumeClaimCells,
  storageClassCells,
  volumeAttachmentCells,
  volumeAttributesClassCells,
} from './rows/storage.ts';
import {
  controllerRevisionCells,
  cronJobCells,
  daemonSetCells,
  deploymentCells,
  jobCells,
  podTemplateCells,
  replicaSetCells,
  replicationControllerCells,
  scaleCells,
  statefulSetCells,
} from './rows/workloads.ts';

/** How objects of one kind become rows. */
export interface RowPrinter<T = KubeObject> {
  readonly cells: CellsOf<T>;
  /** What a watching client may conclude from the row; undefined for nothing. */
  readonly conditions?: (object: T) => JsonValue[] | undefined;
  /** The order of the rows of a list, where it is not that of the list. */
  readonly sorted?: (objects: readonly T[]) => T[];
}

/** By the path that serves the version that is stored: each prints objects of the type of its path. */
export type RowPrinters = {
  readonly [Path in keyof ResourceTypes]?: RowPrinter<ResourceTypes[Path]>;
};

const printers: RowPrinters = {
  'v1/componentstatuses': { cells: componentStatusCells },
  'v1/configmaps': { cells: configMapCells },
  'v1/endpoints': { cells: endpointsCells },
  'v1/events': { cells: eventCells },
  'v1/namespaces': { cells: namespaceCells },
  'v1/nodes': { cells: nodeCells },
  'v1/persistentvolumeclaims': { cells: persistentVolumeClaimCells },
  'v1/persistentvolumes': { cells: persistentVolumeCells },
  'v1/pods': { cells: podCells, conditions: podConditions },
  'v1/podtemplates': { cells: podTemplateCells },
  'v1/replicationcontrollers': { cells: replicationControllerCells },
  'v1/resourcequotas': { cells: resourceQuotaCells },
  'v1/secrets': { cells: secretCells },
  'v1/serviceaccounts': { cells: nameAndAgeCells },
  'v1/services': { cells: serviceCells },
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': { cells: mutatingPolicyCells },
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': { cells: policyBindingCells },
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': {
    cells: webhookConfigurationCells,
  },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': { cells: validatingPolicyCells },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': {
    cells: policyBindingCells,
  },
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': {
    cells: webhookConfigurationCells,
  },
  'apiregistration.k8s.io/v1/apiservices': { cells: apiServiceCells },
  'apps/v1/controllerrevisions': { cells: controllerRevisionCells },
  'apps/v1/daemonsets': { cells: daemonSetCells },
  'apps/v1/deployments': { cells: deploymentCells },
  'apps/v1/replicasets': { cells: replicaSetCells },
  'apps/v1/statefulsets': { cells: statefulSetCells },
  'autoscaling/v2/horizontalpodautoscalers': { cells: horizontalPodAutoscalerCells },
  'batch/v1/cronjobs': { cells: cronJobCells },
  'batch/v1/jobs': { cells: jobCells },
  'certificates.k8s.io/v1/certificatesigningrequests': { cells: certificateSigningRequestCells },
  'certificates.k8s.io/v1beta1/clustertrustbundles': { cells: clusterTrustBundleCells },
  'certificates.k8s.io/v1beta1/podcertificaterequests': { cells: podCertificateRequestCells },
  'coordination.k8s.io/v1/leases': { cells: leaseCells },
  'coordination.k8s.io/v1beta1/leasecandidates': { cells: leaseCandidateCells },
  'storagemigration.k8s.io/v1beta1/storageversionmigrations': {
    cells: storageVersionMigrationCells,
  },
  'dev.everwatch/v1alpha1/forks': { cells: forkCells },
  'discovery.k8s.io/v1/endpointslices': { cells: endpointSliceCells },
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': {
    cells: flowSchemaCells,
    sorted: inOrderOfPrecedence,
  },
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': {
    cells: priorityLevelConfigurationCells,
  },
  'internal.apiserver.k8s.io/v1alpha1/storageversions': { cells: storageVersionCells },
  'networking.k8s.io/v1/ingressclasses': { cells: ingressClassCells },
  'networking.k8s.io/v1/ingresses': { cells: ingressCells },
  'networking.k8s.io/v1/ipaddresses': { cells: ipAddressCells },
  'networking.k8s.io/v1/networkpolicies': { cells: networkPolicyCells },
  'networking.k8s.io/v1/servicecidrs': { cells: serviceCidrCells },
  'node.k8s.io/v1/runtimeclasses': { cells: runtimeClassCells },
  'policy/v1/poddisruptionbudgets': { cells: podDisruptionBudgetCells },
  'rbac.authorization.k8s.io/v1/clusterrolebindings': { cells: bindingCells },
  'rbac.authorization.k8s.io/v1/rolebindings': { cells: bindingCells },
  'resource.k8s.io/v1/deviceclasses': { cells: nameAndAgeCells },
  'resource.k8s.io/v1alpha3/devicetaintrules': { cells: deviceTaintRuleCells },
  'resource.k8s.io/v1alpha3/resourcepoolstatusrequests': { cells: resourcePoolStatusRequestCells },
  'resource.k8s.io/v1/resourceclaims': { cells: resourceClaimCells },
  'resource.k8s.io/v1/resourceclaimtemplates': { cells: nameAndAgeCells },
  'resource.k8s.io/v1/resourceslices': { cells: resourceSliceCells },
  'scheduling.k8s.io/v1alpha2/podgroups': { cells: podGroupCells },
  'scheduling.k8s.io/v1alpha2/workloads': { cells: nameAndAgeCells },
  'scheduling.k8s.io/v1/priorityclasses': { cells: priorityClassCells },
  'storage.k8s.io/v1/csidrivers': { cells: csiDriverCells },
  'storage.k8s.io/v1/csinodes': { cells: csiNodeCells },
  'storage.k8s.io/v1/storageclasses': { cells: storageClassCells },
  'storage.k8s.io/v1/volumeattachments': { cells: volumeAttachmentCells },
  'storage.k8s.io/v1/volumeattributesclasses': { cells: volumeAttributesClassCells },
};

const scales: RowPrinter<Scale> = { cells: scaleCells };
/** The newer group shows what the older one stores. */
const newerEvents: RowPrinter<Event> = { cells: eventCells };

/** By `<group>/<plural>`, `core` being the legacy group. */
export const rowPrinters: ReadonlyMap<string, RowPrinter> = new Map([
  ...Object.entries(printers).map(
    ([path, printer]) => [groupResourceOf(path), erased(printer)] as const,
  ),
  ['events.k8s.io/events', erased(newerEvents)],
  ['autoscaling/scale', erased(scales)],
  ['autoscaling/customscale', erased(scales)],
]);

function groupResourceOf(path: string): string {
  const [resource = '', , group = 'core'] = path.split('/').reverse();
  return `${group}/${resource}`;
}

/** A printer is given objects of its own kind only, which their codec gave this type. */
function erased(printer: { readonly cells: CellsOf<never> }): RowPrinter {
  return printer as unknown as RowPrinter;
}
