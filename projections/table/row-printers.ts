/**
 * Which function prints the rows of which resource, by `<group>/<plural>`, `core` being the legacy
 * group. A resource that is not here gets its name and when it was created.
 *
 * In Kubernetes: AddHandlers, pkg/printers/internalversion.
 */
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import type { CellsOf } from './cells.ts';
import { bindingCells, certificateSigningRequestCells } from './rows/access.ts';
import {
  admissionPolicyBindingCells,
  admissionPolicyCells,
  webhookConfigurationCells,
} from './rows/admission.ts';
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
  nameAndAgeCells,
  namespaceCells,
  nodeCells,
  resourceQuotaCells,
  secretCells,
} from './rows/core.ts';
import { eventCells } from './rows/events.ts';
import {
  ingressCells,
  ingressClassCells,
  ipAddressCells,
  networkPolicyCells,
  serviceCidrCells,
} from './rows/networking.ts';
import { podCells, podConditions } from './rows/pods.ts';
import { endpointsCells, endpointSliceCells, serviceCells } from './rows/services.ts';
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

export interface RowPrinter {
  readonly cells: CellsOf;
  /** What a watching client may conclude from the row; undefined for nothing. */
  readonly conditions?: (object: JsonObject) => JsonValue[] | undefined;
  /** The order of the rows of a list, where it is not that of the list. */
  readonly sorted?: (objects: readonly JsonObject[]) => JsonObject[];
}

const cellsByResource: readonly (readonly [resource: string, cells: CellsOf])[] = [
  ['core/componentstatuses', componentStatusCells],
  ['core/configmaps', configMapCells],
  ['core/endpoints', endpointsCells],
  ['core/events', eventCells],
  ['core/namespaces', namespaceCells],
  ['core/nodes', nodeCells],
  ['core/persistentvolumeclaims', persistentVolumeClaimCells],
  ['core/persistentvolumes', persistentVolumeCells],
  ['core/podtemplates', podTemplateCells],
  ['core/replicationcontrollers', replicationControllerCells],
  ['core/resourcequotas', resourceQuotaCells],
  ['core/secrets', secretCells],
  ['core/serviceaccounts', nameAndAgeCells],
  ['core/services', serviceCells],
  ['admissionregistration.k8s.io/mutatingadmissionpolicies', admissionPolicyCells('mutations')],
  ['admissionregistration.k8s.io/mutatingadmissionpolicybindings', admissionPolicyBindingCells],
  ['admissionregistration.k8s.io/mutatingwebhookconfigurations', webhookConfigurationCells],
  ['admissionregistration.k8s.io/validatingadmissionpolicies', admissionPolicyCells('validations')],
  ['admissionregistration.k8s.io/validatingadmissionpolicybindings', admissionPolicyBindingCells],
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', webhookConfigurationCells],
  ['apiregistration.k8s.io/apiservices', apiServiceCells],
  ['apps/controllerrevisions', controllerRevisionCells],
  ['apps/daemonsets', daemonSetCells],
  ['apps/deployments', deploymentCells],
  ['apps/replicasets', replicaSetCells],
  ['apps/statefulsets', statefulSetCells],
  ['autoscaling/horizontalpodautoscalers', horizontalPodAutoscalerCells],
  ['autoscaling/scale', scaleCells],
  ['batch/cronjobs', cronJobCells],
  ['batch/jobs', jobCells],
  ['certificates.k8s.io/certificatesigningrequests', certificateSigningRequestCells],
  ['coordination.k8s.io/leases', leaseCells],
  ['dev.everwatch/forks', forkCells],
  ['discovery.k8s.io/endpointslices', endpointSliceCells],
  ['events.k8s.io/events', eventCells],
  ['flowcontrol.apiserver.k8s.io/prioritylevelconfigurations', priorityLevelConfigurationCells],
  ['networking.k8s.io/ingressclasses', ingressClassCells],
  ['networking.k8s.io/ingresses', ingressCells],
  ['networking.k8s.io/ipaddresses', ipAddressCells],
  ['networking.k8s.io/networkpolicies', networkPolicyCells],
  ['networking.k8s.io/servicecidrs', serviceCidrCells],
  ['node.k8s.io/runtimeclasses', runtimeClassCells],
  ['policy/poddisruptionbudgets', podDisruptionBudgetCells],
  ['rbac.authorization.k8s.io/clusterrolebindings', bindingCells],
  ['rbac.authorization.k8s.io/rolebindings', bindingCells],
  ['resource.k8s.io/deviceclasses', nameAndAgeCells],
  ['resource.k8s.io/resourceclaims', resourceClaimCells],
  ['resource.k8s.io/resourceclaimtemplates', nameAndAgeCells],
  ['resource.k8s.io/resourceslices', resourceSliceCells],
  ['scheduling.k8s.io/priorityclasses', priorityClassCells],
  ['storage.k8s.io/csidrivers', csiDriverCells],
  ['storage.k8s.io/csinodes', csiNodeCells],
  ['storage.k8s.io/storageclasses', storageClassCells],
  ['storage.k8s.io/volumeattachments', volumeAttachmentCells],
  ['storage.k8s.io/volumeattributesclasses', volumeAttributesClassCells],
];

export const rowPrinters: ReadonlyMap<string, RowPrinter> = new Map<string, RowPrinter>([
  ...cellsByResource.map(([resource, cells]): [string, RowPrinter] => [resource, { cells }]),
  ['core/pods', { cells: podCells, conditions: podConditions }],
  [
    'flowcontrol.apiserver.k8s.io/flowschemas',
    { cells: flowSchemaCells, sorted: inOrderOfPrecedence },
  ],
]);
