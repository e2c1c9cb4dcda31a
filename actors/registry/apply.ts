/**
 * PATCH with an apply configuration: server-side apply. What somebody wants of an object is merged
 * into it field by field; what he wanted before and does not want any more goes; what others manage
 * is a conflict, unless he forces it. Where there is no object, one is made of it.
 *
 * In Kubernetes: applyPatcher, apiserver/pkg/endpoints/handlers/patch.go.
 */
import { managedApply } from '../../api/managed-fields/field-manager.ts';
import type { Applied, ManagedResource } from '../../api/managed-fields/managed-resource.ts';
import { formatTime } from '../../api/meta/clock.ts';
import type { JsonObject } from '../../api/meta/json.ts';
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import {
  applyConflict,
  badRequest,
  conflict,
  notFound,
  unclassifiedFailure,
  type Status,
} from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type { Answer } from '../answer.ts';
import { andThenSliced, doneInSlices, restOf } from '../large-work.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { candidateOf, fromStorage, toStorage } from './candidate.ts';
import { refusal, writeObject, type Attempt } from './commit-answer.ts';
import { keyOf, namespaceMismatch } from './create.ts';
import { managedResource } from './managed-fields.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import { readConfiguration, type Configuration } from './read-configuration.ts';
import { warnOf } from './strict-decoding.ts';
import type { Turn } from './turn.ts';
import { attemptUpdate, createByUpdate, nameMismatch, rulesOf, sizeOf } from './update.ts';
import type { WriteRoom } from './write-room.ts';

export function apply(
  room: WriteRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  readConfiguration(room, request, done, (configuration) => {
    const { namespace, name } = request.info;
    const key = keyOf(served, namespace, name);
    const attempt = (turn: Turn): MaybePromise<Attempt> =>
      attemptApply(room, { request, served, configuration }, turn, key);
    writeObject(room, { key, deadline: request.deadline, request, attempt }, done);
  });
}

export interface Application {
  readonly request: AuthenticatedRequest;
  /** The resource in the version of the configuration. */
  readonly served: ServedResource;
  readonly configuration: Configuration;
}

function attemptApply(
  room: WriteRoom,
  application: Application,
  turn: Turn,
  key: { readonly resource: string; readonly path: string },
): MaybePromise<Attempt> {
  const { request, served, configuration } = application;
  const { options } = configuration;
  const { name, subresource } = request.info;
  const rules = rulesOf(served, subresource);
  const stored = room.objects.get(key.resource, key.path);
  if (stored === undefined && subresource !== '') return refusal(notFound(served.facts, name));
  const live = stored === undefined ? undefined : fromStorage(served, stored);
  const resource = managedResource(served, subresource);
  return andThen(appliedObject(room, application, resource, live), (applied) => {
    if (!applied.ok) return refusal(applied.status);
    const { object } = applied;
    const uid = object.metadata.uid ?? '';
    if (stored === undefined && uid !== '') return refusal(uidMismatch(served, name, uid));
    const mismatch = namespaceMismatch(request, served, object) ?? nameMismatch(object, name);
    if (mismatch !== undefined) return refusal(badRequest(mismatch));
    dropDuplicateOwners(request, object, 'result');
    const update = { request, served, rules, options, turn };
    return andThenSliced(sizeOf(request, stored), undefined, () => {
      const sizeBytes = sizeOf(request, stored);
      const defaulted = doneInSlices(sizeBytes, () => served.setDefaults?.(object));
      return andThen(defaulted, () => {
        const candidate = toStorage(served, object);
        return stored === undefined
          ? createByUpdate(room, update, candidate)
          : attemptUpdate(room, update, { object: candidate, stored });
      });
    });
  });
}

export type AppliedObject =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly status: Status };

/**
 * What the configuration makes of the live object, with its managers: of its type, without its
 * defaults. What it made may share parts with the live object, which is not to be used any more.
 *
 * @param live in the version of the configuration; undefined when there is no object yet.
 */
export function appliedObject(
  room: Pick<WriteRoom, 'clock'>,
  { request, served, configuration }: Application,
  resource: ManagedResource,
  live: JsonObject | undefined,
): MaybePromise<AppliedObject> {
  const { options, yamlProblem } = configuration;
  const sizeBytes = request.bodySizeBytes;
  const applied = managedApply(resource, {
    live,
    applied: configuration.applied(),
    manager: options.fieldManager,
    force: options.force,
    now: formatTime(room.clock.now()),
    rest: restOf(sizeBytes),
  });
  return andThenSliced(sizeBytes, applied, (result): AppliedObject => {
    if (!result.ok) return { ok: false, status: statusOf(result) };
    const strict = yamlProblem === '' ? '' : `error converting YAML to JSON: ${yamlProblem}`;
    if (strict !== '' && options.fieldValidation === 'Strict') {
      return { ok: false, status: badRequest(`error strict decoding YAML: ${strict}`) };
    }
    if (strict !== '') warnOf(request, [strict]);
    const candidate = candidateOf(served, result.object);
    if (candidate.ok) return candidate;
    const { misfit, status } = candidate;
    if (misfit === undefined) return { ok: false, status };
    const what = 'failed to convert new typed object to object';
    return { ok: false, status: unclassifiedFailure(`${what}: ${misfit}`) };
  });
}

function statusOf(refused: Extract<Applied, { readonly ok: false }>): Status {
  switch (refused.reason) {
    case 'Conflict':
      return applyConflict(refused.message, refused.conflicts);
    case 'BadRequest':
      return badRequest(refused.message);
    case 'Unknown':
      return unclassifiedFailure(refused.message);
  }
}

function uidMismatch({ facts }: ServedResource, name: string, uid: string): Status {
  const why = `the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(facts, name, `uid mismatch: ${why}`);
}
