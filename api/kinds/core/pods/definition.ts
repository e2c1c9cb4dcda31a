/**
 * Pods. Deleting one is graceful: it is told to end and removed by its node's agent, unless no
 * node has it or it has ended already.
 *
 * The defaults here are filled in for pods alone, never in the templates that pods are made from, so
 * that a new default does not change workloads that exist. The `ephemeralcontainers` subresource, for
 * `kubectl debug`, adds containers and never changes or takes one away.
 *
 * In Kubernetes: registry/core/pod; SetDefaults_Pod, pkg/apis/core/v1.
 */
import type {
  Container,
  Pod,
  PodAffinityTerm,
  PodCondition,
  PodSpec,
  PodStatus,
  TopologySpreadConstraint,
} from '../../../generated/kinds/core-v1.ts';
import { type Int64, items, type ListOf } from '../../../json/go-values.ts';
import { defineKind } from '../../kind.ts';
import { appArmorWarnings, copyAppArmorAnnotations } from '../../pod-spec/pod-annotations.ts';
import { podWarnings, USE_APP_ARMOR } from '../../pod-spec/pod-warnings.ts';
import { preparedPodSpec } from '../../pod-spec/pod-spec-preparation.ts';
import {
  carryOver,
  countGeneration,
  METADATA_KEPT_BY_STATUS,
  specChanged,
} from '../../strategy-of.ts';
import { nameWarnings } from '../../pod-spec/pod-template-validation.ts';
import { qosClassOf } from './qos-class.ts';
import { resize } from './resize.ts';
import { podStatus } from './status.ts';
import { validateAnyPod, validatePod } from './validation.ts';
import { validateFixedAnnotations, validatePodChange } from './update-validation.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';
import { isZero } from '../../default-field.ts';
import { setPodLevelResources } from '../../pod-spec/pod-level-resources.ts';
import { setPodSpecDefaults } from '../../pod-spec/pod-spec-defaults.ts';
import {
  fillMissingAmounts,
  setResourceListDefaults,
  setResourceRequirementsDefaults,
} from '../../pod-spec/containers/resource-list-defaults.ts';
import type { ObjectOf, StringMap } from '../../../meta/object-meta.ts';
import { goQuote } from '../../../json/go-format.ts';
import type { UpdateRules } from '../../strategy.ts';
import { type FieldErrors, forbiddenField } from '../../../field/field-errors.ts';
import { internalDiff } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { MIRROR } from '../../pod-spec/pod-rules.ts';

const nodeName = ({ spec }: Pod): string => spec.nodeName ?? '';

const ephemeralContainers: UpdateRules<ObjectOf<Pod>> = {
  prepareForUpdate(pod, old, isOn) {
    const spec = { ...old.spec };
    carryOver(spec, pod.spec, 'ephemeralContainers');
    pod.spec = preparedPodSpec(spec, old.spec, isOn);
    pod.status = old.status;
    for (const key of METADATA_KEPT_BY_STATUS) carryOver(pod.metadata, old.metadata, key);
    if (!sameValue(pod.spec, old.spec)) countGeneration(pod, old);
  },
  validateUpdate(pod, old) {
    if (Object.hasOwn(old.metadata.annotations ?? {}, MIRROR)) {
      return [forbiddenField('[]', 'static pods do not support ephemeral containers')];
    }
    return [
      ...validateAnyPod(pod, old),
      ...validateFixedAnnotations(pod, old),
      ...validateOnlyAdded(pod, old),
    ];
  },
};

/** The kind Pod, with `binding`, `eviction` and all other subresources of one. */
export const pods = defineKind('v1/pods', {
  actions: ['attach', 'binding', 'eviction', 'exec', 'log', 'portforward', 'proxy'],
  fields: {
    'spec.nodeName': nodeName,
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
    'status.phase': ({ status }) => status.phase ?? '',
    'status.podIP': ({ status }) => items(status.podIPs)[0]?.ip ?? '',
    // It may be asked, but upstream never fills it in.
    'status.podIPs': () => '',
    'status.nominatedNodeName': ({ status }) => status.nominatedNodeName ?? '',
    // The old name of spec.nodeName.
    'spec.host': nodeName,
  },
  rules: {
    returnsDeletedObject: true,
    isNewGeneration: specChanged,
    status: { initial: initialStatus, ...podStatus },
    prepareForCreate(pod, _requester, isOn) {
      pod.spec = preparedPodSpec(pod.spec, undefined, isOn);
      mergeLabelKeys(pod);
      copyAppArmorAnnotations(pod);
    },
    prepareForUpdate(pod, old, isOn) {
      pod.spec = preparedPodSpec(pod.spec, old.spec, isOn);
    },
    validate: validatePod,
    validateUpdate: validatePodChange,
    warningsBeforeCreate: (pod) => appArmorWarnings(pod, USE_APP_ARMOR),
    warningsOnCreate: (pod) => [...nameWarnings(pod, "the Pod's hostname"), ...podWarnings(pod)],
    gracePeriodSeconds,
    subresources: { ephemeralcontainers: ephemeralContainers, resize },
  },
});

/** The pod waits for a node, or for whatever its scheduling gates wait for. */
function initialStatus(pod: Pod): PodStatus {
  const isGated = items(pod.spec.schedulingGates).length > 0;
  return {
    phase: 'Pending',
    ...(isGated ? { conditions: [gatedCondition(pod)] } : {}),
    // A class that the client chose is not checked, and kept.
    qosClass: pod.status.qosClass ?? qosClassOf(pod.spec),
  };
}

function gatedCondition(pod: Pod): PodCondition {
  return {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    // The pod is being created at this moment.
    lastTransitionTime: pod.metadata.creationTimestamp ?? null,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
}

function gracePeriodSeconds({ spec, status }: Pod, requestedSeconds: Int64 | undefined): Int64 {
  const isScheduled = spec.nodeName !== undefined;
  if (!isScheduled || status.phase === 'Failed' || status.phase === 'Succeeded') return 0;
  const seconds = requestedSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/** SetDefaults_Pod and SetDefaults_PodSpec: requests that are not named are the limits. */
export function setPodDefaults(pod: Pod): void {
  const { spec } = pod;
  const lists = [items(spec.containers), items(spec.initContainers)];
  for (const list of lists) forEachItem(list, setRequestsFromLimits);
  setPodLevelResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) for (const list of lists) forEachItem(list, setHostPorts);
  setPodSpecDefaults(spec);
  setPodStatusDefaults(pod.status);
}

function setRequestsFromLimits({ resources }: Container): void {
  if (resources.limits === undefined) return;
  fillMissingAmounts((resources.requests ??= {}), resources.limits);
}

/** In the host's network a port inside is the port outside. */
function setHostPorts(container: Container): void {
  forEachItem(items(container.ports), (port) => {
    if (isZero(port.hostPort)) port.hostPort = port.containerPort;
  });
}

function setPodStatusDefaults(status: PodStatus): void {
  const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = status;
  for (const list of [initContainerStatuses, containerStatuses, ephemeralContainerStatuses]) {
    forEachItem(items(list), ({ allocatedResources, resources }) => {
      setResourceListDefaults(allocatedResources);
      setResourceRequirementsDefaults(resources);
    });
  }
  setResourceListDefaults(status.allocatedResources);
  setResourceRequirementsDefaults(status.resources);
}

const FIELD = 'spec.ephemeralContainers';

function validateOnlyAdded(pod: Pod, old: Pod): FieldErrors {
  const containers = new Map(items(pod.spec.ephemeralContainers).map((one) => [one.name, one]));
  return items(old.spec.ephemeralContainers).flatMap((oldContainer) => {
    const { name } = oldContainer;
    const container = containers.get(name);
    if (container !== undefined && sameValue(container, oldContainer)) return [];
    const what = container === undefined ? 'removed' : 'changed';
    const difference =
      container === undefined ? '' : internalDiff('EphemeralContainer', oldContainer, container);
    const detail = `existing ephemeral containers ${goQuote(name)} may not be ${what}\n${difference}`;
    return [forbiddenField(FIELD, detail)];
  });
}

/** Changes the selectors inside the pod's spec. */
function mergeLabelKeys(pod: Pod): void {
  const labels = pod.metadata.labels ?? {};
  const { spec } = pod;
  for (const term of affinityTermsOf(spec)) {
    addRequirements(term, 'In', term.matchLabelKeys, labels);
    addRequirements(term, 'NotIn', term.mismatchLabelKeys, labels);
  }
  for (const constraint of items(spec.topologySpreadConstraints)) {
    addRequirements(constraint, 'In', constraint.matchLabelKeys, labels);
  }
}

function affinityTermsOf({ affinity }: PodSpec): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one) => [
    ...items(one?.preferredDuringSchedulingIgnoredDuringExecution).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
    ...items(one?.requiredDuringSchedulingIgnoredDuringExecution),
  ]);
}

/** A holder without a selector selects nothing, and stays so. */
function addRequirements(
  { labelSelector: selector }: PodAffinityTerm | TopologySpreadConstraint,
  operator: 'In' | 'NotIn',
  keys: ListOf<string>,
  labels: StringMap,
): void {
  const added = items(keys)
    .filter((key) => Object.hasOwn(labels, key))
    .map((key) => ({ key, operator, values: [labels[key] ?? ''] }));
  if (selector === undefined || added.length === 0) return;
  selector.matchExpressions = [...items(selector.matchExpressions), ...added];
}
