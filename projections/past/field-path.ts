/** The way to a field inside an object: through keys, places in lists, and elements with a name. */
import { formatJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonValue } from '../../api/json/json.ts';
import type { FieldSchema } from './field-schema.ts';

/** An element of a list, known by some of its own fields: `{ name: 'web' }`. */
export interface ElementName {
  readonly keys: readonly (readonly [field: string, value: JsonValue | undefined])[];
}

/** A key of an object, a place in a list, or an element's name. */
export type FieldStep = string | number | ElementName;

export type FieldPath = readonly FieldStep[];

/** As people write it: `spec.containers[name=web].ports[0]`, `data[a.b]`. */
export function formatFieldPath(path: FieldPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${String(step)}]`;
    else if (typeof step !== 'string') text += `[${formatName(step)}]`;
    else if (!/^[\w$-]+$/.test(step)) text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

function formatName({ keys }: ElementName): string {
  return keys
    .filter(([, value]) => value !== undefined)
    .map(
      ([field, value]) =>
        `${field}=${typeof value === 'string' ? value : formatJson(value ?? null)}`,
    )
    .join(',');
}

/** Equal texts name the same element. */
export function nameKey({ keys }: ElementName): string {
  return formatJson(keys.map(([, value]) => value ?? null));
}

/**
 * The elements by their names, in order; undefined where they have none, or where two have the
 * same, so that they can only be told apart by their places.
 */
export function namedElements(
  list: readonly JsonValue[],
  schema: FieldSchema | undefined,
): ReadonlyMap<string, { readonly name: ElementName; readonly value: JsonValue }> | undefined {
  const listKeys = schema?.listKeys ?? [];
  if (listKeys.length === 0) return undefined;
  const elements = new Map<string, { name: ElementName; value: JsonValue }>();
  for (const value of list) {
    const name = nameOf(value, listKeys);
    if (name === undefined) return undefined;
    elements.set(nameKey(name), { name, value });
  }
  return elements.size === list.length ? elements : undefined;
}

function nameOf(element: JsonValue, listKeys: readonly string[]): ElementName | undefined {
  if (!isJsonObject(element)) return undefined;
  const keys = listKeys.map((field): readonly [string, JsonValue | undefined] => [
    field,
    Object.hasOwn(element, field) ? element[field] : undefined,
  ]);
  const isName = keys.every(([, value]) => typeof value !== 'object');
  return isName && keys.some(([, value]) => value !== undefined) ? { keys } : undefined;
}
