/**
 * The `eviction` subresource: a delete that asks the pod's disruption budget first. What it is
 * for is `kubectl drain`.
 *
 * Three writes, each on its own: the budget counts the disruption, the pod is marked as evicted,
 * the pod is deleted. When the last fails the budget has counted one too many, and the controller that keeps
 * it up to date puts that right, as upstream.
 *
 * In Kubernetes: EvictionREST, registry/core/pod/storage/eviction.go.
 */
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { StoredObject } from '../../../streams/event.ts';
import type { DeleteOptions } from '../../../api/options/options-delete.ts';
import { failedDeletePrecondition } from '../../../api/options/preconditions.ts';
import {
  unclassifiedFailure,
  conflict,
  notFound,
  serviceUnavailable,
  success,
  type Status,
} from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import {
  parsedKind,
  type StoredKind,
  type StoredKindPath,
} from '../../../projections/objects/stored-kinds.ts';
import { DELETE_ADMITTED, targetOf } from '../../registry/paths/delete.ts';
import { type PostAnswerer, type Posted } from '../../registry/paths/post.ts';
import { type Stage, writePath } from '../../registry/stage.ts';
import { encodeReplacement } from '../../registry/stages/encode.ts';
import { objectKey } from '../../registry/stages/place-object.ts';
import {
  checkVersion,
  prepareOwnReplacement,
  rulesOf,
  warnOfReplacement,
  type HasRules,
} from '../../registry/stages/prepare.ts';
import { proposeReplacement } from '../../registry/stages/propose.ts';
import { OBJECTS } from '../../registry/objects/dry-run.ts';
import { lookUp } from '../../registry/stages/stored-object.ts';
import {
  type HasAttempt,
  type HasExisting,
  type HasKey,
  type HasObject,
  type HasOptions,
  type HasRequirements,
  type HasShowing,
  type HasStored,
  noted,
  type Received,
  type WriteOptions,
} from '../../registry/write.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import { selectorOf } from '../../../api/kinds/rules/label-selector-validation.ts';
import {
  budgetIsBehind,
  budgetObjection,
  enterDisruption,
  letsUnhealthyGo,
} from '../../../api/kinds/core/pods/disruption-budget.ts';
import { readEvictionOptions } from './eviction-options.ts';
import { isPodReady, setPodCondition } from '../../../api/kinds/core/pods/pod-condition.ts';

/** How often a pod that keeps changing is looked at anew. */
const TRIES_MAX = 20;
const OVER: readonly string[] = ['Succeeded', 'Failed'];
const EVICTED = statusAnswer({ ...success(), code: 201 });
const DISRUPTION_TARGET = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
} as const;

type Pod = StoredKind<'v1/pods'>;
type Budget = StoredKind<'policy/v1/poddisruptionbudgets'>;

interface Eviction extends Posted {
  readonly deletion: DeleteOptions;
  readonly budgets: ServedResource;
}

/** POST to `pods/NAME/eviction`. */
export function evictPod(budgets: ServedResource): PostAnswerer {
  return async (posted) => {
    const { context } = posted;
    // What follows is decided from many objects, so all that was acknowledged must be applied.
    if ((await context.moment.newest()) === undefined) {
      return statusAnswer(serviceUnavailable('the log cannot be read at the moment', 1));
    }
    const read = readEvictionOptions(posted);
    if (!read.ok) return statusAnswer(read.status);
    return evict({ ...posted, deletion: read.options, budgets });
  };
}

async function evict(eviction: Eviction): Promise<Answer> {
  const isPinned = eviction.deletion.preconditions?.resourceVersion !== undefined;
  for (let tries = 1; ; tries += 1) {
    const pod = podOf(eviction);
    if (pod === undefined) return podNotFound(eviction);
    if (!isUnguarded(pod)) return evictGuarded(eviction, pod);
    // A pod that may become ready any moment must not slip past its budget meanwhile.
    const pinned = isPinned || isOver(pod) ? eviction.deletion : pinnedTo(eviction, pod);
    const removed = await removePod(eviction, pinned);
    if (isPinned || tries === TRIES_MAX || !hasMovedOn(eviction, pod, removed)) return removed;
  }
}

/** Another client changed the pod, and that is all that went wrong. */
function hasMovedOn(eviction: Eviction, pod: Pod, removed: Answer): boolean {
  if (failureOf(removed)?.reason !== 'Conflict') return false;
  const uid = eviction.deletion.preconditions?.uid;
  return uid === undefined || uid === pod.metadata.uid;
}

async function evictGuarded(eviction: Eviction, pod: Pod): Promise<Answer> {
  const [budget, ...more] = budgetsOf(eviction, pod);
  if (budget === undefined) return removePod(eviction, eviction.deletion);
  if (more.length > 0) return tooManyBudgets();
  if (isPodReady(pod) || !letsUnhealthyGo(budget)) {
    const entered = await takeDisruption(eviction, budget.metadata.name ?? '');
    return failureOf(entered) === undefined ? removePod(eviction, eviction.deletion) : entered;
  }
  // It may go because it is not ready, so it must still be as it was looked at.
  const removed = await removePod(eviction, pinnedTo(eviction, pod));
  const isPinned = eviction.deletion.preconditions?.resourceVersion !== undefined;
  const hasChanged = !isPinned && failureOf(removed)?.reason === 'Conflict';
  return hasChanged ? statusAnswer(budgetIsBehind(budget.metadata.name ?? '')) : removed;
}

/** Upstream sends this failure as if it were a success: 201, with a Status that says 500. */
function tooManyBudgets(): Answer {
  const message =
    'This pod has more than one PodDisruptionBudget, ' +
    'which the eviction subresource does not support.';
  return {
    kind: 'Value',
    code: 201,
    typeId: 'io.k8s.apimachinery.pkg.apis.meta.v1.Status',
    value: unclassifiedFailure(message),
  };
}

function podOf({ context, request, served }: Eviction): Pod | undefined {
  const key = objectKey(served, request.info.namespace, request.info.name);
  const stored = context.objects.get(key.resource, key.path);
  // Written by this server.
  return stored === undefined ? undefined : parsedKind('v1/pods', stored);
}

function podNotFound({ request, served }: Eviction): Answer {
  return statusAnswer(notFound(served.facts, request.info.name));
}

/** It serves no client yet or any more, so no budget counts it. */
function isUnguarded(pod: Pod): boolean {
  return isOver(pod) || pod.status.phase === 'Pending';
}

function isOver(pod: Pod): boolean {
  const isGoing = pod.metadata.deletionTimestamp !== undefined;
  return isGoing || OVER.includes(pod.status.phase ?? '');
}

function pinnedTo({ deletion }: Eviction, { metadata }: Pod): DeleteOptions {
  const { resourceVersion } = metadata;
  return { ...deletion, preconditions: { uid: deletion.preconditions?.uid, resourceVersion } };
}

function budgetsOf({ context, request, budgets }: Eviction, pod: Pod): readonly Budget[] {
  const { objects } = context.resourceViews.of(budgets.definition.storage);
  return Array.from(objects.inOrder(request.info.namespace))
    .map((stored) => parsedKind('policy/v1/poddisruptionbudgets', stored))
    .filter((budget) => selectorOf(budget.spec.selector).matches(pod.metadata.labels));
}

/** Enters the disruption in the budget, unless it has something against it. */
function takeDisruption(eviction: Eviction, budgetName: string): Promise<Answer> {
  const { context, writes, request, budgets, deletion } = eviction;
  return writes.perform(context, TAKE_DISRUPTION, {
    request,
    served: budgets,
    facts: {
      ...statusFacts(eviction, budgets, budgetName),
      enter: entering('policy/v1/poddisruptionbudgets', (budget, now) => {
        const objection = budgetObjection(budget);
        if (objection !== undefined) return statusAnswer(objection);
        if (deletion.dryRun) return EVICTED;
        enterDisruption(budget, request.info.name, now);
        return undefined;
      }),
    },
  });
}

async function removePod(eviction: Eviction, deletion: DeleteOptions): Promise<Answer> {
  const { context, writes, request, served } = eviction;
  const { namespace, name } = request.info;
  const marked = deletion.dryRun ? deletion : await markPod(eviction, deletion);
  if ('kind' in marked) return marked;
  const facts = { options: marked, ...targetOf(served, namespace, name) };
  const removed = await writes.perform(context, DELETE_ADMITTED, { request, served, facts });
  return failureOf(removed) === undefined ? EVICTED : removed;
}

/** Says in the pod why it goes. Gives the options that then hold, or why it cannot go. */
async function markPod(
  eviction: Eviction,
  deletion: DeleteOptions,
): Promise<DeleteOptions | Answer> {
  const { context, writes, request, served } = eviction;
  const { name } = request.info;
  const marked = await writes.perform(context, TAKE_DISRUPTION, {
    request,
    served,
    facts: {
      ...statusFacts(eviction, served, name),
      enter: entering('v1/pods', (pod, now) => {
        const failed = failedDeletePrecondition(deletion.preconditions, pod.metadata);
        if (failed !== undefined) {
          return statusAnswer(conflict({ group: '', resource: 'Pod' }, name, failed));
        }
        setPodCondition(pod, DISRUPTION_TARGET, now);
        return undefined;
      }),
    },
  });
  if (marked.kind !== 'Object') return marked;
  const { preconditions } = deletion;
  if (preconditions?.resourceVersion === undefined) return deletion;
  const resourceVersion = String(marked.object.resourceVersion);
  return { ...deletion, preconditions: { ...preconditions, resourceVersion } };
}

/** A change of a status that was admitted as part of the eviction. */
interface HasEntry {
  readonly name: string;
  /** The stored object changed; or the answer, where it must not be changed. */
  readonly enter: (stored: StoredObject, now: number) => Entered;
}

type Entered = { readonly object: KubeObject } | { readonly answer: Answer };

function entering<Path extends StoredKindPath>(
  path: Path,
  change: (object: StoredKind<Path>, now: number) => Answer | undefined,
): HasEntry['enter'] {
  return (stored, now) => {
    const object = parsedKind(path, stored);
    const answer = change(object, now);
    return answer === undefined ? { object } : { answer };
  };
}

type StatusWrite = Received &
  HasOptions<WriteOptions> &
  HasShowing &
  HasRules &
  HasKey &
  HasRequirements &
  HasEntry;

function statusFacts({ request, options }: Eviction, served: ServedResource, name: string) {
  return {
    name,
    options: { ...options, dryRun: false },
    showing: OBJECTS,
    rules: rulesOf(served, 'status'),
    requires: [],
    key: objectKey(served, request.info.namespace, name),
  };
}

type Found = StatusWrite & HasAttempt & HasStored;

const enterInStatus: Stage<Found, Found & HasExisting & HasObject> = {
  name: 'enter in status',
  run(write, { clock }) {
    const { served, name, stored, old } = write;
    if (stored === undefined || old === undefined)
      return statusAnswer(notFound(served.facts, name));
    const entered = write.enter(stored, clock.now());
    return 'answer' in entered ? entered.answer : noted(write, { stored, old, ...entered });
  },
};

const TAKE_DISRUPTION = writePath<StatusWrite>('update status for an eviction')
  .once()
  .eachAttempt(
    lookUp,
    enterInStatus,
    checkVersion,
    prepareOwnReplacement,
    warnOfReplacement,
    encodeReplacement,
    proposeReplacement,
  );

function failureOf(answer: Answer): Status | undefined {
  const isFailure = answer.kind === 'Status' && answer.status.status === 'Failure';
  return isFailure ? answer.status : undefined;
}
