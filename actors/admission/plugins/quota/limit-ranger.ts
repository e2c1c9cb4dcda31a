/**
 * LimitRanger: containers that say nothing get what the LimitRanges of their namespace say, and
 * no pod asks for less or more than they allow.
 *
 * In Kubernetes: plugin/pkg/admission/limitranger.
 */
import { items } from '../../../../api/json/go-values.ts';
import { flatMapItems, stepped } from '../../../../api/json/work-in-slices.ts';
import type { MaybePromise } from '../../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../../api/meta/status.ts';
import { type AttributesOf, type KindStep, firstOf, stepFor } from '../../kind-steps.ts';
import type {
  Container,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
} from '../../../../api/generated/kinds/core-v1.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { setOwn } from '../../../../api/json/own-property.ts';
import { type Amounts, amountsIn } from '../../../../api/quota/amounts.ts';
import { type AmountKind, containerTotals } from '../../../../api/quota/container-totals.ts';
import { aggregatedText } from '../../../authorization/authorizer.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { StepAt, TwoPhasePlugin } from '../../admission-plugin.ts';
import { type LimitItem, type Limits, claimProblems, itemProblems, limitsOf } from './limits.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { containersOf } from '../../../../api/kinds/pod-spec/pod-parts.ts';
import { inSlicesFor } from '../../large-objects.ts';
import { remembered } from '../../remembered.ts';

const LIMIT_RANGES = 'core/limitranges';
const ANNOTATION = 'kubernetes.io/limit-ranger';
/** Of what a pod says for itself as a whole, only this counts. */
const POD_LEVEL = ['cpu', 'memory'];

const compiled = remembered('v1/limitranges', limitsOf);

export function limitRanger(world: Pick<AdmissionWorld, 'followed'>): TwoPhasePlugin {
  const limitsIn = followLimits(world);
  const validating =
    <Kind extends Pod | PersistentVolumeClaim>(
      problemsOf: (object: Kind, item: LimitItem) => readonly string[],
    ) =>
    (attributes: AttributesOf<Kind, 'CREATE' | 'UPDATE'>): MaybePromise<Status | undefined> => {
      const { object, oldObject, namespace } = attributes;
      if (isGoing(oldObject)) return undefined;
      const all = limitsIn(namespace);
      return inSlicesFor(
        attributes,
        () => firstProblems(all, (item) => problemsOf(object, item)),
        (problems) =>
          problems.length === 0 ? undefined : refusedAt(attributes, aggregatedText(problems)),
      );
    };
  return {
    name: 'LimitRanger',
    mutatesAt: forPods((attributes) => {
      const { object: pod, oldObject, namespace } = attributes;
      if (isGoing(oldObject)) return undefined;
      const all = limitsIn(namespace);
      return inSlicesFor(
        attributes,
        () => {
          for (const limits of all) setDefaults(pod, limits);
        },
        () => undefined,
      );
    }),
    validatesAt: firstOf(
      forPods(validating(podProblems)),
      stepFor('v1/persistentvolumeclaims', ['CREATE', 'UPDATE'], validating(problemsOfClaim)),
    ),
  };
}

/** What containers ask for does not change later on, but by a resize. */
function forPods(step: KindStep<Pod, 'CREATE' | 'UPDATE'>): StepAt {
  return firstOf(
    stepFor('v1/pods', ['CREATE'], step as KindStep<Pod, 'CREATE'>),
    stepFor('v1/pods/resize', ['UPDATE'], step as KindStep<Pod, 'UPDATE'>),
  );
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

function isGoing(old: Pick<KubeObject, 'metadata'> | undefined): boolean {
  return old?.metadata.deletionTimestamp !== undefined;
}

/** Those of the first LimitRange that has anything against it. */
function firstProblems(
  all: readonly Limits[],
  problemsOf: (item: LimitItem) => readonly string[],
): readonly string[] {
  for (const limits of all) {
    const problems = flatMapItems(limits.items, problemsOf);
    if (problems.length > 0) return problems;
  }
  return [];
}

/** In Kubernetes: mergePodResourceRequirements. */
function setDefaults({ metadata, spec }: Pod, limits: Limits): void {
  const told = [
    ...flatMapItems(items(spec.containers), (one) => fillIn(one, 'container', limits)),
    ...flatMapItems(items(spec.initContainers), (one) => fillIn(one, 'init container', limits)),
  ];
  if (told.length === 0) return;
  const annotation = `LimitRanger plugin set: ${told.join('; ')}`;
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: annotation };
}

/** What is done with one takes so many steps more than with another item of a list. */
const STEPS_OF_CONTAINER = 5;

/** @returns what was filled in, in upstream's words. */
function fillIn(container: Container, shown: string, limits: Limits): string[] {
  const { defaultLimits, defaultRequests } = limits;
  stepped(STEPS_OF_CONTAINER);
  const limited = fillList(container, 'limits', defaultLimits);
  const requested = fillList(container, 'requests', defaultRequests);
  const where = `for ${shown} ${container.name}`;
  return [
    ...(requested.length > 0 ? [`${requested.sort().join(', ')} request ${where}`] : []),
    ...(limited.length > 0 ? [`${limited.sort().join(', ')} limit ${where}`] : []),
  ];
}

function fillList(
  container: Container,
  key: 'limits' | 'requests',
  defaults: Limits['defaultLimits'],
): string[] {
  const { resources } = container;
  const list = { ...resources[key] };
  const added = defaults.filter(([resource]) => !Object.hasOwn(list, resource));
  if (added.length === 0) return [];
  for (const [resource, amount] of added) setOwn(list, resource, amount);
  container.resources = { ...resources, [key]: list };
  return added.map(([resource]) => resource);
}

function podProblems({ spec }: Pod, item: LimitItem): readonly string[] {
  const containers = containersOf(spec, ['containers', 'initContainers']);
  if (item.type === 'Container') {
    return flatMapItems(containers, ({ resources }) => {
      stepped(STEPS_OF_CONTAINER);
      return itemProblems(item, {
        requests: amountsIn(resources.requests),
        limits: amountsIn(resources.limits),
      });
    });
  }
  if (item.type !== 'Pod') return [];
  return itemProblems(item, {
    requests: totalsOf(spec, 'requests'),
    limits: totalsOf(spec, 'limits'),
  });
}

/** What the pod says as a whole stands in the place of what its containers say together. */
function totalsOf(spec: PodSpec, list: AmountKind): Amounts {
  const totals = containerTotals(spec, list);
  const own = amountsIn(spec.resources?.[list]);
  for (const name of POD_LEVEL) {
    const amount = own.get(name);
    if (amount !== undefined) totals.set(name, amount);
  }
  return totals;
}

function problemsOfClaim({ spec }: PersistentVolumeClaim, item: LimitItem): readonly string[] {
  if (item.type !== 'PersistentVolumeClaim') return [];
  return claimProblems(item, amountsIn(spec.resources.requests));
}
