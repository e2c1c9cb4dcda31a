/**
 * The subresource `resize` of pods: what containers, and the pod as a whole, ask for while they run.
 * Of what a client sends only resources and resize policies are looked at, and of those only cpu
 * and memory may change. The kubelet then tells in the status what came of it.
 *
 * The surprise: claims of a container are dropped before it is compared with the old one, so a
 * container with claims cannot be resized.
 *
 * In Kubernetes: podResizeStrategy, registry/core/pod; ValidatePodResize, pkg/apis/core/validation.
 */
import type {
  Container,
  Pod,
  PodSpec,
  ResourceRequirements,
} from '../../../generated/kinds/core-v1.ts';
import { items, type ListOf, type Quantity } from '../../../json/go-values.ts';
import type { ObjectOf } from '../../../meta/object-meta.ts';
import { type FieldErrors, forbiddenField, invalidValue } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { setOwn } from '../../../json/own-property.ts';
import { isSidecar, MIRROR } from '../../pod-spec/pod-rules.ts';
import { preparedPodSpec, withoutGatedStatus } from '../../pod-spec/pod-spec-preparation.ts';
import { type IsFeatureOn, usualFeatures } from '../../kind-features.ts';
import { compareAmounts } from '../../rules/resource-names.ts';
import { sameValue } from '../../rules/same-value.ts';
import { carryOver, countGeneration, METADATA_KEPT_BY_STATUS } from '../../strategy-of.ts';
import type { UpdateRules } from '../../strategy.ts';
import { qosClassOf } from './qos-class.ts';
import { validateAnyPod } from './validation.ts';

type ResourceList = { [key: string]: Quantity } | undefined;

const LISTS = ['containers', 'initContainers'] as const;
const AMOUNTS = ['limits', 'requests'] as const;
const OF_PODS = 'InPlacePodLevelResourcesVerticalScaling';
const OF_INIT_CONTAINERS = 'InPlacePodVerticalScalingInitContainers';
const POD_LEVEL_OFF =
  'resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled';
const INIT_OFF = 'resources for non-sidecar init containers are immutable';

/** What PUT and PATCH of `pods/resize` do. */
export const resize: UpdateRules<ObjectOf<Pod>> = {
  prepareForUpdate(pod, old, isOn = usualFeatures) {
    keepResourcesOnly(pod, old, isOn(OF_PODS));
    pod.spec = preparedPodSpec(pod.spec, old.spec, isOn);
    pod.status = withoutGatedStatus(pod.status, old.status, isOn);
    if (!sameValue(withOldSpelling(pod.spec, old.spec), old.spec)) countGeneration(pod, old);
  },
  validateUpdate: validateResize,
};

/** A pod with other containers stays as it was sent, so that validation tells of them. */
function keepResourcesOnly(pod: ObjectOf<Pod>, old: ObjectOf<Pod>, isPodResized: boolean): void {
  const isSameLength = LISTS.every(
    (key) => items(pod.spec[key]).length === items(old.spec[key]).length,
  );
  if (!isSameLength) return;
  const spec = { ...old.spec };
  if (isPodResized) carryOver(spec, pod.spec, 'resources');
  for (const key of LISTS) {
    const containers = resizedContainers(items(pod.spec[key]), items(old.spec[key]));
    if (containers.length > 0) spec[key] = containers;
  }
  pod.spec = spec;
  pod.status = old.status;
  for (const key of METADATA_KEPT_BY_STATUS) carryOver(pod.metadata, old.metadata, key);
}

function resizedContainers(containers: Container[], old: Container[]): Container[] {
  if (containers.some(({ name }, index) => name !== old[index]?.name)) return containers;
  return old.map((oldContainer, index) => {
    const container = { ...oldContainer };
    for (const key of ['resources', 'resizePolicy']) {
      carryOver(container, containers[index] ?? {}, key);
    }
    return container;
  });
}

function validateResize(pod: Pod, old: Pod, isOn: IsFeatureOn = usualFeatures): FieldErrors {
  const refusal = refusalOf(old);
  if (refusal !== undefined) return [forbiddenField('[]', refusal)];
  const { qosClass = '' } = pod.status;
  const isSameClass = (old.status.qosClass ?? qosClassOf(old.spec)) === qosClassOf(pod.spec);
  const found = [
    ...validateAnyPod(pod, old),
    ...(isSameClass
      ? []
      : [invalidValue('spec', qosClass, 'Pod QOS Class may not change as a result of resizing')]),
    ...(isSupportedByNode(old)
      ? []
      : [forbiddenField('spec', 'Pod running on node without support for resize')]),
  ];
  if (!isOn(OF_PODS) && (isSet(pod.spec.resources) || isSet(old.spec.resources))) {
    return [...found, forbiddenField('[]', POD_LEVEL_OFF)];
  }
  found.push(
    ...validatePodLevel(pod.spec, old.spec),
    ...(items(old.status.nodeAllocatableResourceClaimStatuses).length > 0
      ? [forbiddenField('spec', 'pods with node allocatable resource claims cannot be resized')]
      : []),
  );
  const reordered = LISTS.flatMap((key) => validateOrder(key, pod.spec[key], old.spec[key]));
  if (reordered.length > 0) return [...found, ...reordered];
  found.push(
    ...validateNothingRemoved(pod.spec, old.spec, isOn(OF_INIT_CONTAINERS)),
    ...validateRest(withOldSpelling(pod.spec, old.spec), old.spec, isOn(OF_INIT_CONTAINERS)),
  );
  if (found.length > 0 || sameValue(masked(pod.spec, old.spec), old.spec)) return found;
  return [forbiddenField('spec', 'only cpu and memory resources are mutable')];
}

/** Nothing else is said of these pods. */
function refusalOf({ metadata, spec }: Pod): string | undefined {
  if (Object.hasOwn(metadata.annotations ?? {}, MIRROR)) return 'static pods cannot be resized';
  return spec.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

/** A kubelet that can resize tells of each running container what resources it has. */
function isSupportedByNode({ status }: Pod): boolean {
  const running = items(status.containerStatuses).find(({ state }) => state.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

function validatePodLevel({ resources }: PodSpec, { resources: old }: PodSpec): FieldErrors {
  if (!isSet(resources) && !isSet(old)) return [];
  const field = 'spec.resources';
  if (old !== undefined && resources === undefined) {
    return [forbiddenField(field, 'pod-level resources cannot be removed')];
  }
  const removed = (['requests', 'limits'] as const)
    .filter((key) => old !== undefined && isAnyRemoved(resources?.[key], old[key]))
    .map((key) => forbiddenField(`${field}.${key}`, `pod-level resource ${key} cannot be removed`));
  if (sameValue(maskedRequirements(resources, old), old)) return removed;
  const detail = 'only cpu and memory resources are mutable at pod-level';
  return [...removed, forbiddenField('spec', detail)];
}

function isSet(resources: ResourceRequirements | undefined): boolean {
  return AMOUNTS.some((key) => Object.keys(resources?.[key] ?? {}).length > 0);
}

function validateOrder(
  key: (typeof LISTS)[number],
  containers: ListOf<Container>,
  old: ListOf<Container>,
): FieldErrors {
  const now = items(containers);
  const field = `spec.${key}`;
  if (now.length !== items(old).length) {
    return [forbiddenField(field, `${key} may not be added or removed on resize`)];
  }
  const detail = `${key} may not be renamed or reordered on resize`;
  return items(old).flatMap(({ name }, index) =>
    now[index]?.name === name ? [] : [forbiddenField(`${indexPath(field, index)}.name`, detail)],
  );
}

function validateNothingRemoved(spec: PodSpec, old: PodSpec, isInitResized: boolean): FieldErrors {
  return (['initContainers', 'containers'] as const).flatMap((list) =>
    items(old[list]).flatMap((container, index) => {
      if (list === 'initContainers' && !isInitResized && !isSidecar(container)) return [];
      const { resources } = container;
      const now = items(spec[list])[index]?.resources;
      const field = `${indexPath(`spec.${list}`, index)}.resources`;
      return (['requests', 'limits'] as const)
        .filter((key) => isAnyRemoved(now?.[key], resources[key]))
        .map((key) => forbiddenField(`${field}.${key}`, `resource ${key} cannot be removed`));
    }),
  );
}

function isAnyRemoved(list: ResourceList = {}, old: ResourceList = {}): boolean {
  return Object.keys(old).some((name) => !Object.hasOwn(list, name));
}

/** Containers in which anything differs beside cpu and memory. */
function validateRest(spec: PodSpec, old: PodSpec, isInitResized: boolean): FieldErrors {
  const oldInit = items(old.initContainers);
  return [
    ...items(spec.containers).flatMap((container, index) =>
      isMoreChanged(container, items(old.containers)[index])
        ? [forbiddenField('spec', 'only cpu and memory resources are mutable')]
        : [],
    ),
    ...items(spec.initContainers).flatMap((container, index) => {
      const oldContainer = oldInit[index] ?? container;
      if (!isInitResized && !isSidecar(container)) {
        return sameValue(container, oldContainer) ? [] : [forbiddenField('spec', INIT_OFF)];
      }
      return validateInitContainer(
        indexPath('spec.initContainers', index),
        container,
        oldContainer,
      );
    }),
  ];
}

function validateInitContainer(field: string, container: Container, old: Container): FieldErrors {
  const detail = 'only cpu and memory resources for init or sidecar containers are mutable';
  const errors = isMoreChanged(container, old) ? [forbiddenField(field, detail)] : [];
  if (isSidecar(container) || sameValue(container, old)) return errors;
  const restarts =
    'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
  const policies = items(container.resizePolicy);
  return [
    ...errors,
    ...policies
      .filter(({ restartPolicy }) => restartPolicy === 'RestartContainer')
      .map(() => forbiddenField(field, restarts)),
  ];
}

function isMoreChanged(container: Container, old: Container | undefined): boolean {
  return old !== undefined && !sameValue(maskedContainer(container, old), old);
}

/** The spec as if cpu and memory had not changed. */
function masked(spec: PodSpec, old: PodSpec): PodSpec {
  const copy = withContainers(spec, old, maskedContainer);
  if (!isSet(spec.resources) && !isSet(old.resources)) return copy;
  const resources = maskedRequirements(spec.resources, old.resources);
  carryOver(copy, resources === undefined ? {} : { resources }, 'resources');
  return copy;
}

function maskedContainer(container: Container, old: Container): Container {
  const resources: ResourceRequirements = {};
  for (const key of AMOUNTS) {
    setList(resources, key, maskedList(container.resources[key], old.resources[key]));
  }
  return { ...container, resources };
}

function maskedRequirements(
  requirements: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
): ResourceRequirements | undefined {
  if (requirements === undefined) return undefined;
  const copy = { ...requirements };
  for (const key of AMOUNTS) setList(copy, key, maskedList(copy[key], old?.[key]));
  const isEmpty = !isSet(copy) && items(copy.claims).length === 0;
  return old === undefined && isEmpty ? undefined : copy;
}

function maskedList(list: ResourceList = {}, old: ResourceList = {}): ResourceList {
  const masked = respelled(list, old);
  for (const name of ['cpu', 'memory']) carryOver(masked, old, name);
  return masked;
}

/** Amounts that are equal are written as in the old list: 1Gi and 1073741824 are no change. */
function respelled(list: ResourceList = {}, old: ResourceList = {}): { [key: string]: Quantity } {
  const copy = { ...list };
  for (const [name, amount] of Object.entries(old)) {
    if (Object.hasOwn(copy, name) && compareAmounts(copy[name], amount) === 0) {
      setOwn(copy, name, amount);
    }
  }
  return copy;
}

function withOldSpelling(spec: PodSpec, old: PodSpec): PodSpec {
  const respell = (now: ResourceRequirements, before: ResourceRequirements | undefined) => {
    const copy = { ...now };
    for (const key of AMOUNTS) setList(copy, key, respelled(now[key], before?.[key]));
    return copy;
  };
  const copy = withContainers(spec, old, (container, before) => ({
    ...container,
    resources: respell(container.resources, before.resources),
  }));
  return spec.resources === undefined
    ? copy
    : { ...copy, resources: respell(spec.resources, old.resources) };
}

/** A copy whose containers went through `change`, each with the old one in its place. */
function withContainers(
  spec: PodSpec,
  old: PodSpec,
  change: (container: Container, old: Container) => Container,
): PodSpec {
  const copy = { ...spec };
  for (const key of LISTS) {
    const before = items(old[key]);
    const containers = items(spec[key]);
    if (containers.length === 0) continue;
    copy[key] = containers.map((container, index) => {
      const oldContainer = before[index];
      return oldContainer === undefined ? container : change(container, oldContainer);
    });
  }
  return copy;
}

/** An empty list of amounts is none. */
function setList(
  resources: ResourceRequirements,
  key: (typeof AMOUNTS)[number],
  list: ResourceList = {},
): void {
  if (Object.keys(list).length > 0) resources[key] = list;
  else carryOver(resources, {}, key);
}
