/**
 * What the rows of several kinds have in common: metadata, ages, and the words upstream has for what
 * is not there. A cell is a JSON value: counts stay numbers, everything composed is a string.
 */
import type { PodTemplateSpec } from '../../api/generated/kinds/core-v1.ts';
import type { LabelSelector } from '../../api/generated/kinds/meta-v1.ts';
import { items, type ListOf, type Quantity } from '../../api/json/go-values.ts';
import type { JsonValue } from '../../api/json/json.ts';
import type { KubeObject, ObjectMeta, StringMap } from '../../api/meta/object-meta.ts';
import { labelSelectorOf } from '../../api/selectors/label-selector.ts';
import { humanDuration } from './human-duration.ts';

/** A cell: text, a number or a bool, as the type of its column says. */
export type Cell = JsonValue;

/**
 * The cells of one row, as many as the resource has columns; `now` in milliseconds since 1970.
 * Objects are in the form that is stored, as decoding makes them.
 */
export type CellsOf<T = KubeObject> = (object: T, now: number) => Cell[];

interface WithMetadata {
  readonly metadata: ObjectMeta;
}

const ZERO_TIME = '0001-01-01T00:00:00Z';

/** `metadata.name`, '' without one. */
export function nameOf({ metadata }: WithMetadata): string {
  return metadata.name ?? '';
}

/** How long ago the object was created. */
export function ageOf({ metadata }: WithMetadata, now: number): string {
  return since(metadata.creationTimestamp, now);
}

/** For kinds whose row says nothing else. */
export function nameAndAgeCells(object: WithMetadata, now: number): Cell[] {
  return [nameOf(object), ageOf(object, now)];
}

/** True once the object has a deletionTimestamp. */
export function isBeingDeleted({ metadata }: WithMetadata): boolean {
  return typeof metadata.deletionTimestamp === 'string';
}

/** The value of an annotation; undefined without it. */
export function annotationOf({ metadata }: WithMetadata, key: string): string | undefined {
  return metadata.annotations?.[key];
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

/** `otherwise` in the place of '', and of what is missing. */
export function nonEmpty(text: string | undefined, otherwise: string): string {
  return text === undefined || text === '' ? otherwise : text;
}

/** `a=b,c=d`, sorted, of a map of labels. */
export function labelsText(labels: StringMap | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return nonEmpty(pairs.sort().join(','), '<none>');
}

/** A selector of objects as text; undefined when it is malformed. */
export function selectorText(selector: LabelSelector | null | undefined): string | undefined {
  const parsed = labelSelectorOf(selector ?? undefined);
  return parsed.ok ? parsed.selector.canonical : undefined;
}

/** As {@link selectorText}, in the words that most kinds use. */
export function selectorCell(selector: LabelSelector | null | undefined): string {
  return nonEmpty(selectorText(selector) ?? '<error>', '<none>');
}

/** The names and the images of the containers of a pod template. */
export function containerCells(template: PodTemplateSpec | undefined): [string, string] {
  const containers = items(template?.spec.containers);
  const names = containers.map(({ name }) => name);
  const images = containers.map(({ image }) => image ?? '');
  return [names.join(','), images.join(',')];
}

/** The first `max` of a list, and how many more there are. */
export function listOf(texts: readonly string[], max: number, separator = ','): string {
  const shown = texts.slice(0, max).join(separator);
  if (texts.length <= max) return shown;
  return `${shown} + ${String(texts.length - max)} more...`;
}

/** The amount at `key` of a resource list, in its canonical spelling. Absent is zero. */
export function amountAt(list: Readonly<Record<string, Quantity>> | undefined, key: string) {
  return list?.[key] ?? '0';
}

/** The condition of that type, the first where there are several. */
export function conditionOf<Condition extends { readonly type?: string }>(
  conditions: ListOf<Condition>,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
