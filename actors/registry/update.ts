/**
 * PUT: replaces an object, or a part of it that a subresource stands for.
 *
 * In Kubernetes: updateHandler, apiserver/pkg/endpoints/handlers/update.go, and Store.Update.
 */
import {
  badRequest,
  conflict,
  forbidden,
  internalError,
  invalid,
  notFound,
  unclassifiedFailure,
  type Status,
} from '../../api/meta/status.ts';
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { KubeObject, ObjectMeta } from '../../api/meta/object-meta.ts';
import { remembered } from '../../api/meta/work-in-slices.ts';
import { parseUpdateOptions, type UpdateOptions } from '../../api/meta/options.ts';
import { failedPrecondition } from '../../api/meta/preconditions.ts';
import { parseUint64 } from '../../api/meta/whole-number.ts';
import { goQuote } from '../../api/patch/go-format.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type { UpdateRules } from '../../api/scheme/strategy.ts';
import { invalidValue } from '../../api/schema/field-errors.ts';
import { isSameState, parsedObject } from '../../projections/objects/stored-object.ts';
import type { Requirement, StoredObject } from '../../streams/event.ts';
import { refusalText } from '../authorization/attributes.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import { andThenSliced, doneInSlices } from '../large-work.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { attributesOf, mutated, validated } from './admitted.ts';
import { canonicalObject, prepareUpdate } from './candidate.ts';
import {
  fittingJson,
  objectAnswer,
  originOf,
  refusal,
  sizeProblem,
  writeObject,
  type Attempt,
} from './commit-answer.ts';
import { attemptCreate, keyOf, namespaceMismatch, otherNamespace, warned } from './create.ts';
import { dryRunAnswer } from './dry-run.ts';
import { managedForStorage, managerOf } from './managed-fields.ts';
import { isNewInTimesAlone, keepEntries } from './managed-times.ts';
import { readCandidate } from './read-candidate.ts';
import type { Turn } from './turn.ts';
import type { WriteRoom } from './write-room.ts';

const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

export function update(
  room: WriteRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  const parsed = parseUpdateOptions(request.query);
  if (!parsed.ok) {
    done(statusAnswer(parsed.status));
    return;
  }
  const { options } = parsed;
  const { info } = request;
  const rules = rulesOf(served, info.subresource);
  const { fieldValidation } = options;
  readCandidate(room, { request, served, fieldValidation }, done, (sent) => {
    const key = keyOf(served, info.namespace, info.name);
    const attempt = (turn: Turn): MaybePromise<Attempt> => {
      const object = sent();
      const mismatch =
        namespaceMismatch(request, served, object) ?? nameMismatch(object, info.name);
      if (mismatch !== undefined) return refusal(badRequest(mismatch));
      return attemptPut(room, { request, served, rules, options, turn }, object, key);
    };
    writeObject(room, { key, deadline: request.deadline, request, attempt }, done);
  });
}

/** Everything about an update but the object: who asks for what, by whose rules. */
export interface Update {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly rules: UpdateRules;
  readonly options: Pick<UpdateOptions, 'dryRun' | 'fieldManager'>;
  readonly turn: Turn;
}

/** The rules of the object itself, or of one of its subresources that are views of it. */
export function rulesOf({ definition }: ServedResource, subresource: string): UpdateRules {
  const { strategy } = definition;
  if (subresource === '') return strategy;
  const rules = strategy.subresources.get(subresource);
  if (rules === undefined) throw new Error(`no rules for the subresource ${subresource}`);
  return rules;
}

interface Key {
  readonly resource: string;
  readonly path: string;
}

/** @param object in the version of the request. */
function attemptPut(
  room: WriteRoom,
  update: Update,
  object: KubeObject,
  key: Key,
): MaybePromise<Attempt> {
  const { request, served } = update;
  const stored = room.objects.get(key.resource, key.path);
  const { facts, definition } = served;
  const mayCreate = definition.strategy.allowsCreateOnUpdate && request.info.subresource === '';
  if (stored === undefined && !mayCreate) return refusal(notFound(facts, request.info.name));
  const old = stored === undefined ? undefined : (parsedObject(stored) as KubeObject); // Ours.
  const uid = object.metadata.uid ?? '';
  const wanted = uid === '' ? undefined : { uid, resourceVersion: undefined };
  const failed = failedPrecondition(wanted, old?.metadata ?? {});
  if (failed !== undefined) return refusal(conflict(facts, request.info.name, failed));
  const write = { sizeBytes: sizeOf(request, stored), ...update };
  return andThen(managedForStorage(room, write, object, old), (candidate) =>
    stored === undefined
      ? createByUpdate(room, update, candidate)
      : attemptUpdate(room, update, { object: candidate, stored, ...(old && { old }) }),
  );
}

/**
 * Who may update may not always create.
 *
 * In Kubernetes: withAuthorization, apiserver/pkg/endpoints/handlers/update.go.
 */
export function createByUpdate(
  room: WriteRoom,
  update: Omit<Update, 'rules'>,
  object: KubeObject,
): MaybePromise<Attempt> {
  const { user, info } = update.request;
  const asked = { user, request: { ...info, verb: 'create' } };
  return andThen(room.authorizer.authorize(asked), (decision) => {
    if (decision.verdict === 'allow') return attemptCreate(room, { ...update, object });
    if (decision.error !== undefined) return refusal(internalError(decision.error));
    const { apiGroup: group, resource, name } = info;
    return refusal(forbidden({ group, resource }, name, refusalText(asked, decision.reason)));
  });
}

export interface Replacement {
  /** The candidate, whose managers are entered already; the attempt changes it. */
  readonly object: KubeObject;
  readonly stored: StoredObject;
  /** The object in what is stored, where somebody has read it before; not changed. */
  readonly old?: KubeObject;
}

/** One attempt to put the candidate in the place of what is stored, through admission. */
export function attemptUpdate(
  room: WriteRoom,
  update: Update,
  { object, stored, old = parsedObject(stored) as KubeObject }: Replacement, // Ours.
): MaybePromise<Attempt> {
  const { request, served, options, turn } = update;
  const attributes = attributesOf(room, {
    request,
    served,
    options,
    turn,
    operation: 'UPDATE',
    object,
    oldObject: old,
  });
  const sizeBytes = sizeOf(request, stored);
  return mutated(room, attributes, (candidate) =>
    andThenSliced(sizeBytes, undefined, () =>
      attemptReplace(update, { object: candidate, stored, old }, (next) => {
        attributes.object = candidate;
        return andThenSliced(sizeBytes, undefined, () =>
          validated(room, attributes, () =>
            andThenSliced(sizeBytes, undefined, () => next(attributes.requires)),
          ),
        );
      }),
    ),
  );
}

/** What a change is about: a small patch of a large object is as much work as all of the object. */
export function sizeOf(
  { bodySizeBytes }: AuthenticatedRequest,
  stored: StoredObject | undefined,
): number {
  return Math.max(bodySizeBytes, stored?.json.length ?? 0);
}

type Replacing = Omit<Update, 'turn'>;

/** What stands between the rules of the kind and the log: validating admission. */
export type LastRoom = (
  next: (requires: readonly Requirement[]) => MaybePromise<Attempt>,
) => MaybePromise<Attempt>;

/** For what the server changes on behalf of a request that was admitted as something else. */
export const withoutAdmission: LastRoom = (next) => next([]);

/** Behind mutating admission. */
export function attemptReplace(
  update: Replacing,
  { object, stored, old = parsedObject(stored) as KubeObject }: Replacement, // Ours.
  lastRoom: LastRoom,
): MaybePromise<Attempt> {
  const { request, served, rules } = update;
  const stale = versionProblem(update, object.metadata, stored);
  if (stale !== undefined) return refusal(stale);
  object.metadata.resourceVersion = String(stored.resourceVersion);
  const elsewhere = otherNamespace(old.metadata.namespace ?? '', object.metadata);
  if (elsewhere !== undefined) return refusal(badRequest(elsewhere));
  const sizeBytes = sizeOf(request, stored);
  return andThen(prepareUpdate(served, rules, { object, sizeBytes }, old), (problem) => {
    if (problem !== undefined) return refusal(problem);
    return lastRoom((requires) =>
      andThen(
        warned(request, sizeBytes, () => rules.warningsOnUpdate?.(object, old)),
        () => replaced(update, { object, stored, old }, requires),
      ),
    );
  });
}

function replaced(
  update: Replacing,
  replacement: Required<Replacement>,
  requires: readonly Requirement[],
): MaybePromise<Attempt> {
  const { request, served } = update;
  const { object, stored, old } = replacement;
  const sizeBytes = sizeOf(request, stored);
  const canonical = doneInSlices(sizeBytes, () => {
    remembered(() => served.definition.strategy.canonicalize?.(object));
    return canonicalObject(served, object);
  });
  const json = andThenSliced(sizeBytes, canonical, (settled) => {
    if (isNewInTimesAlone(settled, old)) keepEntries(settled, old);
    return fittingJson(request, settled, sizeBytes);
  });
  return andThenSliced(sizeBytes, json, (fitting) =>
    replacedBy(fitting, update, replacement, requires),
  );
}

function replacedBy(
  json: Buffer,
  { request, served, options }: Replacing,
  { object, stored, old }: Required<Replacement>,
  requires: readonly Requirement[],
): Attempt {
  // What is too large may still become smaller: its finalizers must be able to let go.
  const oversize = json.length > stored.json.length ? sizeProblem(json) : undefined;
  if (oversize !== undefined) return refusal(oversize);
  const type = isGone(served, object, old) ? 'deleted' : 'modified';
  if (options.dryRun) {
    const answer = dryRunAnswer(served, json, 200, stored.resourceVersion);
    return { kind: 'answer', answer };
  }
  if (type === 'modified' && isSameState(stored, json)) {
    return { kind: 'answer', answer: { kind: 'Object', code: 200, served, object: stored } };
  }
  return {
    kind: 'commit',
    change: {
      type,
      resource: stored.resource,
      path: stored.path,
      previousResourceVersion: stored.resourceVersion,
      requires,
      json,
      labels: object.metadata.labels ?? {},
      uid: old.metadata.uid ?? '',
      origin: originOf(request, managerOf({ request, options })),
    },
    answerOf: objectAnswer(served, 200),
  };
}

/** Whether the client knew what it replaces, as far as it has to. */
function versionProblem(
  { request, served }: Replacing,
  { resourceVersion = '' }: ObjectMeta,
  stored: StoredObject,
): Status | undefined {
  const { facts, definition } = served;
  const { name } = request.info;
  const version = resourceVersion === '' ? 0n : parseUint64(resourceVersion);
  if (typeof version === 'string') {
    // Upstream has no answer of its own to a text that is no number.
    const problem = `strconv.ParseUint: parsing ${goQuote(resourceVersion)}: ${version}`;
    return unclassifiedFailure(problem);
  }
  if (version !== 0n) {
    if (version === BigInt(stored.resourceVersion)) return undefined;
    return conflict(facts, name, MODIFIED);
  }
  if (definition.strategy.allowsUnconditionalUpdate) return undefined;
  const error = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
  return invalid(facts, name, [error]);
}

/**
 * The last thing that kept a deleted object has let go.
 *
 * In Kubernetes: ShouldDeleteDuringUpdate, apiserver/pkg/registry/generic/registry/store.go.
 */
function isGone({ definition }: ServedResource, object: KubeObject, old: KubeObject): boolean {
  const { metadata } = object;
  if ((metadata.finalizers?.length ?? 0) > 0) return false;
  if (definition.strategy.isHeldBack?.(object) === true) return false;
  const wasDeleting = old.metadata.deletionTimestamp !== undefined;
  return wasDeleting && (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/** In Kubernetes: checkName, apiserver/pkg/endpoints/handlers/rest.go. */
export function nameMismatch({ metadata }: KubeObject, name: string): string | undefined {
  const said = metadata.name ?? '';
  if (said === name) return undefined;
  if (said === '') {
    const why = 'was undeterminable: name must be provided';
    return `the name of the object (${name} based on URL) ${why}`;
  }
  return `the name of the object (${said}) does not match the name on the URL (${name})`;
}
