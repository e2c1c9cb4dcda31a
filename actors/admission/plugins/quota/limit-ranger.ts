/**
 * LimitRanger: containers that say nothing get what the LimitRanges of their namespace say, and
 * no pod asks for less or more than they allow.
 *
 * In Kubernetes: plugin/pkg/admission/limitranger.
 */
import type { PodSpec } from '../../../../api/generated/kinds/core-v1.ts';
import { objectAt, stringAt, type JsonObject } from '../../../../api/json/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { setOwn } from '../../../../api/json/own-property.ts';
import {
  containerTotals,
  type Amounts,
} from '../../../../api/kinds/pod-spec/containers/container-totals.ts';
import { quantityAt } from '../../../../api/kinds/rules/resource-names.ts';
import { specOf } from '../../../../api/kinds/rules/value-validation.ts';
import { aggregatedText } from '../../../authorization/aggregated-errors.ts';
import { type AdmissionPlace, refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, TwoPhasePlugin } from '../../admission-plugin.ts';
import { claimProblems, itemProblems, limitsOf, type LimitItem, type Limits } from './limits.ts';
import { isItself, PODS } from '../../places.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { containersOf, specToFill } from '../../../../api/kinds/pod-spec/pod-parts.ts';
import { remembered } from '../../remembered.ts';

const LIMIT_RANGES = 'core/limitranges';
const CLAIMS = 'core/persistentvolumeclaims';
const ANNOTATION = 'kubernetes.io/limit-ranger';
/** Of what a pod says for itself as a whole, only this counts. */
const POD_LEVEL = ['cpu', 'memory'];

const compiled = remembered(limitsOf);

export function limitRanger(world: Pick<AdmissionWorld, 'followed'>): TwoPhasePlugin {
  const limitsIn = followLimits(world);
  const mutate: AdmissionStep = ({ object: pod, oldObject, namespace }) => {
    if (pod === undefined || isGoing(oldObject)) return undefined;
    for (const limits of limitsIn(namespace)) setDefaults(pod, limits);
    return undefined;
  };
  const validating = (problemsOf: (object: KubeObject, item: LimitItem) => string[]) => {
    const validate: AdmissionStep = (attributes) => {
      const { object, oldObject, namespace } = attributes;
      if (object === undefined || isGoing(oldObject)) return undefined;
      for (const { items } of limitsIn(namespace)) {
        const problems = items.flatMap((item) => problemsOf(object, item));
        if (problems.length > 0) return refusedAt(attributes, aggregatedText(problems));
      }
      return undefined;
    };
    return validate;
  };
  const [validatePod, validateClaim] = [validating(podProblems), validating(problemsOfClaim)];
  return {
    name: 'LimitRanger',
    mutatesAt: (place) => (isPodPlace(place) ? mutate : undefined),
    validatesAt(place) {
      if (isPodPlace(place)) return validatePod;
      return isItself(place, CLAIMS, 'CREATE', 'UPDATE') ? validateClaim : undefined;
    },
  };
}

/** What containers ask for does not change later on, but by a resize. */
function isPodPlace(place: AdmissionPlace): boolean {
  if (isItself(place, PODS, 'CREATE')) return true;
  const { served, operation, subresource } = place;
  return served.definition.storage === PODS && subresource === 'resize' && operation === 'UPDATE';
}

/** By namespace, in the order of their names. */
function followLimits({
  followed,
}: Pick<AdmissionWorld, 'followed'>): (namespace: string) => readonly Limits[] {
  const byNamespace = new Map<string, Map<string, Limits>>();
  const index = followed.follow(LIMIT_RANGES, {
    set(stored) {
      const namespace = namespaceOf(stored.path);
      const others = byNamespace.get(namespace) ?? new Map<string, Limits>();
      others.set(stored.path, compiled(stored));
      byNamespace.set(namespace, new Map([...others].sort(([a], [b]) => (a < b ? -1 : 1))));
    },
    delete(path) {
      const namespace = namespaceOf(path);
      const others = byNamespace.get(namespace);
      others?.delete(path);
      if (others?.size === 0) byNamespace.delete(namespace);
    },
    clear() {
      byNamespace.clear();
    },
  });
  return (namespace) => {
    index.fill();
    const found = byNamespace.get(namespace);
    return found === undefined ? NONE : [...found.values()];
  };
}

const NONE: readonly Limits[] = [];

function namespaceOf(path: string): string {
  return path.slice(0, path.indexOf('/'));
}

function isGoing(old: KubeObject | undefined): boolean {
  return old?.metadata.deletionTimestamp !== undefined;
}

/** In Kubernetes: mergePodResourceRequirements. */
function setDefaults(pod: KubeObject, limits: Limits): void {
  const spec = specToFill(pod);
  const told = [
    ...containersOf(spec, ['containers']).flatMap((one) => fillIn(one, 'container', limits)),
    ...containersOf(spec, ['initContainers']).flatMap((one) =>
      fillIn(one, 'init container', limits),
    ),
  ];
  if (told.length === 0) return;
  const annotation = `LimitRanger plugin set: ${told.join('; ')}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: annotation };
}

/** @returns what was filled in, in upstream's words. */
function fillIn(container: JsonObject, shown: string, limits: Limits): string[] {
  const { defaultLimits, defaultRequests } = limits;
  const limited = fillList(container, 'limits', defaultLimits);
  const requested = fillList(container, 'requests', defaultRequests);
  const who = `for ${shown} ${stringAt(container, 'name')}`;
  return [
    ...(requested.length > 0 ? [`${requested.sort().join(', ')} request ${who}`] : []),
    ...(limited.length > 0 ? [`${limited.sort().join(', ')} limit ${who}`] : []),
  ];
}

function fillList(
  container: JsonObject,
  key: 'limits' | 'requests',
  defaults: Limits['defaultLimits'],
): string[] {
  const resources = objectAt(container, 'resources') ?? {};
  const list = { ...objectAt(resources, key) };
  const added = defaults.filter(([resource]) => !Object.hasOwn(list, resource));
  if (added.length === 0) return [];
  for (const [resource, amount] of added) setOwn(list, resource, amount);
  container['resources'] = { ...resources, [key]: list };
  return added.map(([resource]) => resource);
}

function podProblems(pod: KubeObject, item: LimitItem): string[] {
  const spec = specOf(pod);
  if (item.type === 'Container') {
    return containersOf(spec, ['containers'])
      .concat(containersOf(spec, ['initContainers']))
      .flatMap((container) => {
        const resources = objectAt(container, 'resources');
        const requests = amountsAt(resources, 'requests');
        return itemProblems(item, { requests, limits: amountsAt(resources, 'limits') });
      });
  }
  if (item.type !== 'Pod') return [];
  const [requests, limits] = [totalsOf(spec, 'requests'), totalsOf(spec, 'limits')];
  return itemProblems(item, { requests, limits });
}

/** What the pod says as a whole stands in the place of what its containers say together. */
function totalsOf(spec: JsonObject, list: 'limits' | 'requests'): Amounts {
  const totals = containerTotals(spec as unknown as PodSpec, list);
  for (const [name, amount] of amountsAt(objectAt(spec, 'resources'), list)) {
    if (POD_LEVEL.includes(name)) totals.set(name, amount);
  }
  return totals;
}

function problemsOfClaim(claim: KubeObject, item: LimitItem): string[] {
  if (item.type !== 'PersistentVolumeClaim') return [];
  return claimProblems(item, amountsAt(objectAt(specOf(claim), 'resources'), 'requests'));
}

function amountsAt(resources: JsonObject | undefined, list: 'limits' | 'requests'): Amounts {
  const written = objectAt(resources, list) ?? {};
  return new Map(Object.keys(written).map((name) => [name, quantityAt(written[name])]));
}
