/**
 * The way from client-side to server-side apply: what kubectl noted of its last client-side apply
 * says which conflicts are with itself, and is kept up to date as long as it is there.
 *
 * In Kubernetes: lastAppliedManager and lastAppliedUpdater,
 * apimachinery/pkg/util/managedfields/internal.
 */
import { parseJson } from '../json/json-text.ts';
import { compareValues } from '../merge/compare-values.ts';
import type { TypedObject } from '../merge/converting.ts';
import { difference, isEmptySet, union, type FieldSet } from '../merge/field-set.ts';
import type { ConflictingFields } from '../merge/managers.ts';
import { toFieldSet } from '../merge/typed-field-sets.ts';
import { validateValue } from '../merge/validate-value.ts';
import { isJsonObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../json/json.ts';
import { ANNOTATIONS_BYTES_MAX } from '../validation/object-meta-validation-content.ts';
import { compareGoStrings, goJson } from '../json/go-format.ts';
import { DEPTH_MAX, isDeeperThan } from '../json/json-tree.ts';

/** Other managers do not take part in this. */
export const KUBECTL = 'kubectl';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The conflicts that are with something else than kubectl's own last client-side apply. */
export function conflictsWithOthers(
  conflicts: ConflictingFields,
  live: TypedObject,
): ConflictingFields {
  const own = fieldsLastApplied(live);
  if (own === undefined) return conflicts;
  const others = new Map<string, FieldSet>();
  for (const [manager, set] of conflicts) {
    const left = difference(set, own);
    if (!isEmptySet(left)) others.set(manager, left);
  }
  return others;
}

/** The fields that still are as they were applied; undefined where that cannot be known. */
function fieldsLastApplied({ object, type, apiVersion }: TypedObject): FieldSet | undefined {
  const applied = parseObject(stringAt(annotationsOf(object), LAST_APPLIED));
  if (applied === undefined || stringAt(applied, 'apiVersion') !== apiVersion) return undefined;
  if (stringAt(applied, 'kind') === '') return undefined;
  if (validateValue(object, type) !== undefined) return undefined;
  if (validateValue(applied, type) !== undefined) return undefined;
  const { modified, added, removed } = compareValues({ before: applied, after: object }, type);
  const changed = union(union(modified, added), removed);
  return difference(toFieldSet(applied, type), changed);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text); // JSON.parse gives nothing else.
    return isJsonObject(value) && !isDeeperThan(value, DEPTH_MAX) ? value : undefined;
  } catch {
    return undefined;
  }
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(object, 'metadata'), 'annotations');
}

/** The object with what was just applied in its annotation, if it has that annotation. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (annotations === undefined || stringAt(annotations, LAST_APPLIED) === '') return object;
  const noted = { ...annotations, [LAST_APPLIED]: `${sortedJson(withoutNote(applied))}\n` };
  const { [LAST_APPLIED]: _, ...others } = annotations;
  const kept = sizeOf(noted) > ANNOTATIONS_BYTES_MAX ? others : noted;
  return { ...object, metadata: { ...objectAt(object, 'metadata'), annotations: kept } };
}

function withoutNote(applied: JsonObject): JsonObject {
  const metadata = objectAt(applied, 'metadata');
  const annotations = annotationsOf(applied);
  if (metadata === undefined || !('annotations' in metadata)) return applied;
  const { annotations: _, ...rest } = metadata;
  const isText = (value: JsonValue | undefined): boolean => typeof value === 'string';
  if (annotations === undefined || !Object.values(annotations).every(isText)) {
    return { ...applied, metadata: rest };
  }
  const { [LAST_APPLIED]: _note, ...others } = annotations;
  return { ...applied, metadata: { ...metadata, annotations: others } };
}

/** As Go writes a map, with sorted keys. */
function sortedJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isJsonObject(value)) return goJson(value);
  const fields = Object.keys(value)
    .sort(compareGoStrings)
    .flatMap((key) => {
      const field = value[key];
      return field === undefined ? [] : [`${goJson(key)}:${sortedJson(field)}`];
    });
  return `{${fields.join(',')}}`;
}

function sizeOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (size, [key, value]) =>
      size + Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0),
    0,
  );
}
