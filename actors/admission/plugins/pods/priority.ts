/**
 * Priority: what a pod's PriorityClass stands for is written into the pod, and of PriorityClasses
 * there is one default.
 *
 * In Kubernetes: plugin/pkg/admission/priority. PodGroups have no priority of their own unless the
 * feature WorkloadAwarePreemption is on, which it is not.
 */
import type { PriorityClass as PriorityClassObject } from '../../../../api/generated/kinds/scheduling-v1.ts';
import type { Pod } from '../../../../api/generated/kinds/core-v1.ts';
import { type AttributesOf, firstOf, stepFor } from '../../kind-steps.ts';
import type { Status } from '../../../../api/meta/status.ts';
import { pathOf } from '../../../../streams/event.ts';
import { type AdmissionAttributes, refusedAt } from '../../admission-attributes.ts';
import type { TwoPhasePlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { remembered } from '../../remembered.ts';

const CLASSES = 'scheduling.k8s.io/priorityclasses';

interface PriorityClass {
  readonly name: string;
  readonly value: number;
  /** '' where the class says nothing. */
  readonly preemptionPolicy: string;
  readonly isDefault: boolean;
}

const NO_CLASS: PriorityClass = {
  name: '',
  value: 0,
  preemptionPolicy: 'PreemptLowerPriority',
  isDefault: false,
};

const classOf = remembered('scheduling.k8s.io/v1/priorityclasses', readClass);

function readClass(object: PriorityClassObject): PriorityClass {
  return {
    name: object.metadata.name ?? '',
    value: object.value,
    preemptionPolicy: object.preemptionPolicy ?? '',
    isDefault: object.globalDefault === true,
  };
}

export function priority(world: Pick<AdmissionWorld, 'followed'>): TwoPhasePlugin {
  const defaultClass = followDefault(world);
  const resolve = (attributes: AttributesOf<Pod, 'CREATE'>): Status | undefined => {
    const { object: pod, objects } = attributes;
    const name = pod.spec.priorityClassName ?? '';
    if (name === '') return settle(attributes, pod, defaultClass() ?? NO_CLASS);
    const stored = objects.get(CLASSES, pathOf('', name));
    if (stored !== undefined) return settle(attributes, pod, classOf(stored));
    return refusedAt(attributes, `no PriorityClass with name ${name} was found`);
  };
  const oneDefault = (
    attributes: AttributesOf<PriorityClassObject, 'CREATE' | 'UPDATE'>,
  ): Status | undefined => {
    const { object, operation } = attributes;
    if (object.globalDefault !== true) return undefined;
    const other = defaultClass();
    if (other === undefined) return undefined;
    if (operation === 'UPDATE' && other.name === object.metadata.name) return undefined;
    const why = `PriorityClass ${other.name} is already marked as default`;
    return refusedAt(attributes, `${why}. Only one default can exist`);
  };
  return {
    name: 'Priority',
    mutatesAt: firstOf(
      stepFor('v1/pods', ['CREATE'], resolve),
      stepFor('v1/pods', ['UPDATE'], keepPriority),
    ),
    validatesAt: stepFor('scheduling.k8s.io/v1/priorityclasses', ['CREATE', 'UPDATE'], oneDefault),
  };
}

/** Where races made more than one default, the least of them counts. */
function followDefault({
  followed,
}: Pick<AdmissionWorld, 'followed'>): () => PriorityClass | undefined {
  const defaults = new Map<string, PriorityClass>();
  const index = followed.follow(CLASSES, {
    set(stored) {
      const found = classOf(stored);
      if (found.isDefault) defaults.set(stored.path, found);
      else defaults.delete(stored.path);
    },
    delete: (path) => void defaults.delete(path),
    clear: () => {
      defaults.clear();
    },
  });
  return () => {
    index.fill();
    let least: PriorityClass | undefined;
    for (const one of defaults.values()) {
      if (least === undefined || least.value > one.value) least = one;
    }
    return least;
  };
}

function settle(
  attributes: AdmissionAttributes,
  { spec }: Pod,
  found: PriorityClass,
): Status | undefined {
  const by = 'from the given PriorityClass name';
  if (found.name !== '') spec.priorityClassName = found.name;
  const given = spec.priority;
  if (given !== undefined && given !== found.value) {
    const why = `the integer value of priority (${String(given)}) must not be provided in pod spec`;
    const computed = `priority admission controller computed ${String(found.value)}`;
    return refusedAt(attributes, `${why}; ${computed} ${by}`);
  }
  spec.priority = found.value;
  const { preemptionPolicy } = found;
  if (preemptionPolicy === '') return undefined;
  const said = spec.preemptionPolicy ?? '';
  if (said !== '' && said !== preemptionPolicy) {
    const why = `the string value of PreemptionPolicy (${said}) must not be provided in pod spec`;
    const computed = `priority admission controller computed ${preemptionPolicy}`;
    return refusedAt(attributes, `${why}; ${computed} ${by}`);
  }
  spec.preemptionPolicy = preemptionPolicy;
  return undefined;
}

/** A client that updates a pod need not repeat what was written into it. */
function keepPriority({ object, oldObject }: AttributesOf<Pod, 'UPDATE'>): undefined {
  const [{ spec }, { spec: old }] = [object, oldObject];
  if (spec.priority === undefined && old.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined) {
    spec.preemptionPolicy = old.preemptionPolicy;
  }
}
