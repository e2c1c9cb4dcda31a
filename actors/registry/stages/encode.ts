/**
 * The bytes of an object as they are stored. A write that changes nothing writes nothing: a manager
 * that applies the same configuration again is entered with a new time all the same, and if that is
 * all there is to it, it is taken back.
 *
 * In Kubernetes: IgnoreManagedFieldsTimestampsTransformer,
 * apiserver/pkg/endpoints/handlers/fieldmanager/equality.go.
 */
import { items } from '../../../api/json/go-values.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type { ManagedFieldsEntry } from '../../../api/generated/kinds/meta-v1.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { isEqualJson } from '../../../api/json/json-tree.ts';
import { formatJsonInParts } from '../../../api/json/json-parts.ts';
import { remembered } from '../../../api/json/work-in-slices.ts';
import { requestEntityTooLarge, type Status } from '../../../api/meta/status.ts';
import { noteProposed } from '../../../projections/objects/written-values.ts';
import { doneInSlices, inSlices, LARGE_BYTES } from '../../request/large-work.ts';
import { canonicalJson, canonicalObject, jsonOf } from '../objects/candidate.ts';
import { isApply } from './read-patch.ts';
import { slicedStage, type StageResult } from '../stage.ts';
import {
  type HasExisting,
  type HasJson,
  type HasObject,
  type HasOptions,
  type HasRequirements,
  noted,
  type Received,
  type WriteOptions,
} from '../write.ts';
import { BODY_BYTES_MAX } from '../write-context.ts';

/**
 * Whether nothing but times of entries of metadata.managedFields tells the objects apart. Both are
 * canonical; the one that is stored has a resourceVersion besides.
 */
export function isNewInTimesAlone(object: KubeObject, old: KubeObject): boolean {
  const now = items(object.metadata.managedFields);
  const before = items(old.metadata.managedFields);
  if (now.length !== before.length) return false;
  if (now.every(({ time }, index) => time === before[index]?.time)) return false;
  return (
    isEqualBut('metadata', object, old) &&
    isEqualMetadata(object.metadata, old.metadata) &&
    now.every((entry, index) => isSameEntry(entry, before[index]))
  );
}

/** Gives the object the entries of the other one. */
function keepEntries({ metadata }: KubeObject, old: KubeObject): void {
  const { managedFields } = old.metadata;
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
}

function isSameEntry(one: ManagedFieldsEntry, other: ManagedFieldsEntry | undefined): boolean {
  return other !== undefined && isEqualBut('time', one, other);
}

function isEqualMetadata(one: JsonObject, other: JsonObject): boolean {
  const { resourceVersion: _, ...stored } = other;
  return isEqualBut('managedFields', one, stored);
}

function isEqualBut(key: string, one: JsonObject, other: JsonObject): boolean {
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((name) => name === key || isEqualJson(one[name], other[name]))
  );
}

type Admitted = Received & HasOptions<WriteOptions> & HasObject & HasRequirements;

/** The bytes of a new object; those of a large one are made in slices. */
export const encodeNew = slicedStage<Admitted, Admitted & HasJson, KubeObject>('encode', {
  work: ({ served, object }) => canonicalObject(served, object),
  take: encoded,
});

/** The bytes of an object that is about to go, whatever their size; those of a large one are made in slices. */
export function canonicalBytes(
  served: ServedResource,
  object: KubeObject,
  sizeBytes: number,
): MaybePromise<Buffer> {
  if (sizeBytes < LARGE_BYTES) return canonicalJson(served, object);
  const canonical = doneInSlices(sizeBytes, () => canonicalObject(served, object));
  return (async () => inSlices(formatJsonInParts(await canonical)))();
}

/**
 * The last thing that kept a deleted object has let go.
 *
 * In Kubernetes: ShouldDeleteDuringUpdate, apiserver/pkg/registry/generic/registry/store.go.
 */
export function isLetGo(
  { definition }: ServedResource,
  object: KubeObject,
  old: KubeObject,
): boolean {
  const { metadata } = object;
  if ((metadata.finalizers?.length ?? 0) > 0) return false;
  if (definition.strategy.isHeldBack?.(object) === true) return false;
  const wasDeleting = old.metadata.deletionTimestamp !== undefined;
  return wasDeleting && (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

type AdmittedReplacement = Admitted & HasExisting;

/**
 * The bytes of a changed object, or those that are stored where nothing but times of managers would
 * change.
 */
export const encodeReplacement = slicedStage<
  AdmittedReplacement,
  AdmittedReplacement & HasJson,
  KubeObject
>('encode', {
  work({ served, object, old }) {
    const { strategy } = served.definition;
    if (strategy.canonicalize !== undefined) remembered(() => strategy.canonicalize?.(object));
    // Its client is shown what goes as it was sent.
    if (strategy.readAgain !== undefined && !isLetGo(served, object, old)) {
      remembered(() => strategy.readAgain?.(object));
    }
    return canonicalObject(served, object);
  },
  take(write, canonical) {
    if (isNewInTimesAlone(canonical, write.old)) keepEntries(canonical, write.old);
    return encoded(write, canonical);
  },
});

function encoded<Write extends Received & HasOptions<WriteOptions>>(
  write: Write,
  canonical: KubeObject,
): StageResult<Write & HasJson> {
  if (write.sizeBytes < LARGE_BYTES) {
    const json = jsonOf(canonical);
    if (fits(write, canonical, json)) {
      if (write.served.custom === undefined) noteProposed(write.request, json, canonical);
      return noted(write, { json });
    }
    delete canonical.metadata.managedFields;
  }
  return encodedInTurns(write, canonical);
}

async function encodedInTurns<Write extends Received & HasOptions<WriteOptions>>(
  write: Write,
  canonical: KubeObject,
): Promise<Write & HasJson> {
  const json = await inSlices(formatJsonInParts(canonical));
  if (fits(write, canonical, json)) return noted(write, { json });
  delete canonical.metadata.managedFields;
  return noted(write, { json: await inSlices(formatJsonInParts(canonical)) });
}

/**
 * Whether these bytes of the object are taken. An object that is too large is written without its
 * managers, unless the request is all about them; {@link sizeProblem} refuses what is too large then.
 *
 * In Kubernetes: isTooLargeError, apiserver/pkg/endpoints/handlers/rest.go.
 */
function fits(
  { request, options }: Received & HasOptions<WriteOptions>,
  { metadata }: KubeObject,
  json: Buffer,
): boolean {
  if (sizeProblem(json, options) === undefined) return true;
  return metadata.managedFields === undefined || isApply(request);
}

/**
 * What says that an object has grown too large for the log, patch by patch or by its defaults; what
 * a delete adds to an object always fits. In Kubernetes it is etcd that refuses, which a dry run does
 * not reach.
 */
export function sizeProblem(
  json: Uint8Array,
  { dryRun }: Pick<WriteOptions, 'dryRun'>,
): Status | undefined {
  if (dryRun || json.length <= BODY_BYTES_MAX) return undefined;
  return requestEntityTooLarge(`limit is ${String(BODY_BYTES_MAX)}`);
}
