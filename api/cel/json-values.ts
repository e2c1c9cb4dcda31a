/**
 * JSON as values of expressions that know no schema: everything that is there can be looked at, and
 * only what is looked at is made into a value.
 */
import { isNumber, type JsonObject, type JsonValue } from '../json/json.ts';
import { ownKeys, ownValue } from '../json/own-property.ts';
import { spellingOf } from '../json/spelled-number.ts';
import { ItemList } from './containers.ts';
import { areEqual } from './equality.ts';
import { CelDouble, CelMap, type CelValue, intOfNumber } from './value.ts';

/** What JSON itself leaves open. */
export interface JsonReading {
  /** An int or a double. */
  number(value: number | bigint): CelValue;
  /** How the key of an expression stands in the data. */
  keyOf(key: string): string;
}

/**
 * A JSON value as CEL has it. `reading` says what numbers become; objects and lists are read when
 * they are looked at.
 */
export function jsonValue(data: JsonValue, reading: JsonReading): CelValue {
  if (data === null || typeof data === 'boolean') return data;
  if (typeof data === 'string') return textValue(data);
  if (isNumber(data)) return reading.number(data);
  return Array.isArray(data) ? new JsonList(data, reading) : new JsonMap(data, reading);
}

/** A text is one, but where it stands for a number whose spelling counts. */
function textValue(text: string): CelValue {
  const literal = spellingOf(text);
  if (literal === undefined) return text;
  return literal === '-0' ? intOfNumber(0) : new CelDouble(Number(literal));
}

class JsonList extends ItemList {
  readonly #data: readonly JsonValue[];
  readonly #reading: JsonReading;

  constructor(data: readonly JsonValue[], reading: JsonReading) {
    super();
    this.#data = data;
    this.#reading = reading;
  }

  override get size(): number {
    return this.#data.length;
  }

  override at(index: number): CelValue {
    return jsonValue(this.#data[index] ?? null, this.#reading);
  }
}

class JsonMap extends CelMap {
  readonly #data: JsonObject;
  readonly #reading: JsonReading;

  constructor(data: JsonObject, reading: JsonReading) {
    super();
    this.#data = data;
    this.#reading = reading;
  }

  override get size(): number {
    return this.keys().length;
  }

  override find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined;
    const value = ownValue(this.#data, this.#reading.keyOf(key));
    return value === undefined ? undefined : jsonValue(value, this.#reading);
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
