/**
 * Priority: what a pod's PriorityClass stands for is written into the pod, and of PriorityClasses
 * there is one default.
 *
 * In Kubernetes: plugin/pkg/admission/priority. PodGroups have no priority of their own unless the
 * feature WorkloadAwarePreemption is on, which it is not.
 */
import { int32At, stringAt } from '../../../../api/json/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import type { Status } from '../../../../api/meta/status.ts';
import { pathOf } from '../../../../streams/event.ts';
import { specOf } from '../../../../api/kinds/rules/value-validation.ts';
import { type AdmissionAttributes, refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, TwoPhasePlugin } from '../../admission-plugin.ts';
import { isItself, PODS } from '../../places.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { specToFill } from '../../../../api/kinds/pod-spec/pod-parts.ts';
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

const classOf = remembered(readClass);

function readClass(object: KubeObject): PriorityClass {
  return {
    name: object.metadata.name ?? '',
    value: int32At(object, 'value') ?? 0,
    preemptionPolicy: stringAt(object, 'preemptionPolicy'),
    isDefault: object['globalDefault'] === true,
  };
}

export function priority(world: Pick<AdmissionWorld, 'followed'>): TwoPhasePlugin {
  const defaultClass = followDefault(world);
  const resolve: AdmissionStep = (attributes) => {
    const { object: pod, objects } = attributes;
    if (pod === undefined) return undefined;
    const name = stringAt(specOf(pod), 'priorityClassName');
    if (name === '') return settle(attributes, pod, defaultClass() ?? NO_CLASS);
    const stored = objects.get(CLASSES, pathOf('', name));
    if (stored !== undefined) return settle(attributes, pod, classOf(stored));
    return refusedAt(attributes, `no PriorityClass with name ${name} was found`);
  };
  const oneDefault: AdmissionStep = (attributes) => {
    const { object, operation } = attributes;
    if (object?.['globalDefault'] !== true) return undefined;
    const other = defaultClass();
    if (other === undefined) return undefined;
    if (operation === 'UPDATE' && other.name === object.metadata.name) return undefined;
    const why = `PriorityClass ${other.name} is already marked as default`;
    return refusedAt(attributes, `${why}. Only one default can exist`);
  };
  return {
    name: 'Priority',
    mutatesAt(place) {
      if (isItself(place, PODS, 'CREATE')) return resolve;
      return isItself(place, PODS, 'UPDATE') ? keepPriority : undefined;
    },
    validatesAt: (place) => (isItself(place, CLASSES, 'CREATE', 'UPDATE') ? oneDefault : undefined),
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
  pod: KubeObject,
  found: PriorityClass,
): Status | undefined {
  const spec = specToFill(pod);
  const by = 'from the given PriorityClass name';
  if (found.name !== '') spec['priorityClassName'] = found.name;
  const given = int32At(spec, 'priority');
  if (given !== undefined && given !== found.value) {
    const why = `the integer value of priority (${String(given)}) must not be provided in pod spec`;
    const computed = `priority admission controller computed ${String(found.value)}`;
    return refusedAt(attributes, `${why}; ${computed} ${by}`);
  }
  spec['priority'] = found.value;
  const { preemptionPolicy } = found;
  if (preemptionPolicy === '') return undefined;
  const said = stringAt(spec, 'preemptionPolicy');
  if (said !== '' && said !== preemptionPolicy) {
    const why = `the string value of PreemptionPolicy (${said}) must not be provided in pod spec`;
    const computed = `priority admission controller computed ${preemptionPolicy}`;
    return refusedAt(attributes, `${why}; ${computed} ${by}`);
  }
  spec['preemptionPolicy'] = preemptionPolicy;
  return undefined;
}

/** Who updates a pod need not say again what was written into it. */
const keepPriority: AdmissionStep = ({ object, oldObject }) => {
  if (object === undefined || oldObject === undefined) return undefined;
  const [spec, old] = [specToFill(object), specOf(oldObject)];
  for (const key of ['priority', 'preemptionPolicy']) {
    if (spec[key] === undefined && old[key] !== undefined) spec[key] = old[key];
  }
  return undefined;
};
