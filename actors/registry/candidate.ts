/**
 * From what a client sent to an object that could be stored: typed, defaulted, in the storage
 * version, with the metadata that only the server writes.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import { formatTime } from '../../api/meta/clock.ts';
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../../api/meta/json.ts';
import type { KubeObject, ObjectMeta } from '../../api/meta/object-meta.ts';
import { validateObjectMetaUpdate } from '../../api/meta/object-meta-validation-update.ts';
import { validateObjectMeta } from '../../api/meta/object-meta-validation.ts';
import { badRequest, invalid, type Status } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type { Requester, UpdateRules } from '../../api/scheme/strategy.ts';
import { typeIdOfKind } from '../../api/scheme/type-facts.ts';
import type { StoredObject } from '../../streams/event.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';

export type Candidate =
  | {
      readonly ok: true;
      readonly object: KubeObject;
      /** As `unknown field "spec.foo"`. */
      readonly unknownFields: readonly string[];
    }
  | {
      readonly ok: false;
      readonly status: Status;
      /** Why the value does not fit the type, where that is what is wrong. */
      readonly misfit?: string;
    };

/**
 * Reads the value as an object of this resource and version. Fields nobody knows are dropped.
 * The object may share parts with the value, so neither is to be used when the other was changed.
 *
 * In Kubernetes: the decoder of the request scope and transformDecodeError,
 * apiserver/pkg/endpoints/handlers.
 */
export function candidateOf(served: ServedResource, value: JsonValue): Candidate {
  const { facts, apiVersion } = served;
  if (!isJsonObject(value)) return misfitting(served, 'json: cannot unmarshal into Go value');
  const kind = stringAt(value, 'kind') || facts.kind;
  const saidVersion = stringAt(value, 'apiVersion') || apiVersion;
  if (kind !== facts.kind) {
    return misfitting(served, unknownConversion(served, saidVersion, kind), value);
  }
  if (saidVersion !== apiVersion) {
    const message =
      `the API version in the data (${saidVersion}) ` +
      `does not match the expected API version (${apiVersion})`;
    return { ok: false, status: badRequest(message) };
  }
  const decoded = served.codec.decode(value, { collectUnknown: true });
  if (!decoded.ok) return misfitting(served, decoded.message);
  const object = asKubeObject(served, decoded.value);
  return { ok: true, object, unknownFields: decoded.unknownFields };
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

function asKubeObject({ facts, apiVersion }: ServedResource, value: JsonObject): KubeObject {
  value['kind'] = facts.kind;
  value['apiVersion'] = apiVersion;
  value['metadata'] ??= {};
  return value as KubeObject; // The three lines above make it one.
}

/** Defaults of the version it was sent in, then the version it is stored in. */
export function toStorage(served: ServedResource, object: KubeObject): KubeObject {
  served.setDefaults?.(object);
  return served.conversion === undefined ? object : served.conversion.toStorage(object);
}

/** The stored object in the version that this request speaks. */
export function fromStorage(served: ServedResource, stored: StoredObject): KubeObject {
  const object = parsedObject(stored) as KubeObject; // Written by this server.
  return served.conversion === undefined ? object : served.conversion.fromStorage(object);
}

/** Puts keys into their order and drops what is empty, so that equal objects are equal bytes. */
export function canonicalJson({ definition }: ServedResource, object: KubeObject): Buffer {
  const { codec, storage } = definition;
  const decoded = codec.decode(object);
  if (!decoded.ok)
    throw new Error(`what would be stored in ${storage} is none: ${decoded.message}`);
  const metadata = decoded.value['metadata'] as ObjectMeta; // Every candidate has it.
  delete metadata.resourceVersion;
  return Buffer.from(JSON.stringify(decoded.value));
}

/**
 * The metadata that a new object gets from the server, whatever the client said.
 *
 * In Kubernetes: FillObjectMetaSystemFields, apiserver/pkg/registry/rest/meta.go.
 */
export function stampNew(object: KubeObject, clock: Clock, random: Random): void {
  const { metadata } = object;
  metadata.uid = random.uuid();
  metadata.creationTimestamp = formatTime(clock.now());
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  delete metadata['managedFields'];
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
  object: KubeObject,
  old: KubeObject,
): Status | undefined {
  const { metadata } = object;
  const was = old.metadata;
  setOrDelete(metadata, 'generation', was.generation);
  rules.prepareForUpdate(object, old);
  if ((metadata.uid ?? '') === '') metadata.uid = was.uid ?? '';
  if (was.creationTimestamp !== undefined) metadata.creationTimestamp = was.creationTimestamp;
  if (was.deletionTimestamp !== undefined) metadata.deletionTimestamp = was.deletionTimestamp;
  const grace = was.deletionGracePeriodSeconds;
  if (grace !== undefined) metadata.deletionGracePeriodSeconds ??= grace;
  delete metadata.selfLink;
  delete metadata['managedFields'];

  const { definition } = served;
  const errors = [
    ...validateObjectMeta(metadata, {
      namespaced: definition.namespaced,
      validateName: definition.strategy.validateName,
    }),
    ...validateObjectMetaUpdate(metadata, was),
    ...rules.validateUpdate(object, old),
  ];
  if (errors.length === 0) return undefined;
  return invalid(kindOf(served), metadata.name ?? '', errors);
}

/** Makes a new object ready to be stored; see {@link prepareUpdate}. */
export function prepareCreate(
  served: ServedResource,
  object: KubeObject,
  requester: Requester,
): Status | undefined {
  const { strategy, namespaced } = served.definition;
  strategy.prepareForCreate(object, requester);
  const errors = [
    ...validateObjectMeta(object.metadata, { namespaced, validateName: strategy.validateName }),
    ...strategy.validate(object),
  ];
  if (errors.length > 0) return invalid(kindOf(served), object.metadata.name ?? '', errors);
  strategy.canonicalize?.(object);
  return undefined;
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
