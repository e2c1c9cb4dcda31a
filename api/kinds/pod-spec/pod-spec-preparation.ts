/**
 * What the server does to every pod spec before it is stored, be it a pod's or a template's.
 *
 * `serviceAccount` is the old name of `serviceAccountName`: both are always shown, and where a
 * client says both the new one holds. Fields of features that are off are taken out of objects that
 * clients send, unless the stored object has such a field already and would lose it.
 *
 * In Kubernetes: Convert_v1_PodSpec_To_core_PodSpec, pkg/apis/core/v1; DropDisabledPodFields and
 * DropDisabledTemplateFields, pkg/api/pod.
 */
import type {
  Container,
  ContainerStatus,
  EphemeralContainer,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  Volume,
  VolumeProjection,
} from '../../generated/kinds/core-v1.ts';
import { items, type ListOf } from '../../json/go-values.ts';
import { type IsFeatureOn, usualFeatures } from '../kind-features.ts';
import type { Requester } from '../strategy.ts';

/** A kind that makes pods from a template. */
interface Workload {
  spec?: { template?: PodTemplateSpec };
}

/** The same spec when there is nothing to do; `old` is undefined on create. */
export function preparedPodSpec(
  podSpec: PodSpec,
  old: PodSpec | undefined,
  isOn?: IsFeatureOn,
): PodSpec {
  return withoutGatedFields(withAccountAliases(podSpec), old, isOn ?? usualFeatures);
}

/** Changes `object`, whose `spec.template` is a pod template. */
export function prepareTemplate(object: Workload, old?: Workload, isOn?: IsFeatureOn): void {
  const { spec } = object;
  if (spec?.template === undefined) return;
  object.spec = { ...spec, template: preparedTemplate(spec.template, old?.spec?.template, isOn) };
}

/** As {@link prepareTemplate}, of an object that is new. */
export function prepareNewTemplate(
  object: Workload,
  _requester?: Requester,
  isOn?: IsFeatureOn,
): void {
  prepareTemplate(object, undefined, isOn);
}

/** The same template when there is nothing to do. */
export function preparedTemplate(
  template: PodTemplateSpec,
  old: PodTemplateSpec | undefined,
  isOn?: IsFeatureOn,
): PodTemplateSpec {
  const prepared = preparedPodSpec(template.spec, old?.spec, isOn);
  return prepared === template.spec ? template : { ...template, spec: prepared };
}

/** `serviceAccount` is the old name of `serviceAccountName`, which holds where both are given. */
export function withAccountAliases(podSpec: PodSpec): PodSpec {
  const { serviceAccount: oldName = '', serviceAccountName = '' } = podSpec;
  const name = serviceAccountName || oldName;
  if (name === oldName && name === serviceAccountName) return podSpec;
  return { ...podSpec, serviceAccountName: name, serviceAccount: name };
}

type AnyContainer = Container | EphemeralContainer;

/** Sources of projected volumes, each of a feature. */
const GATED_PROJECTIONS = [
  ['clusterTrustBundle', 'ClusterTrustBundleProjection'],
  ['podCertificate', 'PodCertificateRequest'],
] as const;
type GatedProjection = (typeof GATED_PROJECTIONS)[number][0];

/** The same spec when there is nothing to take out; `old` is undefined on create. */
function withoutGatedFields(spec: PodSpec, old: PodSpec | undefined, isOn: IsFeatureOn): PodSpec {
  let result = spec;
  const isNewGroup = spec.schedulingGroup !== undefined && old?.schedulingGroup === undefined;
  if (isNewGroup && !isOn('GenericWorkload')) result = without(result, 'schedulingGroup');
  const isNewSignal = hasStopSignal(spec) && !hasStopSignal(old);
  if (isNewSignal && !isOn('ContainerStopSignals')) result = withoutStopSignals(result);
  for (const [key, feature] of GATED_PROJECTIONS) {
    if (hasProjection(spec, key) && !hasProjection(old, key) && !isOn(feature)) {
      result = withoutProjection(result, key);
    }
  }
  return result;
}

/** What a node's agent tells of the resources of a pod as a whole. */
const POD_LEVEL_KEYS = ['resources', 'allocatedResources'] as const;

/** The same status when there is nothing to take out. */
export function withoutGatedStatus(
  status: PodStatus,
  old: PodStatus,
  isOn: IsFeatureOn = usualFeatures,
): PodStatus {
  const key = 'nodeAllocatableResourceClaimStatuses';
  const isAdded = items(status[key]).length > 0 && items(old[key]).length === 0;
  let result = isAdded ? without(status, key) : status;
  const hasOld = POD_LEVEL_KEYS.some((one) => old[one] !== undefined);
  if (!hasOld && !isOn('InPlacePodLevelResourcesVerticalScaling')) {
    for (const one of POD_LEVEL_KEYS) result = without(result, one);
  }
  return hasVolumeStatus(status) && !hasVolumeStatus(old) ? withoutVolumeStatus(result) : result;
}

function hasStopSignal(spec: PodSpec | undefined): boolean {
  if (spec === undefined) return false;
  const { containers, initContainers, ephemeralContainers } = spec;
  return [containers, initContainers, ephemeralContainers].some((list: ListOf<AnyContainer>) =>
    items(list).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined),
  );
}

function withoutStopSignals(spec: PodSpec): PodSpec {
  const { containers, initContainers, ephemeralContainers } = spec;
  return {
    ...spec,
    ...(containers && { containers: containers.map(withoutStopSignal) }),
    ...(initContainers && { initContainers: initContainers.map(withoutStopSignal) }),
    ...(ephemeralContainers && {
      ephemeralContainers: ephemeralContainers.map(withoutStopSignal),
    }),
  };
}

function withoutStopSignal<Any extends AnyContainer>(container: Any): Any {
  const { lifecycle } = container;
  if (lifecycle?.stopSignal === undefined) return container;
  const rest = without(lifecycle, 'stopSignal');
  const isEmpty = Object.keys(rest).length === 0;
  return isEmpty ? without(container, 'lifecycle') : { ...container, lifecycle: rest };
}

function hasProjection(spec: PodSpec | undefined, key: GatedProjection): boolean {
  return items(spec?.volumes).some(({ projected }) =>
    items(projected?.sources).some((source) => source[key] !== undefined),
  );
}

function withoutProjection(spec: PodSpec, key: GatedProjection): PodSpec {
  const withoutKey = (source: VolumeProjection): VolumeProjection => without(source, key);
  const volumes = items(spec.volumes).map((volume): Volume => {
    const { projected } = volume;
    if (projected === undefined) return volume;
    const sources = projected.sources?.map(withoutKey) ?? null;
    return { ...volume, projected: { ...projected, sources } };
  });
  return { ...spec, volumes };
}

function hasVolumeStatus(status: PodStatus): boolean {
  return statusLists(status).some((list) =>
    items(list).some(({ volumeMounts }) =>
      items(volumeMounts).some(({ volumeStatus }) => volumeStatus !== undefined),
    ),
  );
}

function statusLists(status: PodStatus): readonly ListOf<ContainerStatus>[] {
  return [
    status.containerStatuses,
    status.initContainerStatuses,
    status.ephemeralContainerStatuses,
  ];
}

function withoutVolumeStatus(status: PodStatus): PodStatus {
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = status;
  return {
    ...status,
    ...(containerStatuses && { containerStatuses: containerStatuses.map(withoutMountStatus) }),
    ...(initContainerStatuses && {
      initContainerStatuses: initContainerStatuses.map(withoutMountStatus),
    }),
    ...(ephemeralContainerStatuses && {
      ephemeralContainerStatuses: ephemeralContainerStatuses.map(withoutMountStatus),
    }),
  };
}

function withoutMountStatus(status: ContainerStatus): ContainerStatus {
  const { volumeMounts } = status;
  if (volumeMounts === undefined) return status;
  return { ...status, volumeMounts: volumeMounts.map((mount) => without(mount, 'volumeStatus')) };
}

/** The same object when it has no such field. */
function without<T extends object>(object: T, key: keyof T): T {
  if (!Object.hasOwn(object, key)) return object;
  const rest = { ...object };
  Reflect.deleteProperty(rest, key);
  return rest;
}
