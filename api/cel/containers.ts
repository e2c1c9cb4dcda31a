/**
 * The lists and maps that expressions make. Those over the data of an object are in
 * schema-values.ts, and make values only of what is looked at.
 */
import { areEqual } from './equality.ts';
import { CelDouble, CelError, CelList, CelMap, CelUint, type CelValue } from './value.ts';

/** A list that compares and joins itself by its items. */
export abstract class ItemList extends CelList {
  override contains(value: CelValue): CelValue {
    for (let index = 0; index < this.size; index++) {
      const item = this.at(index);
      if (item instanceof CelError) return item;
      if (areEqual(item, value)) return true;
    }
    return false;
  }

  override equals(other: CelList): boolean {
    if (this.size !== other.size) return false;
    for (let index = 0; index < this.size; index++) {
      if (!areEqual(this.at(index), other.at(index))) return false;
    }
    return true;
  }

  override plus(other: CelList): CelList {
    return new ValueList([...valuesOf(this), ...valuesOf(other)]);
  }
}

/** A list that an expression made. */
export class ValueList extends ItemList {
  readonly values: CelValue[];

  constructor(values: CelValue[]) {
    super();
    this.values = values;
  }

  get size(): number {
    return this.values.length;
  }

  at(index: number): CelValue {
    return this.values[index] ?? null;
  }
}

/** What a key is in a `Map`: keys that are equal have one form, whatever sort of number they are. */
type KeyForm = string | number | bigint | boolean | null | undefined;

/**
 * A map of values in the order in which they were put in. Keys that are equal as numbers (`1`,
 * `1u`, `1.0`) are one key.
 */
export class ValueMap extends CelMap {
  readonly #entries = new Map<KeyForm, readonly [key: CelValue, value: CelValue]>();

  get size(): number {
    return this.#entries.size;
  }

  find(key: CelValue): CelValue | undefined {
    return this.#entries.get(keyForm(key))?.[1];
  }

  keys(): readonly CelValue[] {
    return [...this.#entries.values()].map(([key]) => key);
  }

  set(key: CelValue, value: CelValue): void {
    this.#entries.set(keyForm(key), [key, value]);
  }

  override equals(other: CelMap): boolean {
    if (this.size !== other.size) return false;
    return this.keys().every((key) => {
      const mine = this.find(key);
      const theirs = other.find(key);
      return mine !== undefined && theirs !== undefined && areEqual(mine, theirs);
    });
  }

  remove(key: CelValue): void {
    this.#entries.delete(keyForm(key));
  }

  copy(): ValueMap {
    const copy = new ValueMap();
    for (const [key, value] of this.#entries.values()) copy.set(key, value);
    return copy;
  }
}

/** A list that grows in place while a loop runs. */
export class MutableList extends ValueList {
  override plus(other: CelList): CelList {
    for (const value of valuesOf(other)) this.values.push(value);
    return this;
  }

  finished(): ValueList {
    return new ValueList(this.values);
  }
}

/** A map that grows in place while a loop runs. */
export class MutableMap extends ValueMap {
  finished(): ValueMap {
    return this.copy();
  }
}

/** False for NaN, lists, maps and other objects; numbers of all types are keys. */
export function isMapKey(value: CelValue): boolean {
  return keyForm(value) !== undefined;
}

function keyForm(key: CelValue): KeyForm {
  if (typeof key !== 'object' || key === null) return key;
  if (key instanceof CelUint) {
    const number = Number(key.value);
    return Number.isSafeInteger(number) ? number : key.value;
  }
  if (!(key instanceof CelDouble)) return undefined;
  const { value } = key;
  if (Number.isNaN(value)) return undefined;
  return !Number.isInteger(value) || Number.isSafeInteger(value) ? value + 0 : BigInt(value);
}

/** The items in order. A list of values is not copied, so callers leave the array as it is. */
export function valuesOf(list: CelList): CelValue[] {
  if (list instanceof ValueList) return list.values;
  const values: CelValue[] = [];
  for (let index = 0; index < list.size; index++) values.push(list.at(index));
  return values;
}

/** Shared by all that have no items: lists never change. */
export const EMPTY_LIST = new ValueList([]);
