/**
 * The scale subresource: how many replicas, whatever the kind. What a write asks for becomes an
 * ordinary update of the object, with all its rules.
 *
 * In Kubernetes: ScaleREST of each workload's storage.
 */
import {
  badRequest,
  conflict,
  invalid,
  notFound,
  type GroupResource,
  type Status,
} from '../../api/meta/status.ts';
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { parseUpdateOptions } from '../../api/meta/options.ts';
import { failedPrecondition } from '../../api/meta/preconditions.ts';
import { copyJson } from '../../api/patch/json-tree.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { typedCodec } from '../../api/scheme/typed-json.ts';
import type { CommittedEvent, StoredObject } from '../../streams/event.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { attributesOf, mutated, validated } from './admitted.ts';
import { appliedObject } from './apply.ts';
import { refusal, writeObject, type Attempt } from './commit-answer.ts';
import { keyOf, namespaceMismatch } from './create.ts';
import type { ManagedWrite } from './managed-fields.ts';
import {
  managedScale,
  managedScaleUpdate,
  replicasPathsOf,
  SCALE_TYPE,
  withParentEntries,
  withScaleEntries,
} from './managed-scale.ts';
import { patchedValue, readPatch } from './patch.ts';
import { readCandidate } from './read-candidate.ts';
import { isApply, readConfiguration } from './read-configuration.ts';
import { scaleErrors, shownScale, withScale, writtenScale, type ScaleRead } from './scale-view.ts';
import type { Turn } from './turn.ts';
import { attemptReplace, nameMismatch, type Update } from './update.ts';
import { whenShown } from './when-shown.ts';
import type { ReadRoom, WriteRoom } from './write-room.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
/** Under this name Scales have columns. */
const SCALES = { group: 'autoscaling', resource: 'scale' };

export function getScale(
  room: ReadRoom,
  { info }: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  const key = keyOf(served, info.namespace, info.name);
  const stored = room.objects.get(key.resource, key.path);
  if (stored === undefined) {
    done(statusAnswer(notFound(scaleResource(served), info.name)));
    return;
  }
  whenShown(room, { served, objects: [stored] }, done, ([object = stored]) => {
    done(shown(served, object));
  });
}

export function updateScale(
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
  const { fieldValidation } = options;
  readCandidate(room, { request, served: speakingScale(served), fieldValidation }, done, (sent) => {
    const wanted = (live: () => KubeObject): MaybePromise<ScaleRead> =>
      managedRead(room, { request, options }, live(), sent());
    writeScale(room, { request, served, options }, wanted, done);
  });
}

export function patchScale(
  room: WriteRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  const spoken = speakingScale(served);
  if (isApply(request)) {
    readConfiguration(room, request, done, (configuration) => {
      const application = { request, served: spoken, configuration };
      const wanted = (live: () => KubeObject): MaybePromise<ScaleRead> =>
        appliedObject(room, application, managedScale, live());
      writeScale(room, { request, served, options: configuration.options }, wanted, done);
    });
    return;
  }
  readPatch(room, { request, typeId: SCALE_TYPE }, done, (read) => {
    const { options } = read;
    const wanted = (live: () => KubeObject): MaybePromise<ScaleRead> => {
      const patched = patchedValue(request, spoken, live(), read);
      return patched.ok ? managedRead(room, { request, options }, live(), patched.object) : patched;
    };
    writeScale(room, { request, served, options }, wanted, done);
  });
}

/** @param live the scale before. */
function managedRead(
  room: WriteRoom,
  write: Omit<ManagedWrite, 'served'>,
  live: KubeObject,
  scale: KubeObject,
): MaybePromise<ScaleRead> {
  const managed = managedScaleUpdate(room, write, live, scale);
  return andThen(managed, (object): ScaleRead => ({ ok: true, object }));
}

/** The same resource, whose objects are read as scales. */
function speakingScale(served: ServedResource): ServedResource {
  const { group, version, kind } = SCALE;
  const facts = { ...served.facts, group, version, kind, typeId: SCALE_TYPE };
  return { ...served, facts, apiVersion: `${group}/${version}`, codec: typedCodec(SCALE_TYPE) };
}

function writeScale(
  room: WriteRoom,
  { request, served, options }: Omit<Update, 'rules' | 'turn'>,
  wanted: (live: () => KubeObject) => MaybePromise<ScaleRead>,
  done: (answer: Answer) => void,
): void {
  const { info } = request;
  const key = keyOf(served, info.namespace, info.name);
  const rules = served.definition.strategy;
  const paths = replicasPathsOf(served);
  const attempt = (turn: Turn): MaybePromise<Attempt> => {
    const stored = room.objects.get(key.resource, key.path);
    if (stored === undefined) return refusal(notFound(served.facts, info.name));
    const current = parsedObject(stored) as KubeObject; // Written by this server.
    const view = writtenScale(served, current);
    if (!view.ok) return refusal(view.status);
    // Each gets a scale of its own, which he may change.
    const copy = (): KubeObject => copyJson(view.object) as KubeObject;
    const live = (): KubeObject => withScaleEntries(copy(), current, paths);
    return andThen(wanted(live), (read) => {
      if (!read.ok) return refusal(read.status);
      const attributes = attributesOf(room, {
        ...{ request, served, options, turn, kind: SCALE },
        operation: 'UPDATE',
        object: read.object,
        oldObject: view.object,
      });
      return mutated(room, attributes, (scale) => {
        const problem = problemOf(request, served, scale, current);
        if (problem !== undefined) return refusal(problem);
        const scaled = withScale(served, current, scale);
        if (!scaled.ok) return refusal(scaled.status);
        const { object } = scaled;
        withParentEntries(object, served, scale, paths);
        const update = { request, served, rules, options, turn };
        // What is admitted is the scale: validating admission does not see its object either.
        const replacement = { object, stored, old: current };
        const replaced = attemptReplace(update, replacement, (next) =>
          validated(room, attributes, () => next(attributes.requires)),
        );
        return andThen(replaced, (done) => asScale(served, done));
      });
    });
  };
  writeObject(room, { key, deadline: request.deadline, request, attempt }, done);
}

/** Why this scale cannot be that of the object, or undefined. */
function problemOf(
  request: AuthenticatedRequest,
  served: ServedResource,
  scale: KubeObject,
  { metadata }: KubeObject,
): Status | undefined {
  const { name } = request.info;
  const mismatch = namespaceMismatch(request, served, scale) ?? nameMismatch(scale, name);
  if (mismatch !== undefined) return badRequest(mismatch);
  const errors = scaleErrors(served, scale);
  const { group, kind } = SCALE;
  if (errors.length > 0) return invalid({ group, resource: kind }, name, errors);
  const uid = scale.metadata.uid ?? '';
  const wanted = uid === '' ? undefined : { uid, resourceVersion: undefined };
  const failed = failedPrecondition(wanted, metadata);
  return failed === undefined ? undefined : conflict(scaleResource(served), name, failed);
}

function scaleResource({ facts }: ServedResource): GroupResource {
  return { group: facts.group, resource: `${facts.resource}/scale` };
}

/** The same attempt, whose answer shows the scale of the object instead of the object. */
function asScale(served: ServedResource, attempt: Attempt): Attempt {
  if (attempt.kind === 'commit') {
    return { ...attempt, answerOf: ({ object }: CommittedEvent) => shown(served, object) };
  }
  const { answer } = attempt;
  if (answer.kind === 'Object') return { kind: 'answer', answer: shown(served, answer.object) };
  if (answer.kind !== 'Value') return attempt;
  // A dry run shows an object of this kind.
  return {
    kind: 'answer',
    answer: scaleAnswer(served, shownScale(served, answer.value as KubeObject)),
  };
}

function shown(served: ServedResource, stored: StoredObject): Answer {
  return scaleAnswer(served, shownScale(served, parsedObject(stored) as KubeObject)); // Written by a server.
}

function scaleAnswer({ custom }: ServedResource, read: ScaleRead): Answer {
  if (!read.ok) return statusAnswer(read.status);
  return {
    kind: 'Value',
    code: 200,
    typeId: SCALE_TYPE,
    value: read.object,
    printedAs: SCALES,
    ...(custom === undefined ? {} : { goType: 'v1.Scale' }),
  };
}
