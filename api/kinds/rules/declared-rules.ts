/**
 * The checks that newer kinds are declared with. A field that an update leaves as it was is not judged
 * again, so what an older server took can be kept.
 *
 * In Kubernetes: apimachinery/pkg/api/validate, whose calls are generated from `+k8s:` tags.
 */
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
  tooMany,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import type { Int64 } from '../../json/go-values.ts';
import type { JsonObject } from '../../json/json.ts';
import { flatMapItems } from '../../json/work-in-slices.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  pathSegmentProblems,
  withFormat,
} from '../../meta/names.ts';
import { sameValue } from './same-value.ts';
import { invalidFor, repeatsIn } from './value-validation.ts';

const POOL_NAME_BYTES_MAX = 253;
const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const CASELESS_SENTENCE = withFormat(
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and " +
    'end with an alphanumeric character',
  SUBDOMAIN,
  ['Example.com'],
);

/** What is wrong with the field `key` of `owner`; nothing where `old` has the same. */
export function ofField<Owner extends JsonObject, Key extends keyof Owner & string>(
  owner: Owner,
  old: Owner | undefined,
  key: Key,
  check: (value: Owner[Key], old: Owner[Key] | undefined) => FieldErrors,
): FieldErrors {
  const value = owner[key];
  const isSame = old !== undefined && sameValue(value, old[key]);
  return isSame ? [] : check(value, old?.[key]);
}

/** Required, and right in another way. */
export function given(
  field: string,
  value: string | undefined,
  check: (field: string, value: string) => FieldErrors,
): FieldErrors {
  return value === undefined || value === '' ? [required(field)] : check(field, value);
}

/** `k8s-short-name`. */
export function shortName(field: string, value: string): FieldErrors {
  return invalidFor(field, value, inBytes(dns1123LabelProblems(value)));
}

/** `k8s-long-name`. */
export function longName(field: string, value: string): FieldErrors {
  return invalidFor(field, value, inBytes(dns1123SubdomainProblems(value)));
}

/** `k8s-long-name-caseless`. */
export function longNameOfAnyCase(field: string, value: string): FieldErrors {
  const problems = inBytes(dns1123SubdomainProblems(value.toLowerCase()));
  const told = problems.map((one) => (one.endsWith('bytes') ? one : CASELESS_SENTENCE));
  return invalidFor(field, value, told);
}

/** `k8s-path-segment-name`. */
export function pathSegment(field: string, value: string): FieldErrors {
  return invalidFor(field, value, pathSegmentProblems(value));
}

/** `k8s-resource-pool-name`: long names with slashes between them. */
export function poolName(field: string, value: string): FieldErrors {
  const isLong = Buffer.byteLength(value) > POOL_NAME_BYTES_MAX;
  return [
    ...(isLong ? [tooLong(field, POOL_NAME_BYTES_MAX)] : []),
    ...flatMapItems(value.split('/'), (part, index) => {
      const segment = `segment ${String(index)}: `;
      if (part === '') return [invalidValue(field, value, `${segment}must not be empty`)];
      const problems = inBytes(dns1123SubdomainProblems(part));
      return problems.map((one) => invalidValue(field, part, `${segment}${one}`));
    }),
  ];
}

/** Which numbers a field may have; both are among them. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** A number that is there lies between the bounds. */
export function within(field: string, value: Int64 | undefined, bounds: Bounds): FieldErrors {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = bounds;
  if (value === undefined) return [];
  if (value > max) {
    return [invalidValue(field, value, `must be less than or equal to ${String(max)}`)];
  }
  if (value >= min) return [];
  return [invalidValue(field, value, `must be greater than or equal to ${String(min)}`)];
}

/** Said of a field that has changed. */
export function unchangeable(field: string): FieldErrors {
  return [invalidValue(field, null, 'field is immutable')];
}

/** Said of a field that is set while its feature is off. */
export function switchedOff(field: string): FieldErrors {
  return [forbiddenField(field, '')];
}

/** Exactly one of the members is set. */
export function exactlyOneOf<Member extends string>(
  field: string,
  owner: Readonly<Partial<Record<Member, unknown>>>,
  members: readonly Member[],
): FieldErrors {
  const set = members.filter((key) => owner[key] !== undefined && owner[key] !== null);
  if (set.length === 1) return [];
  const quoted = (keys: readonly string[]): string => keys.map((key) => `\`${key}\``).join(', ');
  if (set.length === 0) {
    return [invalidValue(field, '', `must specify one of: ${quoted(members)}`)];
  }
  const detail = `must specify exactly one of: ${quoted(members)}`;
  return [invalidValue(field, `{${set.join(', ')}}`, detail)];
}

/** How the items of a declared list are judged. */
export interface ListRules<Item> {
  readonly itemsMax: number;
  /** Two items may not have one key, and an item is compared with the old one of its key; no keys. */
  readonly keyOf?: (item: Item) => string;
  readonly check?: (field: string, item: Item, old: Item | undefined) => FieldErrors;
}

/** No item is looked at of a list that is too long. */
export function declaredList<Item extends JsonObject>(
  field: string,
  list: readonly Item[],
  oldList: readonly Item[],
  { itemsMax, keyOf, check }: ListRules<Item>,
): FieldErrors {
  if (list.length > itemsMax) return [tooMany(field, list.length, itemsMax)];
  const keys = keyOf === undefined ? [] : list.map(keyOf);
  const repeats = repeatsIn(keys);
  const olds = new Map(keyOf === undefined ? [] : oldList.map((one) => [keyOf(one), one] as const));
  const duplicates = flatMapItems(list, (item, index) =>
    repeats[index] === true ? [duplicateValue(indexPath(field, index), { ...item })] : [],
  );
  if (check === undefined) return duplicates;
  return [
    ...duplicates,
    ...flatMapItems(list, (item, index) => {
      const old = olds.get(keys[index] ?? '');
      if (old !== undefined && sameValue(item, old)) return [];
      return check(indexPath(field, index), item, old);
    }),
  ];
}

/** Declared rules count bytes, and say so. */
function inBytes(problems: readonly string[]): readonly string[] {
  return problems.map((one) => one.replace(/ characters$/, ' bytes'));
}
