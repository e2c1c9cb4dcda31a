/**
 * POST: a new object, under a name that was given or is generated.
 *
 * In Kubernetes: createHandler, apiserver/pkg/endpoints/handlers/create.go, and Store.Create.
 */
import {
  alreadyExists,
  badRequest,
  generateNameConflict,
  internalError,
  invalid,
} from '../../api/meta/status.ts';
import type { Random } from '../../api/meta/clock.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { parseCreateOptions, type CreateOptions } from '../../api/meta/options.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { tooLong } from '../../api/schema/field-errors.ts';
import { pathOf } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { statusAnswer, type Answer, type AuthenticatedRequest } from '../request.ts';
import { canonicalJson, kindOf, prepareCreate, stampNew, toStorage } from './candidate.ts';
import { objectAnswer, originOf, refusal, writeObject, type Attempt } from './commit-answer.ts';
import { dryRunAnswer } from './dry-run.ts';
import { checkNamespace } from './namespace-check.ts';
import { readCandidate } from './read-candidate.ts';
import type { WriteRoom } from './write-room.ts';

const NEVER = resourceVersion(0);
// Without vowels and what looks like them, so that no words come about.
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const GENERATED_NAME_MAX = 63;
const NAME_TRIES = 8;
/** Kinds that take any path segment for a name have no limit of their own; an index key has. */
const PATH_BYTES_MAX = 1_024;

export function create(
  room: WriteRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  const parsed = parseCreateOptions(request.query);
  if (!parsed.ok) {
    done(statusAnswer(parsed.status));
    return;
  }
  const { options } = parsed;
  const { fieldValidation } = options;
  readCandidate(room, { request, served, fieldValidation }, (read) => {
    if (!read.ok) {
      done(statusAnswer(read.status));
      return;
    }
    const object = toStorage(served, read.object);
    const mismatch = namespaceMismatch(request, served, object);
    if (mismatch !== undefined) {
      done(statusAnswer(badRequest(mismatch)));
      return;
    }
    createObject(room, { request, served, object, options }, NAME_TRIES, done);
  });
}

export interface Creation {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  /** In the storage version; changed by the creation. */
  readonly object: KubeObject;
  readonly options: Pick<CreateOptions, 'dryRun' | 'fieldManager'>;
}

/** Also what PUT and apply do where there is nothing to update. `tries` is for generated names. */
function createObject(
  room: WriteRoom,
  creation: Creation,
  tries: number,
  done: (answer: Answer) => void,
): void {
  const { request, served, object } = creation;
  const { metadata } = object;
  const generated = (metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '';
  if (generated) metadata.name = generatedName(metadata.generateName ?? '', room.random);
  const key = keyOf(served, request.info.namespace, metadata.name ?? '');
  const attempt = (): Attempt => {
    if (generated && room.objects.get(key.resource, key.path) !== undefined) {
      return { kind: 'answer', answer: nameTaken(served, metadata.name ?? '') };
    }
    return attemptCreate(room, creation, key);
  };
  const answered = (answer: Answer): void => {
    const taken = generated && answer.kind === 'Status' && answer.status.reason === 'AlreadyExists';
    if (!taken || tries <= 1) {
      done(answer);
      return;
    }
    delete metadata.name;
    createObject(room, creation, tries - 1, done);
  };
  writeObject(room, { key, deadline: request.deadline, attempt }, answered);
}

/** One attempt to create, for whoever holds the key. */
export function attemptCreate(
  room: WriteRoom,
  { request, served, object, options }: Creation,
  key: { readonly resource: string; readonly path: string },
): Attempt {
  const { metadata } = object;
  const { definition, facts } = served;
  const name = metadata.name ?? '';
  if ((metadata.resourceVersion ?? '') !== '') {
    return refusal(internalError('resourceVersion should not be set on objects to be created'));
  }
  if (Buffer.byteLength(key.path) > PATH_BYTES_MAX) {
    return refusal(invalid(kindOf(served), name, [tooLong('metadata.name', PATH_BYTES_MAX)]));
  }
  const about = { group: facts.group, resource: facts.resource, name };
  const namespace = request.info.namespace;
  const check = definition.namespaced
    ? checkNamespace(room.objects, namespace, about)
    : ({ ok: true, requires: [] } as const);
  if (!check.ok) return refusal(check.status);
  stampNew(object, room.clock, room.random);
  const problem = prepareCreate(served, object);
  if (problem !== undefined) return refusal(problem);
  if (room.objects.get(key.resource, key.path) !== undefined) {
    return refusal(alreadyExists(about, name));
  }
  for (const sentence of definition.strategy.warningsOnCreate?.(object) ?? []) {
    request.warn(sentence);
  }
  const json = canonicalJson(served, object);
  if (options.dryRun) return { kind: 'answer', answer: dryRunAnswer(served, json, 201) };
  return {
    kind: 'commit',
    change: {
      type: 'added',
      ...key,
      previousResourceVersion: NEVER,
      requires: check.requires,
      json,
      labels: metadata.labels ?? {},
      uid: metadata.uid ?? '',
      origin: originOf(request, options.fieldManager),
    },
    answerOf: objectAnswer(served, 201),
  };
}

export function keyOf({ definition }: ServedResource, namespace: string, name: string) {
  const { storage, namespaced } = definition;
  return { resource: storage, path: pathOf(namespaced ? namespace : '', name) };
}

/** In Kubernetes: EnsureObjectNamespaceMatchesRequestNamespace, apiserver/pkg/registry/rest/meta.go. */
export function namespaceMismatch(
  { info }: AuthenticatedRequest,
  { definition }: ServedResource,
  { metadata }: KubeObject,
): string | undefined {
  const expected = definition.namespaced ? info.namespace : '';
  const said = metadata.namespace ?? '';
  if (said === expected || said === '') {
    if (expected !== '') metadata.namespace = expected;
    return undefined;
  }
  if (expected === '') {
    delete metadata.namespace;
    return undefined;
  }
  return 'the namespace of the provided object does not match the namespace sent on the request';
}

function nameTaken({ facts }: ServedResource, name: string): Answer {
  const about = { group: facts.group, resource: facts.resource };
  return statusAnswer(generateNameConflict(about, name));
}

function generatedName(base: string, random: Random): string {
  let name = base.slice(0, GENERATED_NAME_MAX - SUFFIX_LENGTH);
  for (let index = 0; index < SUFFIX_LENGTH; index += 1) {
    name += SUFFIX_ALPHABET[random.integer(SUFFIX_ALPHABET.length)] ?? '';
  }
  return name;
}
