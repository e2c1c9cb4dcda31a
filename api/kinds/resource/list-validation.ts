/**
 * Lists and maps of bounded size, whose items are looked at only when there are not too many.
 *
 * In Kubernetes: validateSlice, validateSet and validateMap, pkg/apis/resource/validation.
 */
import { flatMapItems } from '../../json/work-in-slices.ts';
import type { JsonObject } from '../../json/json.ts';
import { duplicateValue, type FieldErrors, tooMany } from '../../field/field-errors.ts';
import { indexPath, keyPath } from '../../field/field-path.ts';
import { repeatsIn } from '../rules/value-validation.ts';

const SHOWN_KEY_MIN = 16;
const ELLIPSIS = '...';

/** `check` is asked about each item, with its path `field[index]`. */
export function validateList<T>(
  field: string,
  items: readonly T[],
  itemsMax: number,
  check: (field: string, item: T) => FieldErrors,
): FieldErrors {
  if (items.length > itemsMax) return [tooMany(field, items.length, itemsMax)];
  return flatMapItems(items, (item, index) => check(indexPath(field, index), item));
}

/** How the items of a list are judged that have a key each. */
export interface SetRules<T> {
  /** A longer list is refused without a look at its items. */
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
  const duplicates = flatMapItems(items, (item, index) => {
    if (repeats[index] !== true) return [];
    return [duplicateValue(indexPath(field, index), shownKeyOf?.(item) ?? keys[index])];
  });
  return [...errors, ...duplicates];
}

/** How the entries of a map are judged. */
export interface MapRules<Item> {
  readonly itemsMax: number;
  /** A longer key is shortened in paths. */
  readonly keyBytesMax: number;
  readonly checkKey: (field: string, key: string) => FieldErrors;
  readonly check: (field: string, item: Item) => FieldErrors;
}

/** What is wrong with a key is said of the whole map. No map is one without entries. */
export function validateMap<Item>(
  field: string,
  map: Readonly<Record<string, Item>> | undefined,
  { itemsMax, keyBytesMax, checkKey, check }: MapRules<Item>,
): FieldErrors {
  const entries = Object.entries(map ?? {});
  if (entries.length > itemsMax) return [tooMany(field, entries.length, itemsMax)];
  return flatMapItems(entries, ([name, item]) => [
    ...checkKey(field, name),
    ...check(keyPath(field, shortened(name, keyBytesMax)), item),
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
