/**
 * The path elements of the items of a list: what tells them apart.
 *
 * In Kubernetes: listItemToPathElement, sigs.k8s.io/structured-merge-diff/typed.
 */
import { isJsonObject, type JsonValue } from '../json/json.ts';
import { goQuote } from '../json/go-format.ts';
import { ownValue } from '../json/own-property.ts';
import type { MergeList } from './merge-type.ts';
import { keyElement, valueElement, type KeyField } from './path-element.ts';

/** Why an item has no path element. */
export interface NoElement {
  readonly message: string;
}

/** Of an item of a list that is not atomic. */
export function listElement(list: MergeList, item: JsonValue): string | NoElement {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

/** Of every item that has no element of its own. It is never written. */
const ANONYMOUS = '?';

/** Also of the items without a key that taking fields out of items may leave behind. */
export function anyElement(list: MergeList, item: JsonValue): string {
  const element = listElement(list, item);
  return typeof element === 'string' ? element : ANONYMOUS;
}

/** Of an item of a list that was validated. */
export function knownElement(list: MergeList, item: JsonValue): string {
  const element = listElement(list, item);
  if (typeof element === 'string') return element;
  throw new Error(`a list that was not validated is merged: ${element.message}`);
}

function keyedElement(list: MergeList, item: JsonValue): string | NoElement {
  if (item === null) {
    return { message: 'associative list with keys may not have a null element' };
  }
  if (!isJsonObject(item)) {
    return { message: 'associative list with keys may not have non-map elements' };
  }
  const fields: KeyField[] = [];
  for (const name of list.keys) {
    const own = ownValue(item, name);
    const value = own === undefined ? keyDefault(list, name) : own;
    if (value !== undefined) fields.push([name, value]);
  }
  if (fields.length > 0) return keyElement(fields);
  const names = list.keys.map(goQuote).join(' ');
  const what = `associative list with keys has an element that omits all key fields [${names}]`;
  return { message: `${what} (and doesn't have default values for any key fields)` };
}

/** null is no default. */
function keyDefault(list: MergeList, name: string): JsonValue | undefined {
  return list.items.map?.fields.get(name)?.default ?? undefined;
}

function setElement(item: JsonValue): string | NoElement {
  if (item === null) {
    return { message: "associative list without keys has an element that's an explicit null" };
  }
  if (Array.isArray(item)) {
    return { message: 'not supported: associative list with lists as elements' };
  }
  if (typeof item === 'object') {
    return { message: "associative list without keys has an element that's a map type" };
  }
  return valueElement(item);
}
