/**
 * DELETE of one object.
 *
 * In Kubernetes: DeleteResource, apiserver/pkg/endpoints/handlers/delete.go, and Store.Delete.
 */
import { isJsonObject } from '../../api/meta/json.ts';
import { conflict, forbidden, notFound, success } from '../../api/meta/status.ts';
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { DeleteOptions } from '../../api/meta/delete-options.ts';
import { parseDeleteOptions } from '../../api/meta/options-delete.ts';
import type { ParsedOptions } from '../../api/meta/options.ts';
import { failedDeletePrecondition } from '../../api/meta/preconditions.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { isSameState, parsedObject } from '../../projections/objects/stored-object.ts';
import type { CommittedEvent, Requirement, StoredObject } from '../../streams/event.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { attributesOf, validated } from './admitted.ts';
import { canonicalJson } from './candidate.ts';
import { originOf, refusal, writeObject, type Attempt } from './commit-answer.ts';
import { keyOf } from './create.ts';
import { prepareDelete } from './deletion.ts';
import { guarded } from './guarded.ts';
import { decodeBody } from './read-candidate.ts';
import { dryRunAnswer } from './dry-run.ts';
import type { Turn } from './turn.ts';
import { BODY_BYTES_MAX, type WriteRoom } from './write-room.ts';

const STATUS_TYPE = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';

export function remove(
  room: WriteRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  readDeleteOptions(room, request, done, (options) => {
    const { namespace, name } = request.info;
    const { facts, definition } = served;
    const refused = definition.strategy.deleteRefusal?.(name);
    if (refused !== undefined) {
      done(statusAnswer(forbidden(facts, name, refused)));
      return;
    }
    warnOfDelete(request, served, options);
    removeObject(room, { request, served, options }, { namespace, name }, done);
  });
}

/** Tells the client what the kind has to say of a delete with these options. */
export function warnOfDelete(
  request: AuthenticatedRequest,
  { definition }: ServedResource,
  options: DeleteOptions,
): void {
  for (const sentence of definition.strategy.warningsOnDelete?.(options) ?? []) {
    request.warn(sentence);
  }
}

export interface Removal {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly options: DeleteOptions;
}

export function removeObject(
  room: WriteRoom,
  removal: Removal,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  done: (answer: Answer) => void,
): void {
  const { request, served } = removal;
  const key = keyOf(served, namespace, name);
  const attempt = (turn: Turn): MaybePromise<Attempt> => {
    const stored = room.objects.get(key.resource, key.path);
    if (stored === undefined) return refusal(notFound(served.facts, name));
    return attemptDelete(room, { turn, ...removal }, stored, name);
  };
  writeObject(room, { key, deadline: request.deadline, request, attempt }, done);
}

/** From the body, or where there is none from the query; what is wrong with them is answered. */
export function readDeleteOptions(
  room: WriteRoom,
  request: AuthenticatedRequest,
  done: (answer: Answer) => void,
  ready: (options: DeleteOptions) => void,
): void {
  const optionsIn = (bytes: Buffer): ParsedOptions<DeleteOptions> => {
    if (bytes.length === 0) return parseDeleteOptions(request.query, undefined);
    const decoded = decodeBody(room, request, bytes);
    if (!decoded.ok) return decoded;
    if (isJsonObject(decoded.value)) request.record?.requested(decoded.value);
    return parseDeleteOptions('', decoded.value);
  };
  request.readBody(
    BODY_BYTES_MAX,
    guarded(room, done, (body) => {
      if (!body.ok) {
        done(statusAnswer(body.status));
        return;
      }
      const parsed = optionsIn(body.bytes);
      if (parsed.ok) ready(parsed.options);
      else done(statusAnswer(parsed.status));
    }),
  );
}

function attemptDelete(
  room: WriteRoom,
  removal: Removal & { readonly turn: Turn },
  stored: StoredObject,
  name: string,
): MaybePromise<Attempt> {
  const { request, served, options, turn } = removal;
  const { definition } = served;
  const object = parsedObject(stored) as KubeObject; // Written by this server.
  const failed = failedDeletePrecondition(options.preconditions, object.metadata);
  if (failed !== undefined) {
    const { group, kind } = definition.storageFacts;
    return refusal(conflict({ group, resource: kind }, name, failed));
  }
  const deletion = prepareDelete(definition.strategy, object, options, room.clock);
  if (deletion === 'pending') return { kind: 'answer', answer: unchangedAnswer(removal, stored) };
  const decided = { stored, object, deletion, name };
  const operation = 'DELETE';
  const { subresource } = request.info;
  if (!room.admission.concerns({ served, operation, subresource })) {
    return deleted(removal, decided, []);
  }
  const attributes = attributesOf(room, {
    object: undefined,
    oldObject: parsedObject(stored) as KubeObject, // As it is before the deletion changed it.
    ...{ request, served, options, turn, operation },
  });
  const next = (): Attempt => deleted(removal, decided, attributes.requires);
  return andThen(room.admission.mutate(attributes), (problem) =>
    problem === undefined ? validated(room, attributes, next) : refusal(problem),
  );
}

interface Decided {
  readonly stored: StoredObject;
  /** As the deletion leaves it. */
  readonly object: KubeObject;
  readonly deletion: ReturnType<typeof prepareDelete>;
  readonly name: string;
}

/** Of an object that stays; the old way to say Background is told that it has to wait. */
function stayingCode({ options }: Removal): number {
  return options.orphanDependents === false ? 202 : 200;
}

function unchangedAnswer(removal: Removal, stored: StoredObject): Answer {
  return {
    kind: 'Object',
    code: stayingCode(removal),
    served: removal.served,
    object: stored,
  };
}

function deleted(
  removal: Removal,
  { stored, object, deletion, name }: Decided,
  requires: readonly Requirement[],
): Attempt {
  const { request, served, options } = removal;
  const { definition, facts } = served;
  const uid = object.metadata.uid ?? '';
  const json = canonicalJson(served, object);
  const removed = deletion === 'remove';
  const code = removed ? 200 : stayingCode(removal);
  const gone = goneAnswer(facts, name, uid);
  const showsObject = !removed || definition.strategy.returnsDeletedObject;
  if (options.dryRun) {
    const shown = dryRunAnswer(served, json, code, stored.resourceVersion);
    return { kind: 'answer', answer: showsObject ? shown : gone };
  }
  if (!removed && isSameState(stored, json)) {
    return { kind: 'answer', answer: unchangedAnswer(removal, stored) };
  }
  return {
    kind: 'commit',
    change: {
      type: removed ? 'deleted' : 'modified',
      resource: stored.resource,
      path: stored.path,
      previousResourceVersion: stored.resourceVersion,
      requires,
      json,
      labels: object.metadata.labels ?? {},
      uid,
      origin: originOf(request, ''),
    },
    answerOf: ({ object: committed }: CommittedEvent): Answer =>
      showsObject ? { kind: 'Object', code, served, object: committed } : gone,
  };
}

/** The one Status that says no code: it is an object that was answered, not a failure. */
function goneAnswer(
  { group, resource }: ServedResource['facts'],
  name: string,
  uid: string,
): Answer {
  const details = { name, ...(group === '' ? {} : { group }), kind: resource, uid };
  const { code, ...value } = success(details);
  return { kind: 'Value', code, typeId: STATUS_TYPE, value };
}
