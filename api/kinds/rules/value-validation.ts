/**
 * The small checks that the validation of many kinds is made of, and ways to read a JSON object
 * while checking it. Numbers are Go's integers: what is no number reads as absent. Repeated values
 * are found in one walk, however long the list is.
 *
 * In Kubernetes: apimachinery/pkg/util/validation and api/validation.
 */
import { goJson } from '../../json/go-format.ts';
import { items, type ListOf } from '../../json/go-values.ts';
import {
  isJsonObject,
  isNumber,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
} from '../../json/json.ts';
import type { KubeObject } from '../../meta/object-meta.ts';
import { sortedItems } from '../../json/long-values.ts';
import {
  flatMapItems,
  flatMapUntil,
  keysOf,
  mapItems,
  remembered,
} from '../../json/work-in-slices.ts';
import {
  ERRORS_SHOWN_MAX,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
  ShownText,
} from '../../field/field-errors.ts';
import { sameMap, sameValue } from './same-value.ts';

type Value = JsonValue | undefined;

const PERCENT = /^[0-9]+%$/;
const PORT_NAME_CHARACTERS = /^[-a-z0-9]+$/;
const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;
const CONFIG_KEY_BYTES_MAX = 253;

/** The objects in the list at `key`; anything else in it reads as an empty object. */
export function objectsAt(parent: JsonObject | undefined, key: string): JsonObject[] {
  return listAt(parent, key).map((value) => (isJsonObject(value) ? value : {}));
}

/**
 * What is wrong with each key of the map, in slices where the object is large. No more keys are
 * looked at when there are as many errors as are told.
 *
 * @param keys for a caller that has listed them, which takes long of a large map.
 */
export function errorsOfKeys(
  map: JsonObject | undefined,
  findIn: (key: string) => FieldErrors,
  keys = keysOf(map ?? {}),
): FieldErrors {
  return flatMapUntil(keys, ERRORS_SHOWN_MAX, findIn);
}

/** What is wrong with each item, or what else is found of them: in slices where the object is large. */
export function ofEach<Item, Found>(
  list: ListOf<Item>,
  findIn: (item: Item, index: number) => readonly Found[],
): readonly Found[] {
  return flatMapItems(items(list), findIn);
}

/** The strings in the list at `key`; anything else in it reads as ''. */
export function stringsAt(parent: JsonObject | undefined, key: string): string[] {
  return listAt(parent, key).map((value) => (typeof value === 'string' ? value : ''));
}

/** {@link sortedEntries} of the map of strings at `key`; anything else in it reads as ''. */
export function stringEntriesAt(parent: JsonObject | undefined, key: string): [string, string][] {
  return mapItems(sortedEntries(objectAt(parent, key)), ([name, value]) => {
    return [name, typeof value === 'string' ? value : ''];
  });
}

/** The entries of the map, in the order in which Go prints a map: by key. */
export function sortedEntries<Value>(
  map: { readonly [key: string]: Value } | undefined,
): [string, Value][] {
  if (map === undefined) return [];
  const keys = sortedItems(keysOf(map), (a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return mapItems(keys, (key) => [key, map[key] as Value]); // It is one of its keys.
}

/** The spec, or an empty one when there is none. */
export function specOf(object: KubeObject): JsonObject {
  return objectAt(object, 'spec') ?? {};
}

/** The status, or an empty one when there is none. */
export function statusOf(object: KubeObject): JsonObject {
  return objectAt(object, 'status') ?? {};
}

/**
 * A map as an error message shows it: keys in the order in which Go prints them, which an object
 * cannot have where they are numbers.
 */
export function shownMap(map: JsonValue | undefined): ShownText | null {
  return isJsonObject(map) ? new ShownText(textOfMap(map)) : null;
}

function textOfMap(map: JsonObject): string {
  const members = mapItems(sortedEntries(map), ([key, value]) => {
    return value === undefined ? '' : `${goJson(key)}:${goJson(value)}`;
  });
  return remembered(() => `{${members.filter((member) => member !== '').join(',')}}`);
}

/** A label selector as an error message shows it. */
export function shownSelector(selector: JsonValue | undefined): ShownText | null {
  if (!isJsonObject(selector)) return null;
  const { matchLabels, matchExpressions } = selector;
  const labels = isJsonObject(matchLabels) ? [`"matchLabels":${textOfMap(matchLabels)}`] : [];
  const list = Array.isArray(matchExpressions) ? mapItems(matchExpressions, goJson) : [];
  const expressions = list.length === 0 ? [] : [`"matchExpressions":[${list.join(',')}]`];
  return new ShownText(`{${[...labels, ...expressions].join(',')}}`);
}

/** Whether there is nothing at all: neither a value nor an entry in a list. */
export function isMissing(value: Value): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** Each text as an error about the same value. */
export function invalidFor(field: string, value: Value, texts: readonly string[]): FieldErrors {
  return texts.map((text) => invalidValue(field, value, text));
}

/** No error when there is no value. */
export function nonNegative(field: string, value: Value): FieldErrors {
  return isNumber(value) && value < 0
    ? [invalidValue(field, value, 'must be greater than or equal to 0')]
    : [];
}

/** {@link nonNegative} for each of the keys of one object. */
export function nonNegativeAt(path: string, parent: JsonObject, keys: readonly string[]) {
  return keys.flatMap((key) => nonNegative(`${path}.${key}`, parent[key]));
}

/** Both in the new and the old object the same. */
export function immutable(field: string, value: Value, old: Value): FieldErrors {
  return sameValue(value, old) ? [] : [invalidValue(field, value, 'field is immutable')];
}

/** {@link immutable} for a map, where `{}` is no more than nothing. */
export function immutableMap(field: string, value: Value, old: Value): FieldErrors {
  return sameMap(value, old) ? [] : [invalidValue(field, shownMap(value), 'field is immutable')];
}

/** Required, and one of `supported`, which is shown in the order given. */
export function oneOf(field: string, value: Value, supported: readonly string[]): FieldErrors {
  if (value === undefined || value === null || value === '') return [required(field)];
  return typeof value === 'string' && supported.includes(value)
    ? []
    : [notSupported(field, value, supported)];
}

/** A whole number that is not negative, or a string like `25%`. */
export function positiveIntOrPercent(field: string, value: Value): FieldErrors {
  if (typeof value !== 'string') return nonNegative(field, value);
  if (PERCENT.test(value)) return [];
  return [
    invalidValue(
      field,
      value,
      "a valid percent string must be a numeric string followed by an ending '%' " +
        "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ),
  ];
}

/** IsNotMoreThan100Percent; a number is not judged. */
export function notMoreThan100Percent(field: string, value: Value): FieldErrors {
  return typeof value === 'string' && PERCENT.test(value) && Number.parseInt(value, 10) > 100
    ? [invalidValue(field, value, 'must not be greater than 100%')]
    : [];
}

/** 5 for both 5 and '5%'; 0 when there is no value. */
export function intOrPercentOf(value: Value): number {
  if (typeof value === 'number') return value;
  const parsed = typeof value === 'string' ? Number.parseInt(value, 10) : 0;
  return Number.isNaN(parsed) ? 0 : parsed;
}

/** What is wrong with a port number, as sentences. */
export function portNumberProblems(port: number): readonly string[] {
  return port >= 1 && port <= 65535 ? [] : ['must be between 1 and 65535, inclusive'];
}

/** What is wrong with the name of a port, as sentences. */
export function portNameProblems(name: string): readonly string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!PORT_NAME_CHARACTERS.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) {
    problems.push('must not begin or end with a hyphen');
  }
  return problems;
}

/** What is wrong with a key of a ConfigMap or a Secret, as sentences. */
export function configKeyProblems(key: string): readonly string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(key) > CONFIG_KEY_BYTES_MAX) {
    problems.push(`must be no more than ${String(CONFIG_KEY_BYTES_MAX)} characters`);
  }
  if (!CONFIG_KEY.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' " +
        "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', " +
        "regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

/** What is wrong with the name of an environment variable, as sentences. */
export function environmentNameProblems(name: string): readonly string[] {
  // The rule is all of printable ASCII but the equals sign.
  return /^[ -<>-~]*$/.test(name)
    ? []
    : [
        'a valid environment variable name must consist only of printable ASCII characters ' +
          "other than '='",
      ];
}

/** One flag for each value, in order: true from the second time on that it stands there. */
export function repeatsIn(values: readonly unknown[]): readonly boolean[] {
  const seen = remembered(() => new Set<unknown>());
  return mapItems(values, (value) => {
    const isRepeated = seen.has(value);
    seen.add(value);
    return isRepeated;
  });
}
