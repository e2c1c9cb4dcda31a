/**
 * JSON texts of large values, written in parts between which others have their turn: JSON.stringify
 * of an object of a hundred thousand keys takes a tenth of a second.
 *
 * The surprise: what is small is still written by JSON.stringify, which is several times faster, so
 * the walk only goes into what has more values than a part may have.
 */
import { formatJson } from './json-text.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { PART, type Parts } from './parts.ts';

/** The bytes that formatJson's text has, in UTF-8. */
export function* formatJsonInParts(value: JsonValue | object): Parts<Buffer> {
  const writer = new PartedText();
  yield* writer.write(value as JsonValue); // Only JSON and its interfaces come here.
  return writer.bytes();
}

class PartedText {
  readonly #written: Buffer[] = [];
  /** What is not yet bytes, and about how many values that is. */
  #pieces: string[] = [];
  #values = 0;
  /** Of large objects: to list them takes long, and they are counted once for each object around. */
  readonly #keys = new Map<JsonObject, readonly string[]>();

  bytes(): Buffer {
    this.#flush();
    return Buffer.concat(this.#written);
  }

  *write(value: JsonValue): Parts<void> {
    const weight = this.#valuesIn(value, PART);
    if (weight <= PART || typeof value !== 'object' || value === null) {
      this.#pieces.push(formatJson(value));
      this.#values += weight;
      if (this.#values < PART) return;
      this.#flush();
      yield;
      return;
    }
    this.#flush();
    yield;
    if (Array.isArray(value)) yield* this.#writeList(value);
    else yield* this.#writeObject(value);
  }

  *#writeList(list: readonly (JsonValue | undefined)[]): Parts<void> {
    this.#pieces.push('[');
    for (const [index, item] of list.entries()) {
      if (index > 0) this.#pieces.push(',');
      yield* this.write(item ?? null);
    }
    this.#pieces.push(']');
  }

  *#writeObject(object: JsonObject): Parts<void> {
    let between = '{';
    for (const key of this.#keysOf(object)) {
      const value = object[key];
      if (value === undefined) continue;
      this.#pieces.push(`${between}${JSON.stringify(key)}:`);
      between = ',';
      yield* this.write(value);
    }
    this.#pieces.push(between === '{' ? '{}' : '}');
  }

  #flush(): void {
    this.#written.push(Buffer.from(this.#pieces.join('')));
    this.#pieces = [];
    this.#values = 0;
  }

  /** How many values there are, of lists and objects too; more than `most` are not counted. */
  #valuesIn(value: JsonValue | undefined, most: number): number {
    if (typeof value !== 'object' || value === null) return 1;
    const isList = Array.isArray(value);
    const keys = isList ? [] : this.#keysOf(value);
    if ((isList ? value : keys).length > most) return most + 1;
    let values = 1;
    for (const item of isList ? value : keys.map((key) => value[key])) {
      values += this.#valuesIn(item, most - values);
      if (values > most) break;
    }
    return values;
  }

  #keysOf(object: JsonObject): readonly string[] {
    const known = this.#keys.get(object);
    if (known !== undefined) return known;
    const keys = Object.keys(object);
    if (keys.length > PART) this.#keys.set(object, keys);
    return keys;
  }
}
