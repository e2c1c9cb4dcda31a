/**
 * Lists and maps of bounded size, whose items are looked at only when there are not too many.
 *
 * In Kubernetes: validateSlice, validateSet and validateMap, pkg/apis/resource/validation.
 */
import { isJsonObject, objectAt, type JsonObject } from '../../json/json.ts';
import { duplicateValue, tooMany, type FieldErrors } from '../../field/field-errors.ts';
import { indexPath, keyPath } from '../../field/field-path.ts';
import { repeatsIn } from '../rules/repeats.ts';

const SHOWN_KEY_MIN = 16;
const ELLIPSIS = '...';

export function validateList<T>(
  field: string,
  items: readonly T[],
  itemsMax: number,
  check: (field: string, item: T) => FieldErrors,
): FieldErrors {
  if (items.length > itemsMax) return [tooMany(field, items.length, itemsMax)];
  return items.flatMap((item, index) => check(indexPath(field, index), item));
}

export interface SetRules<T> {
  readonly itemsMax: number;
  readonly keyOf: (item: T) => string;
  /** What is shown of a key that is there twice; the key itself unless said. */
  readonly shownKeyOf?: (item: T) => JsonObject;
  readonly check: (field: string, item: T) => FieldErrors;
}

/** As {@link validateList}, and no two items may have the same key. */
export function validateSet<T>(
  field: string,
  items: readonly T[],
  { itemsMax, keyOf, shownKeyOf, check }: SetRules<T>,
): FieldErrors {
  const errors = validateList(field, items, itemsMax, check);
  if (items.length > itemsMax) return errors;
  const keys = items.map(keyOf);
  const repeats = repeatsIn(keys);
  const duplicates = items.flatMap((item, index) => {
    if (repeats[index] !== true) return [];
    return [duplicateValue(indexPath(field, index), shownKeyOf?.(item) ?? keys[index])];
  });
  return [...errors, ...duplicates];
}

export interface MapRules {
  readonly itemsMax: number;
  /** A longer key is shortened in paths. */
  readonly keyBytesMax: number;
  readonly checkKey: (field: string, key: string) => FieldErrors;
  readonly check: (field: string, item: JsonObject) => FieldErrors;
}

/** The map at `key` of `parent`. What is wrong with a key is said of the whole map. */
export function validateMap(
  field: string,
  parent: JsonObject,
  key: string,
  { itemsMax, keyBytesMax, checkKey, check }: MapRules,
): FieldErrors {
  const entries = Object.entries(objectAt(parent, key) ?? {});
  if (entries.length > itemsMax) return [tooMany(field, entries.length, itemsMax)];
  return entries.flatMap(([name, value]) => [
    ...checkKey(field, name),
    ...check(keyPath(field, shortened(name, keyBytesMax)), isJsonObject(value) ? value : {}),
  ]);
}

function shortened(key: string, bytesMax: number): string {
  const max = Math.max(bytesMax, SHOWN_KEY_MIN);
  const bytes = Buffer.from(key);
  if (bytes.length <= max) return key;
  const remaining = max - ELLIPSIS.length;
  const head = bytes.subarray(0, Math.floor((remaining + 1) / 2));
  const tail = bytes.subarray(bytes.length - Math.floor(remaining / 2));
  return `${head.toString()}${ELLIPSIS}${tail.toString()}`;
}
