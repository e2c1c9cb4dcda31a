/**
 * The data of objects as values of expressions that know no schema: a whole number is an int, every
 * other number a double, and everything that is there can be looked at. Only what is looked at is
 * made into a value.
 *
 * In Kubernetes: the native values of an activation, apiserver/pkg/admission/plugin/cel.
 */
import { ItemList } from '../../../api/cel/containers.ts';
import { areEqual } from '../../../api/cel/equality.ts';
import { CelDouble, CelMap, intOfNumber, type CelValue } from '../../../api/cel/value.ts';
import type { JsonObject, JsonValue } from '../../../api/meta/json.ts';
import { ownKeys, ownValue } from '../../../api/patch/own-property.ts';

export function dynamicValue(data: JsonValue): CelValue {
  if (data === null || typeof data === 'string' || typeof data === 'boolean') return data;
  if (typeof data === 'number') {
    return Number.isInteger(data) ? intOfNumber(data) : new CelDouble(data);
  }
  return Array.isArray(data) ? new DynamicList(data) : new DynamicMap(data);
}

class DynamicList extends ItemList {
  readonly #data: readonly JsonValue[];

  constructor(data: readonly JsonValue[]) {
    super();
    this.#data = data;
  }

  override get size(): number {
    return this.#data.length;
  }

  override at(index: number): CelValue {
    return dynamicValue(this.#data[index] ?? null);
  }
}

class DynamicMap extends CelMap {
  readonly #data: JsonObject;

  constructor(data: JsonObject) {
    super();
    this.#data = data;
  }

  override get size(): number {
    return this.keys().length;
  }

  override find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined;
    const value = ownValue(this.#data, key);
    return value === undefined ? undefined : dynamicValue(value);
  }

  override keys(): readonly string[] {
    return ownKeys(this.#data).filter((key) => ownValue(this.#data, key) !== undefined);
  }

  override equals(other: CelMap): boolean {
    if (this.size !== other.size) return false;
    return this.keys().every((key) => {
      const mine = this.find(key);
      const theirs = other.find(key);
      return mine !== undefined && theirs !== undefined && areEqual(mine, theirs);
    });
  }
}
