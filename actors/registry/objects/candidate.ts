/**
 * From an object that a client sent to one that could be stored: in the storage version, with the
 * metadata that only the server writes.
 */
import { objectText } from '../../../api/managed-fields/object-text.ts';
import type { Clock, Random } from '../../../api/meta/clock.ts';
import { formatTime } from '../../../api/meta/clock.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { asKubeObject, type KubeObject, type ObjectMeta } from '../../../api/meta/object-meta.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { validateObjectMeta } from '../../../api/validation/object-meta-validation.ts';
import { invalid, type Status } from '../../../api/meta/status.ts';
import { copyJson } from '../../../api/json/json-tree.ts';
import { remembered } from '../../../api/json/work-in-slices.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { Requester, UpdateRules } from '../../../api/kinds/strategy.ts';
import type { FieldErrors } from '../../../api/field/field-errors.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { doneInSlices, LARGE_BYTES, restOf } from '../../request/large-work.ts';
import { changedMetadataErrors } from './changed-metadata.ts';

/** From the version of the request to the one that is stored; the object may be changed. */
export function toStorage({ conversion }: ServedResource, object: KubeObject): KubeObject {
  return conversion === undefined ? object : conversion.toStorage(object);
}

/** What is stored, in the version that this request speaks. It belongs to the caller. */
export function fromStorage(served: ServedResource, stored: StoredObject): KubeObject {
  return intoServed(served, parsedObject(stored)); // Written by this server.
}

/** From the version that is stored to the one that this request speaks; the object may be changed. */
export function intoServed({ conversion }: ServedResource, object: KubeObject): KubeObject {
  return conversion === undefined ? object : conversion.fromStorage(object);
}

/** The same of an object that is not to be changed, and may be given back itself. */
export function shownAs(served: ServedResource, object: KubeObject): KubeObject {
  if (served.conversion === undefined) return object;
  return intoServed(served, copyJson(object)); // The copy is one, too.
}

/** Groups whose objects upstream stores as JSON, and not as protobuf. */
const STORED_AS_JSON: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
]);
const AS_PROTOBUF = { isStored: true } as const;

/** Puts keys into their order and drops what is empty, so that equal objects are equal bytes. */
export function canonicalJson(served: ServedResource, object: KubeObject): Buffer {
  return jsonOf(canonicalObject(served, object));
}

/** As {@link canonicalJson}, for a caller that still wants to look at it. */
export function canonicalObject({ definition }: ServedResource, object: KubeObject): KubeObject {
  const { codec, storage, storageFacts } = definition;
  const { resourceVersion, managedFields } = object.metadata;
  const metadata: JsonObject = object.metadata;
  if (resourceVersion !== undefined) metadata['resourceVersion'] = undefined;
  // Where a type tells the order, the entries are in it already, and stand behind all the others.
  const areInOrder = storageFacts.typeId !== '' && isFilledList(managedFields);
  if (areInOrder) metadata['managedFields'] = undefined;
  try {
    const isJson = storageFacts.typeId === '' || STORED_AS_JSON.has(storageFacts.group);
    const decoded = codec.decode(object, isJson ? undefined : AS_PROTOBUF);
    if (!decoded.ok)
      throw new Error(`what would be stored in ${storage} is none: ${decoded.message}`);
    const canonical = asKubeObject(decoded.value);
    if (areInOrder) canonical.metadata.managedFields = managedFields;
    return canonical;
  } finally {
    // Also where the work on a large object pauses, as it begins again with the object.
    if (resourceVersion !== undefined) metadata['resourceVersion'] = resourceVersion;
    if (areInOrder) metadata['managedFields'] = managedFields;
  }
}

function isFilledList<Item>(value: readonly Item[] | undefined): value is Item[] {
  return value !== undefined && value.length > 0;
}

/**
 * The bytes that are stored. @param canonical in the version of its store, its fields in Go's
 * order.
 */
export function jsonOf(canonical: KubeObject): Buffer {
  return Buffer.from(objectText(canonical));
}

/**
 * The metadata that a new object gets from the server, whatever the client said.
 *
 * In Kubernetes: FillObjectMetaSystemFields, apiserver/pkg/registry/rest/meta.go.
 */
export function stampNew(object: KubeObject, clock: Clock, random: Random): void {
  const { metadata } = object;
  wipeSystemFields(metadata);
  metadata.uid = random.uuid();
  metadata.creationTimestamp = formatTime(clock.now());
}

/** In Kubernetes: WipeObjectMetaSystemFields, apiserver/pkg/registry/rest/meta.go. */
export function wipeSystemFields(metadata: ObjectMeta): void {
  delete metadata.creationTimestamp;
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Finds the rights that the user lacks for the object, when it is prepared. */
export type LackedRights = () => MaybePromise<FieldErrors>;

/** What a write changes, and how much work that may be. */
export interface Preparation {
  /** What would be stored; it may be changed. */
  readonly object: KubeObject;
  /** Large objects are worked on in slices. */
  readonly sizeBytes: number;
  /** Told in one answer with what the rules say; left out: the kind asks for none. */
  readonly rights?: LackedRights | undefined;
}

/**
 * Makes the candidate ready to replace the stored object, by the rules of the object itself or of
 * one of its subresources.
 *
 * In Kubernetes: BeforeUpdate, apiserver/pkg/registry/rest/update.go.
 *
 * @returns what forbids it, or undefined.
 */
export function prepareUpdate(
  served: ServedResource,
  rules: UpdateRules,
  { object, sizeBytes, rights }: Preparation,
  old: KubeObject,
): MaybePromise<Status | undefined> {
  const was = old.metadata;
  setOrDelete(object.metadata, 'generation', was.generation);
  const prepare = (): void => {
    rules.prepareForUpdate(object, old);
  };
  const validate = (lacked: FieldErrors): FieldErrors => {
    const { metadata } = object; // What prepares the object may have put the old one in its place.
    keepSystemFields(metadata, was);
    return [
      ...changedMetadataErrors(served.definition, metadata, was),
      ...lacked,
      ...rules.validateUpdate(object, old),
    ];
  };
  if (sizeBytes >= LARGE_BYTES) {
    return problemInTurns(served, { object, sizeBytes, rights }, { prepare, validate });
  }
  prepare();
  if (rights === undefined) return problemOf(served, object, validate(NONE));
  return andThen(rights(), (lacked) => problemOf(served, object, validate(lacked)));
}

const NONE: FieldErrors = [];

function keepSystemFields(metadata: ObjectMeta, was: ObjectMeta): void {
  if ((metadata.uid ?? '') === '') metadata.uid = was.uid ?? '';
  if (was.creationTimestamp !== undefined) metadata.creationTimestamp = was.creationTimestamp;
  if (was.deletionTimestamp !== undefined) metadata.deletionTimestamp = was.deletionTimestamp;
  const grace = was.deletionGracePeriodSeconds;
  if (grace !== undefined) metadata.deletionGracePeriodSeconds ??= grace;
  delete metadata.selfLink;
}

/** Makes a new object ready to be stored; see {@link prepareUpdate}. */
export function prepareCreate(
  served: ServedResource,
  { object, sizeBytes, rights }: Preparation,
  requester: Requester,
): MaybePromise<Status | undefined> {
  const { strategy, namespaced } = served.definition;
  const prepare = (): void => {
    strategy.prepareForCreate(object, requester);
  };
  const validate = (lacked: FieldErrors): FieldErrors => {
    const { validateName } = strategy;
    const errors = validateObjectMeta(object.metadata, { namespaced, validateName });
    const own = strategy.validate(object, errors);
    return strategy.placesMetadataErrors === true
      ? [...lacked, ...own]
      : [...lacked, ...errors, ...own];
  };
  const canonicalize = (): void => {
    remembered(() => strategy.canonicalize?.(object));
    strategy.readAgain?.(object);
  };
  if (sizeBytes >= LARGE_BYTES) {
    const large = { object, sizeBytes, rights };
    return createdInTurns(served, large, { prepare, validate }, canonicalize);
  }
  prepare();
  const judge = (lacked: FieldErrors): Status | undefined => {
    const problem = problemOf(served, object, validate(lacked));
    if (problem === undefined) canonicalize();
    return problem;
  };
  return rights === undefined ? judge(NONE) : andThen(rights(), judge);
}

async function createdInTurns(
  served: ServedResource,
  preparation: Preparation,
  work: PreparingWork,
  canonicalize: () => void,
): Promise<Status | undefined> {
  const { sizeBytes } = preparation;
  const problem = await problemInTurns(served, preparation, work);
  await restOf(sizeBytes)?.();
  if (problem === undefined) await doneInSlices(sizeBytes, canonicalize);
  return problem;
}

/** What a strategy does with an object: in slices, where the object is large. */
interface PreparingWork {
  readonly prepare: () => void;
  readonly validate: (lacked: FieldErrors) => FieldErrors;
}

async function problemInTurns(
  served: ServedResource,
  { object, sizeBytes, rights }: Preparation,
  { prepare, validate }: PreparingWork,
): Promise<Status | undefined> {
  await doneInSlices(sizeBytes, prepare);
  await restOf(sizeBytes)?.();
  const lacked = (await rights?.()) ?? NONE;
  const errors = await doneInSlices(sizeBytes, () => validate(lacked));
  await restOf(sizeBytes)?.();
  return problemOf(served, object, errors);
}

function problemOf(
  served: ServedResource,
  object: KubeObject,
  errors: FieldErrors,
): Status | undefined {
  if (errors.length === 0) return undefined;
  const about = served.custom === undefined ? kindOf(served) : saidKindOf(object);
  return invalid(about, object.metadata.name ?? '', errors);
}

/** What a custom object says of itself, even where that is what is wrong. */
function saidKindOf({ apiVersion, kind }: KubeObject) {
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), resource: kind };
}

/** What Invalid speaks of is the kind, where other failures speak of the resource. */
export function kindOf({ definition }: ServedResource): { group: string; resource: string } {
  const { group, kind } = definition.storageFacts;
  return { group, resource: kind };
}

function setOrDelete<K extends keyof ObjectMeta>(
  metadata: ObjectMeta,
  key: K,
  value: ObjectMeta[K],
): void {
  if (value === undefined) Reflect.deleteProperty(metadata, key);
  else metadata[key] = value;
}
