/**
 * From what a client sent to an object that could be stored: typed, defaulted, in the storage
 * version, with the metadata that only the server writes.
 */
import { formatJson } from '../../../api/json/json-text.ts';
import type { Clock, Random } from '../../../api/meta/clock.ts';
import { formatTime } from '../../../api/meta/clock.ts';
import {
  isJsonObject,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../../api/json/json.ts';
import { asKubeObject, type KubeObject, type ObjectMeta } from '../../../api/meta/object-meta.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { validateObjectMeta } from '../../../api/validation/object-meta-validation.ts';
import { badRequest, invalid, type Status } from '../../../api/meta/status.ts';
import { copyJson } from '../../../api/json/json-tree.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { Requester, UpdateRules } from '../../../api/kinds/strategy.ts';
import type { FieldErrors } from '../../../api/field/field-errors.ts';
import { typeIdOfKind } from '../../../api/scheme/type-facts.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { doneInSlices, LARGE_BYTES, restOf } from '../../request/large-work.ts';
import { repeatSentences, yamlSentences } from './strict-decoding.ts';
import { changedMetadataErrors } from './changed-metadata.ts';
import type { Repeats } from '../write-context.ts';

export type Candidate =
  | {
      readonly ok: true;
      readonly object: KubeObject;
      /** As `unknown field "spec.foo"` and `duplicate field "spec.bar"`. */
      readonly strictErrors: readonly string[];
    }
  | {
      readonly ok: false;
      readonly status: Status;
      /** Why the value does not fit the type, where that is what is wrong. */
      readonly misfit?: string;
    };

/**
 * Reads the value as an object of this resource and version. Unknown fields are dropped.
 * The object may share parts with the value, so neither is to be used when the other was changed.
 *
 * In Kubernetes: the decoder of the request scope and transformDecodeError,
 * apiserver/pkg/endpoints/handlers.
 */
export function candidateOf(
  served: ServedResource,
  value: JsonValue,
  repeats?: Repeats,
): Candidate {
  const { facts, apiVersion } = served;
  if (!isJsonObject(value)) return misfitting(served, 'json: cannot unmarshal into Go value');
  const isCustom = served.custom !== undefined;
  if (isCustom && stringAt(value, 'kind') === '') return withoutKind(served, value);
  const kind = stringAt(value, 'kind') || facts.kind;
  const saidVersion = stringAt(value, 'apiVersion') || (isCustom ? '' : apiVersion);
  // Custom resources have no types to tell apart: their rules say what kind there must be.
  if (kind !== facts.kind && !isCustom) {
    return misfitting(served, unknownConversion(served, saidVersion, kind), value);
  }
  if (saidVersion !== apiVersion) {
    const message =
      `the API version in the data (${saidVersion}) ` +
      `does not match the expected API version (${apiVersion})`;
    return { ok: false, status: badRequest(message) };
  }
  const decoded = served.codec.decode(value, { collectUnknown: true, repeated: repeats?.keys });
  if (!decoded.ok) return misfitting(served, decoded.message);
  const object = named(served, decoded.value);
  keepEmptyManagers(object, value);
  const { unknownFields } = decoded;
  if (repeats === undefined) return { ok: true, object, strictErrors: unknownFields };
  // A codec that reads by a schema knows plain values only, and does not tell of repeats itself.
  const told = facts.typeId === '' ? repeatSentences(value, repeats) : yamlSentences(repeats);
  return { ok: true, object, strictErrors: [...told, ...unknownFields] };
}

function misfitting(served: ServedResource, misfit: string, said?: JsonObject): Candidate {
  return { ok: false, status: cannotBeHandled(served, misfit, said), misfit };
}

/** @param said what the client sent, where it says of itself what it is. */
export function cannotBeHandled(
  { facts }: ServedResource,
  why: string,
  said: JsonObject = {},
): Status {
  const kind = stringAt(said, 'kind') || facts.kind;
  const version = versionIn(stringAt(said, 'apiVersion')) || facts.version;
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${facts.kind}: ${why}`);
}

/** In Go's words, which name the types by their packages. */
function unknownConversion({ facts }: ServedResource, apiVersion: string, kind: string): string {
  if (typeIdOfKind(apiVersion, kind) === undefined) {
    const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';
    return `no kind "${kind}" is registered for version "${apiVersion}" ${scheme}`;
  }
  const [internal] = facts.group === '' ? ['core'] : facts.group.split('.');
  const said = `${versionIn(apiVersion)}.${kind}`;
  return `converting (${said}) to (${internal ?? ''}.${facts.kind}): unknown conversion`;
}

/** `v1` of `apps/v1`. */
function versionIn(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** In Kubernetes: NewMissingKindErrWithBody, as transformDecodeError shows it. */
function withoutKind({ facts }: ServedResource, value: JsonObject): Candidate {
  const why = `Object 'Kind' is missing in '${formatJson(value)}'`;
  const message = `the object provided is unrecognized (must be of type ${facts.kind}): ${why}`;
  return { ok: false, status: badRequest(message), misfit: why };
}

function named({ facts, apiVersion, custom }: ServedResource, value: JsonObject): KubeObject {
  if (custom === undefined) value['kind'] = facts.kind;
  value['apiVersion'] = apiVersion;
  value['metadata'] ??= {};
  return asKubeObject(value);
}

/** An empty list of managers takes them all away, where none says nothing; a type drops both. */
function keepEmptyManagers({ metadata }: KubeObject, said: JsonObject): void {
  const managers = objectAt(said, 'metadata')?.['managedFields'];
  if (Array.isArray(managers) && managers.length === 0) metadata['managedFields'] = [];
}

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
    const decoded = codec.decode(object);
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
  return Buffer.from(formatJson(canonical));
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

/** What a write changes, and how much work that may be. */
export interface Preparation {
  readonly object: KubeObject;
  readonly sizeBytes: number;
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
  { object, sizeBytes }: Preparation,
  old: KubeObject,
): MaybePromise<Status | undefined> {
  const was = old.metadata;
  setOrDelete(object.metadata, 'generation', was.generation);
  const prepare = (): void => {
    rules.prepareForUpdate(object, old);
  };
  const validate = (): FieldErrors => {
    const { metadata } = object; // What prepares the object may have put the old one in its place.
    keepSystemFields(metadata, was);
    return [
      ...changedMetadataErrors(served.definition, metadata, was),
      ...rules.validateUpdate(object, old),
    ];
  };
  if (sizeBytes >= LARGE_BYTES) {
    return problemInTurns(served, { object, sizeBytes }, { prepare, validate });
  }
  prepare();
  return problemOf(served, object, validate());
}

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
  { object, sizeBytes }: Preparation,
  requester: Requester,
): MaybePromise<Status | undefined> {
  const { strategy, namespaced } = served.definition;
  const prepare = (): void => {
    strategy.prepareForCreate(object, requester);
  };
  const validate = (): FieldErrors => {
    const { validateName } = strategy;
    const errors = validateObjectMeta(object.metadata, { namespaced, validateName });
    const own = strategy.validate(object, errors);
    return strategy.placesMetadataErrors === true ? own : [...errors, ...own];
  };
  const canonicalize = (): void => strategy.canonicalize?.(object);
  if (sizeBytes >= LARGE_BYTES) {
    return createdInTurns(served, { object, sizeBytes }, { prepare, validate }, canonicalize);
  }
  prepare();
  const problem = problemOf(served, object, validate());
  if (problem === undefined) canonicalize();
  return problem;
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
  readonly validate: () => FieldErrors;
}

async function problemInTurns(
  served: ServedResource,
  { object, sizeBytes }: Preparation,
  { prepare, validate }: PreparingWork,
): Promise<Status | undefined> {
  await doneInSlices(sizeBytes, prepare);
  await restOf(sizeBytes)?.();
  const errors = await doneInSlices(sizeBytes, validate);
  await restOf(sizeBytes)?.();
  return problemOf(served, object, errors);
}

function problemOf(
  served: ServedResource,
  { metadata }: KubeObject,
  errors: FieldErrors,
): Status | undefined {
  return errors.length === 0 ? undefined : invalid(kindOf(served), metadata.name ?? '', errors);
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
