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
  unclassifiedFailure,
  type Status,
} from '../../api/meta/status.ts';
import { generatedName as nameFrom } from '../../api/meta/generated-name.ts';
import { objectAt } from '../../api/meta/json.ts';
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { KubeObject, ObjectMeta } from '../../api/meta/object-meta.ts';
import { parseCreateOptions, type CreateOptions } from '../../api/meta/options.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { tooLong } from '../../api/schema/field-errors.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { pathOf, type Requirement, type StoredObject } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import type { AdmissionAttributes } from '../admission/admission-attributes.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import { andThenSliced, doneInSlices } from '../large-work.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { attributesOf, mutated, validated } from './admitted.ts';
import { canonicalObject, kindOf, prepareCreate, stampNew, wipeSystemFields } from './candidate.ts';
import {
  fittingJson,
  objectAnswer,
  originOf,
  refusal,
  sizeProblem,
  writeObject,
  type Attempt,
} from './commit-answer.ts';
import { dryRunAnswer } from './dry-run.ts';
import { managedForStorage, managerOf } from './managed-fields.ts';
import { readCandidate } from './read-candidate.ts';
import type { Turn } from './turn.ts';
import type { WriteRoom } from './write-room.ts';

const NEVER = resourceVersion(0);
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
  readCandidate(room, { request, served, fieldValidation }, done, (sent) => {
    const object = sent();
    const mismatch = namespaceMismatch(request, served, object);
    if (mismatch !== undefined) {
      done(statusAnswer(badRequest(mismatch)));
      return;
    }
    let first: KubeObject | undefined = object;
    const next = (): KubeObject => {
      const candidate = first ?? sent();
      namespaceMismatch(request, served, candidate);
      first = undefined;
      return candidate;
    };
    const { name = '', generateName = '' } = object.metadata;
    const names: Names = { given: name, base: generateName, tries: NAME_TRIES };
    createObject(room, { request, served, options, next, names }, done);
  });
}

/** How a new object comes by its name. */
interface Names {
  /** '' when it is to be generated. */
  readonly given: string;
  readonly base: string;
  /** That are left, for generated names. */
  readonly tries: number;
}

interface NewObject extends Omit<Creation, 'object' | 'turn'> {
  /** Gives each attempt an object of its own, in the version of the request. */
  readonly next: () => KubeObject;
  readonly names: Names;
}

function createObject(room: WriteRoom, making: NewObject, done: (answer: Answer) => void): void {
  const { request, served, options, next, names } = making;
  const { given, base, tries } = names;
  const isGenerated = given === '' && base !== '';
  const name = isGenerated ? nameFrom(base, room.random) : given || unnamed(room, served);
  const key = keyOf(served, request.info.namespace, name);
  const attempt = (turn: Turn): MaybePromise<Attempt> => {
    const taken = isGenerated ? room.objects.get(key.resource, key.path) : undefined;
    if (taken !== undefined) {
      return refusal(nameTaken(served, { name, generateName: base }, taken));
    }
    const candidate = next();
    wipeSystemFields(candidate.metadata);
    return andThen(managedForStorage(room, making, candidate, undefined), (object) =>
      attemptCreate(room, { request, served, object, options, turn, generated: { name, base } }),
    );
  };
  const answered = (answer: Answer): void => {
    const isTaken =
      isGenerated && answer.kind === 'Status' && answer.status.reason === 'AlreadyExists';
    if (!isTaken || tries <= 1) done(answer);
    else createObject(room, { ...making, names: { given, base, tries: tries - 1 } }, done);
  };
  writeObject(room, { key, deadline: request.deadline, request, attempt }, answered);
}

export interface Creation {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  /** In the storage version; changed by the creation. */
  readonly object: KubeObject;
  readonly options: Pick<CreateOptions, 'dryRun' | 'fieldManager'>;
  readonly turn: Turn;
  /** The name it gets behind mutating admission, which sees no name then, and what it is made of. */
  readonly generated?: { readonly name: string; readonly base: string } | undefined;
}

/** One attempt to create, for whoever holds the key; also what PUT does where nothing is. */
export function attemptCreate(room: WriteRoom, creation: Creation): MaybePromise<Attempt> {
  const { request, served, object: candidate, options, turn } = creation;
  const { name = '' } = candidate.metadata;
  const attributes = attributesOf(room, {
    request,
    served,
    options,
    turn,
    operation: 'CREATE',
    object: candidate,
    oldObject: undefined,
    name: name === '' ? request.info.name : name,
  });
  return mutated(room, attributes, (object) => {
    const problem = misplaced(room, creation, object);
    if (problem !== undefined) return refusal(problem);
    return andThenSliced(request.bodySizeBytes, undefined, () =>
      attemptAdmitted(room, { request, served, object, options }, attributes),
    );
  });
}

/**
 * Gives a new object its name, where admission left it to be generated, and sees that it stays
 * where the request put it. A POST may get another name from admission, a PUT may not.
 *
 * In Kubernetes: Store.create and BeforeCreate; that a PUT is stored under the name on its URL,
 * whatever name it has got, is not followed (docs/decisions/0047-admission-moves-nothing.md).
 */
function misplaced(
  { random }: Pick<WriteRoom, 'random'>,
  { request, served, generated }: Creation,
  object: KubeObject,
): Status | undefined {
  const { metadata } = object;
  const { generateName = '' } = metadata;
  if ((metadata.name ?? '') === '' && generateName !== '') {
    if (generated === undefined) {
      return internalError(new Error('metadata.name was not generated'));
    }
    metadata.name =
      generated.base === generateName ? generated.name : nameFrom(generateName, random);
  }
  const elsewhere = namespaceMismatch(request, served, object);
  if (elsewhere !== undefined) return badRequest(elsewhere);
  if ((metadata.name ?? '') === '' && strategyNames(served)) {
    metadata.name = generated?.name ?? random.uuid();
  }
  const { name = '' } = metadata;
  if (generated !== undefined || name === '' || name === request.info.name) return undefined;
  return badRequest(
    `the name of the object (${name}) does not match the name on the URL (${request.info.name})`,
  );
}

function strategyNames({ definition }: ServedResource): boolean {
  return definition.strategy.isNamedByUuid === true;
}

/** The name of an object that has none, and none to begin with. */
function unnamed({ random }: Pick<WriteRoom, 'random'>, served: ServedResource): string {
  return strategyNames(served) ? random.uuid() : '';
}

type AdmittedCreation = Pick<Creation, 'request' | 'served' | 'object' | 'options'>;

/** Behind mutating admission, which may even have given another name than the key is held of. */
function attemptAdmitted(
  room: WriteRoom,
  creation: AdmittedCreation,
  attributes: AdmissionAttributes,
): MaybePromise<Attempt> {
  const { request, served, object } = creation;
  const { strategy } = served.definition;
  const sizeBytes = request.bodySizeBytes;
  stampNew(object, room.clock, room.random);
  return andThen(
    warned(request, sizeBytes, () => strategy.warningsBeforeCreate?.(object)),
    () =>
      andThen(prepareCreate(served, { object, sizeBytes }, request.user), (problem) =>
        problem === undefined ? attemptPrepared(room, creation, attributes) : refusal(problem),
      ),
  );
}

/** Tells the client what a kind has to say about a write of so many bytes. */
export function warned(
  request: AuthenticatedRequest,
  sizeBytes: number,
  sentencesOf: () => readonly string[] | undefined,
): MaybePromise<void> {
  return andThen(doneInSlices(sizeBytes, sentencesOf), (sentences = []) => {
    for (const sentence of sentences) request.warn(sentence);
  });
}

function attemptPrepared(
  room: WriteRoom,
  creation: AdmittedCreation,
  attributes: AdmissionAttributes,
): MaybePromise<Attempt> {
  const { request, served, object } = creation;
  const { metadata } = object;
  const { definition } = served;
  const name = metadata.name ?? '';
  const key = keyOf(served, request.info.namespace, name);
  if (Buffer.byteLength(key.path) > PATH_BYTES_MAX) {
    return refusal(invalid(kindOf(served), name, [tooLong('metadata.name', PATH_BYTES_MAX)]));
  }
  // Upstream's store says so, which a dry run does not reach.
  const isStoring = request.info.verb === 'create' && !creation.options.dryRun;
  if (isStoring && Number(metadata.resourceVersion ?? '') > 0) {
    const message = 'resourceVersion should not be set on objects to be created';
    return refusal(unclassifiedFailure(message));
  }
  attributes.object = object;
  const { bodySizeBytes } = request;
  const last = (): MaybePromise<Attempt> => {
    const existing = room.objects.get(key.resource, key.path);
    if (existing !== undefined) return refusal(nameTaken(served, metadata, existing));
    return andThen(
      warned(request, bodySizeBytes, () => definition.strategy.warningsOnCreate?.(object)),
      () => written(creation, key, attributes.requires),
    );
  };
  return andThenSliced(bodySizeBytes, undefined, () =>
    validated(room, attributes, () => andThenSliced(bodySizeBytes, undefined, last)),
  );
}

function written(
  creation: AdmittedCreation,
  key: { readonly resource: string; readonly path: string },
  requires: readonly Requirement[],
): MaybePromise<Attempt> {
  const { request, served, object } = creation;
  const { bodySizeBytes } = request;
  const canonical = doneInSlices(bodySizeBytes, () => canonicalObject(served, object));
  const json = andThenSliced(bodySizeBytes, canonical, (settled) =>
    fittingJson(request, settled, bodySizeBytes),
  );
  return andThenSliced(bodySizeBytes, json, (fitting) =>
    writtenAs(creation, { key, requires, json: fitting }),
  );
}

interface CreatedBytes {
  readonly key: { readonly resource: string; readonly path: string };
  readonly requires: readonly Requirement[];
  readonly json: Buffer;
}

function writtenAs(
  { request, served, object, options }: AdmittedCreation,
  { key, requires, json }: CreatedBytes,
): Attempt {
  const { metadata } = object;
  const oversize = sizeProblem(json);
  if (oversize !== undefined) return refusal(oversize);
  if (options.dryRun) return { kind: 'answer', answer: dryRunAnswer(served, json, 201) };
  return {
    kind: 'commit',
    change: {
      type: 'added',
      ...key,
      previousResourceVersion: NEVER,
      requires,
      json,
      labels: metadata.labels ?? {},
      uid: metadata.uid ?? '',
      origin: originOf(request, managerOf({ request, options })),
    },
    answerOf: objectAnswer(served, 201),
  };
}

export function keyOf({ definition }: ServedResource, namespace: string, name: string) {
  const { storage, namespaced } = definition;
  return { resource: storage, path: pathOf(namespaced ? namespace : '', name) };
}

/** As {@link otherNamespace}, for the place that the request names. */
export function namespaceMismatch(
  { info }: AuthenticatedRequest,
  { definition }: ServedResource,
  { metadata }: KubeObject,
): string | undefined {
  return otherNamespace(definition.namespaced ? info.namespace : '', metadata);
}

/**
 * Why an object of this metadata cannot stand in the namespace; '' for cluster scope. Metadata that
 * names none gets the namespace, and in cluster scope whatever it names goes.
 *
 * In Kubernetes: EnsureObjectNamespaceMatchesRequestNamespace, apiserver/pkg/registry/rest/meta.go.
 */
export function otherNamespace(expected: string, metadata: ObjectMeta): string | undefined {
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

/** Whoever names a base for the name is told that the server could not find one. */
function nameTaken(
  { facts }: ServedResource,
  { name = '', generateName = '' }: ObjectMeta,
  existing: StoredObject,
): Status {
  const about = { group: facts.group, resource: facts.resource };
  const status =
    generateName === '' ? alreadyExists(about, name) : generateNameConflict(about, name);
  const isGoing = objectAt(parsedObject(existing), 'metadata')?.['deletionTimestamp'] !== undefined;
  if (!isGoing) return status;
  return { ...status, message: `object is being deleted: ${status.message ?? ''}` };
}
