/**
 * What many rows have in common: reading fields that may be absent, and the words upstream uses for
 * what is not there. A cell is a JSON value: counts stay numbers, everything composed is a string.
 */
import {
  itemsAt,
  type JsonObject,
  type JsonValue,
  int32At,
  objectAt,
  stringAt,
} from '../../api/json/json.ts';
import { labelSelectorOf } from '../../api/selectors/label-selector.ts';
import { humanDuration } from './human-duration.ts';

export type Cell = JsonValue;

/** The cells of one row, as many as the resource has columns; `now` in milliseconds since 1970. */
export type CellsOf = (object: JsonObject, now: number) => Cell[];

const ZERO_TIME = '0001-01-01T00:00:00Z';

export function nameOf(object: JsonObject): string {
  return stringAt(objectAt(object, 'metadata'), 'name');
}

/** How long ago the object was created. */
export function ageOf(object: JsonObject, now: number): string {
  return since(objectAt(object, 'metadata')?.['creationTimestamp'], now);
}

export function isBeingDeleted(object: JsonObject): boolean {
  return typeof objectAt(object, 'metadata')?.['deletionTimestamp'] === 'string';
}

export function annotationOf(object: JsonObject, key: string): string | undefined {
  const annotations = objectAt(objectAt(object, 'metadata'), 'annotations');
  const value = annotations?.[key];
  return typeof value === 'string' ? value : undefined;
}

/** `5m`, or `<unknown>` where there is no time. */
export function since(time: JsonValue | undefined, now: number): string {
  const ms = millisecondsOf(time);
  return ms === undefined ? '<unknown>' : humanDuration(now - ms);
}

/** Milliseconds since 1970; undefined for no time, and for the year 1, which means none. */
export function millisecondsOf(time: JsonValue | undefined): number | undefined {
  if (typeof time !== 'string' || time === ZERO_TIME) return undefined;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The number at `key`, or 0 when there is none. */
export function countAt(parent: JsonObject | undefined, key: string): number {
  return int32At(parent, key) ?? 0;
}

export function booleanAt(parent: JsonObject | undefined, key: string, otherwise = false): boolean {
  const value = parent?.[key];
  return typeof value === 'boolean' ? value : otherwise;
}

/** The string at `key`, or `otherwise` when the key is missing or null; '' is a string. */
export function stringOr(parent: JsonObject | undefined, key: string, otherwise: string): string {
  const value = parent?.[key];
  return typeof value === 'string' ? value : otherwise;
}

/** `otherwise` in the place of ''. */
export function nonEmpty(text: string, otherwise: string): string {
  return text === '' ? otherwise : text;
}

/** `a=b,c=d`, sorted, of a map of labels. */
export function labelsText(labels: JsonObject | undefined): string {
  const pairs = Object.keys(labels ?? {}).map((key) => `${key}=${stringAt(labels, key)}`);
  return nonEmpty(pairs.sort().join(','), '<none>');
}

/** A selector of objects as text; undefined when it is malformed. */
export function selectorText(selector: JsonObject | undefined): string | undefined {
  const parsed = labelSelectorOf(selector);
  return parsed.ok ? parsed.selector.canonical : undefined;
}

/** As {@link selectorText}, in the words that most kinds use. */
export function selectorCell(selector: JsonObject | undefined): string {
  return nonEmpty(selectorText(selector) ?? '<error>', '<none>');
}

/** The names and the images of the containers of a pod template. */
export function containerCells(owner: JsonObject | undefined): [string, string] {
  const containers = itemsAt(objectAt(objectAt(owner, 'template'), 'spec'), 'containers');
  const names = containers.map((container) => stringAt(container, 'name'));
  const images = containers.map((container) => stringAt(container, 'image'));
  return [names.join(','), images.join(',')];
}

/** The first `max` of a list, and how many more there are. */
export function listOf(items: readonly string[], max: number, separator = ','): string {
  const shown = items.slice(0, max).join(separator);
  if (items.length <= max) return shown;
  return `${shown} + ${String(items.length - max)} more...`;
}

/** The amount at `key` of a resource list. Absent is zero. */
export function amountAt(list: JsonObject | undefined, key: string): string {
  return quantityText(list?.[key]) ?? '0';
}

/** A quantity as it was stored, which is its canonical form. */
export function quantityText(amount: JsonValue | undefined): string | undefined {
  if (typeof amount === 'number') return String(amount);
  return typeof amount === 'string' ? amount : undefined;
}

export function conditionOf(status: JsonObject | undefined, type: string): JsonObject | undefined {
  return itemsAt(status, 'conditions').find((condition) => condition['type'] === type);
}
