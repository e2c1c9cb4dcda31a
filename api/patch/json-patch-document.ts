/**
 * A document while a JSON patch is applied to it. The original is never changed: what is written
 * to is copied once, and the copies are remembered as ours.
 *
 * Paths are read as upstream reads them: what stands before the first slash is passed over, and an
 * index may be negative, counting from the end.
 * In Kubernetes: partialDoc and partialArray, gopkg.in/evanphx/json-patch.v4.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { copiedObject } from '../json/long-values.ts';
import { remembered } from '../json/work-in-slices.ts';
import { goQuote } from '../json/go-format.ts';
import { ownValue, setOwn } from '../json/own-property.ts';
import { addContainers, addCopies, type Touched } from './shown-order.ts';

export type Container = JsonObject | JsonValue[];

/** The last step of a path: a key of an object that is ours to change. */
export interface PatchTarget {
  readonly container: Container;
  readonly key: string;
}

/** Why a step cannot be taken, in Go's words. */
export class StepProblem {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

const SEGMENT_ESCAPE = /~[01]/g;
const INDEX = /^[+-]?[0-9]+$/;

export class PatchedDocument {
  root: Container;
  /** Of all lists, as often as something was put in or taken out: how long they were, in items. */
  movedItems = 0;
  readonly #ours = new Set<Container>();
  /** What was compared, which takes all of it apart. */
  readonly #compared: JsonValue[] = [];
  readonly #copied: { readonly value: JsonValue; readonly copy: JsonValue }[] = [];

  constructor(root: Container) {
    this.root = root;
  }

  /** undefined when something on the way is missing, or is no object and no array. */
  find(path: string): PatchTarget | undefined {
    const segments = path.split('/').map(unescapeSegment);
    const key = segments.pop();
    if (segments.length === 0 || key === undefined) return undefined;
    let container = this.#own(this.root);
    this.root = container;
    for (const segment of segments.slice(1)) {
      const child = getValue({ container, key: segment });
      if (!isContainer(child)) return undefined;
      const own = this.#own(child);
      if (own !== child) putBack(container, segment, own);
      container = own;
    }
    return { container, key };
  }

  /** In a list it goes in before what stands at the index, or with `-` behind the last. */
  add({ container, key }: PatchTarget, value: JsonValue): StepProblem | undefined {
    if (Array.isArray(container) && key !== '-') this.movedItems += container.length;
    return addValue({ container, key }, value);
  }

  remove(place: PatchTarget): StepProblem | undefined {
    if (Array.isArray(place.container)) this.movedItems += place.container.length;
    return removeValue(place);
  }

  /** Notes that the value was compared with another. */
  compared(value: JsonValue): void {
    this.#compared.push(value);
  }

  /** Notes that the one is a copy of the other. */
  copied(value: JsonValue, copy: JsonValue): void {
    this.#copied.push({ value, copy });
  }

  /** What the operations have taken apart so far. */
  touched(operations: readonly JsonObject[]): Touched {
    const apart = new Set<JsonObject | readonly JsonValue[]>(this.#ours);
    apart.add(this.root);
    for (const value of this.#compared) addContainers(value, apart);
    for (const { value, copy } of this.#copied) addCopies(value, copy, apart);
    const sent = new Set<JsonObject | readonly JsonValue[]>();
    for (const { value } of operations) addContainers(value, sent);
    return { apart, sent };
  }

  #own(container: Container): Container {
    // Remembered, as what is ours behind a pause was not when the operation began.
    return remembered(() => {
      if (this.#ours.has(container)) return container;
      const copy = Array.isArray(container) ? [...container] : copiedObject(container);
      this.#ours.add(copy);
      return copy;
    });
  }
}

/** undefined when an object has no such key; an array without such an index is a problem. */
export function getValue({ container, key }: PatchTarget): JsonValue | undefined | StepProblem {
  if (!Array.isArray(container)) return ownValue(container, key);
  const index = existingIndex(container, key);
  return typeof index === 'number' ? container[index] : index;
}

function addValue({ container, key }: PatchTarget, value: JsonValue): StepProblem | undefined {
  if (!Array.isArray(container)) {
    setOwn(container, key, value);
    return undefined;
  }
  if (key === '-') {
    container.push(value);
    return undefined;
  }
  const parsed = parseIndex(key);
  if (typeof parsed !== 'number') {
    const why = `value was not a proper array index: '${key}': ${parsed.why}`;
    return new StepProblem(why);
  }
  const index = checkedIndex(parsed, container.length + 1);
  if (typeof index !== 'number') return index;
  container.splice(index, 0, value);
  return undefined;
}

/** There is something at the place already, or it is a key that an object does not have yet. */
export function setValue(
  { container, key }: PatchTarget,
  value: JsonValue,
): StepProblem | undefined {
  if (!Array.isArray(container)) {
    setOwn(container, key, value);
    return undefined;
  }
  const index = existingIndex(container, key);
  if (typeof index !== 'number') return index;
  container[index] = value;
  return undefined;
}

function removeValue({ container, key }: PatchTarget): StepProblem | undefined {
  if (Array.isArray(container)) {
    const index = existingIndex(container, key);
    if (typeof index !== 'number') return index;
    container.splice(index, 1);
    return undefined;
  }
  if (ownValue(container, key) === undefined) {
    return new StepProblem(`Unable to remove nonexistent key: ${key}: missing value`);
  }
  Reflect.deleteProperty(container, key);
  return undefined;
}

function putBack(container: Container, key: string, value: JsonValue): void {
  if (!Array.isArray(container)) {
    setOwn(container, key, value);
    return;
  }
  const index = existingIndex(container, key);
  if (typeof index === 'number') container[index] = value;
}

function isContainer(value: JsonValue | undefined | StepProblem): value is Container {
  if (value instanceof StepProblem) return false;
  return Array.isArray(value) || isJsonObject(value);
}

function unescapeSegment(segment: string): string {
  if (!segment.includes('~')) return segment;
  return segment.replace(SEGMENT_ESCAPE, (escape) => (escape === '~1' ? '/' : '~'));
}

function existingIndex(list: readonly JsonValue[], key: string): number | StepProblem {
  const index = parseIndex(key);
  return typeof index === 'number' ? checkedIndex(index, list.length) : index;
}

function checkedIndex(index: number, length: number): number | StepProblem {
  if (index >= length || index < -length) {
    const why = `Unable to access invalid index: ${String(index)}: invalid index referenced`;
    return new StepProblem(why);
  }
  return index < 0 ? index + length : index;
}

function parseIndex(key: string): number | StepProblem {
  const index = INDEX.test(key) ? Number(key) : Number.NaN;
  if (Number.isSafeInteger(index)) return index === 0 ? 0 : index; // No negative zero.
  const why = Number.isNaN(index) ? 'invalid syntax' : 'value out of range';
  return new StepProblem(`strconv.Atoi: parsing ${goQuote(key)}: ${why}`);
}
