/**
 * Large JSON texts, read and written in parts between which others have their turn: JSON.parse of
 * three megabytes takes a tenth of a second, as does JSON.stringify of an object of a hundred
 * thousand keys.
 *
 * The surprise: both still do all the work. What is parted in reading is the text, at the commas of
 * its large lists and objects; members between two cuts are parsed as a list or an object of their
 * own, which is well formed if and only if they are. In writing, the walk only goes into what has
 * more values than a part may have; what is small is several times faster as one.
 */
import { setOwn } from './own-property.ts';
import { endOfString } from './json-reader.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { hasRepeats } from './repeated-keys.ts';
import { formatJson, parsePart } from './json-text.ts';
import { WorkInSlices } from './work-in-slices.ts';

/** So many fields, items or values are gone through at a time, each with all that is within it. */
export const PART = 4_096;

/** Work that is done in parts: between two of them the caller gives others their turn. */
export type Parts<Result> = Generator<undefined, Result, undefined>;

/** All parts, one behind the other. */
export function allOf<Result>(parts: Parts<Result>): Result {
  let part = parts.next();
  while (part.done !== true) part = parts.next();
  return part.value;
}

/** Whether a value has so many values in it that to write it is more than a part. */
export function isManyValues(value: JsonValue | object): boolean {
  return new PartedText(0).valuesIn(value as JsonValue, PART) > PART; // Only JSON and its interfaces come here.
}

/** Work in slices as parts. @param steps of a slice. */
export function* slicesOf<Result>(work: () => Result, steps?: number): Parts<Result> {
  const slices = new WorkInSlices(work, steps);
  for (;;) {
    const slice = slices.goOn();
    if (slice.isDone) return slice.value;
    yield;
  }
}

/** Of the text of one part. */
const PART_LENGTH = 32 * 1024;
/** What is nested deeper is read as a whole: each level is searched for its commas. */
const DEPTH_MAX = 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** A text that was parsed in parts, in turns of the event loop. */
export interface PartedJson {
  /** What parsePart makes of the text. */
  readonly value: JsonValue;
  /** Whether some key stands in one object twice. */
  readonly hasRepeats: boolean;
}

/** @throws Error when the text is no JSON; what is wrong with it others say. */
export function* readInParts(text: string, partLength = PART_LENGTH): Parts<PartedJson> {
  const reader = new PartedReader(text, partLength);
  const value = yield* reader.read({ from: 0, to: text.length }, 0);
  return { value, hasRepeats: reader.hasRepeats };
}

interface Span {
  readonly from: number;
  /** Behind its last character. */
  readonly to: number;
}

class PartedReader {
  hasRepeats = false;
  readonly #text: string;
  readonly #partLength: number;

  constructor(text: string, partLength: number) {
    this.#text = text;
    this.#partLength = partLength;
  }

  *read(span: Span, depth: number): Parts<JsonValue> {
    if (span.to - span.from <= this.#partLength || depth > DEPTH_MAX) return this.#whole(span);
    const from = this.#pastWhite(span.from);
    const to = this.#beforeWhite(span.to);
    const [open, close] = [this.#text.charCodeAt(from), this.#text.charCodeAt(to - 1)];
    const within = { from: from + 1, to: to - 1 };
    if (open === OPEN_LIST && close === CLOSE_LIST) return yield* this.#list(within, depth);
    if (open === OPEN_OBJECT && close === CLOSE_OBJECT) return yield* this.#object(within, depth);
    return this.#whole(span);
  }

  *#list(span: Span, depth: number): Parts<JsonValue[]> {
    const list: JsonValue[] = [];
    for (const group of this.#groups(span)) {
      if (group.isLarge) {
        yield; // To find where it ends took a walk through its text, and the next level takes one more.
        list.push(yield* this.read(group, depth + 1));
      } else {
        const items = this.#parsed(group, '[', ']') as JsonValue[]; // By its brackets.
        for (const item of items) list.push(item);
      }
      yield;
    }
    return list;
  }

  *#object(span: Span, depth: number): Parts<JsonObject> {
    const object: JsonObject = {};
    for (const group of this.#groups(span)) {
      if (group.isLarge) {
        const { key, value } = this.#member(group);
        yield;
        this.#set(object, key, yield* this.read(value, depth + 1));
      } else {
        const members = this.#parsed(group, '{', '}') as JsonObject; // By its brackets.
        for (const key of Object.keys(members)) this.#set(object, key, members[key] ?? null);
      }
      yield;
    }
    return object;
  }

  #set(object: JsonObject, key: string, value: JsonValue): void {
    if (object[key] !== undefined && Object.hasOwn(object, key)) this.hasRepeats = true;
    setOwn(object, key, value);
  }

  /** The name of a member that is too large for a part, and where its value stands. */
  #member({ from, to }: Span): { readonly key: string; readonly value: Span } {
    const start = this.#pastWhite(from);
    const end = endOfString(this.#text, start) + 1;
    const colon = this.#pastWhite(end);
    if (this.#text.charCodeAt(start) !== QUOTE || this.#text.charCodeAt(colon) !== COLON) {
      throw new SyntaxError('a member of an object has no key');
    }
    const key = JSON.parse(this.#text.slice(start, end)) as string; // By its quotes.
    return { key, value: { from: colon + 1, to } };
  }

  /** Members of a list or an object, several together where they are small; none of nothing. */
  *#groups({ from, to }: Span): Generator<Span & { readonly isLarge: boolean }> {
    if (this.#pastWhite(from) >= to) return;
    let start = from;
    for (let at = from; at <= to;) {
      const end = this.#endOfMember(at, to);
      const isLarge = end - at > this.#partLength;
      if (isLarge && start < at) yield { from: start, to: at - 1, isLarge: false };
      if (isLarge) yield { from: at, to: end, isLarge };
      else if (end - start >= this.#partLength || end === to) {
        yield { from: start, to: end, isLarge: false };
      } else {
        at = end + 1;
        continue;
      }
      at = end + 1;
      start = at;
    }
  }

  /** Where the comma behind a member is, or the end of all. */
  #endOfMember(from: number, to: number): number {
    const text = this.#text;
    let depth = 0;
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = endOfString(text, at);
      else if (code === COMMA) {
        if (depth === 0) return at;
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
      if (depth < 0) throw new SyntaxError('a bracket closes what none has opened');
    }
    return to;
  }

  /** @throws where nothing stands between two commas. */
  #parsed(span: Span, open: '[' | '{', close: ']' | '}'): JsonValue {
    if (this.#pastWhite(span.from) >= span.to)
      throw new SyntaxError('a comma has nothing behind it');
    return this.#checked(open + this.#text.slice(span.from, span.to) + close);
  }

  #whole({ from, to }: Span): JsonValue {
    return this.#checked(this.#text.slice(from, to));
  }

  #checked(text: string): JsonValue {
    const value = parsePart(text);
    this.hasRepeats ||= hasRepeats(text, value);
    return value;
  }

  #pastWhite(from: number): number {
    let at = from;
    while (isWhite(this.#text.charCodeAt(at))) at += 1;
    return at;
  }

  #beforeWhite(to: number): number {
    let at = to;
    while (isWhite(this.#text.charCodeAt(at - 1))) at -= 1;
    return at;
  }
}

/** Not of NaN, which is what is behind the end. */
function isWhite(code: number): boolean {
  return code === SPACE || (code >= 0x09 && code <= 0x0d && code !== 0x0b && code !== 0x0c);
}

/** The bytes that formatJson's text has, in UTF-8. @param indent of each level; 0: all in one line. */
export function* formatJsonInParts(value: JsonValue | object, indent = 0): Parts<Buffer> {
  const writer = new PartedText(indent);
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
  readonly #indent: number;
  #depth = 0;

  constructor(indent: number) {
    this.#indent = indent;
  }

  bytes(): Buffer {
    this.#flush();
    return Buffer.concat(this.#written);
  }

  *write(value: JsonValue): Parts<void> {
    const weight = this.valuesIn(value, PART);
    if (weight <= PART || typeof value !== 'object' || value === null) {
      this.#pieces.push(this.#indented(formatJson(value, this.#indent)));
      this.#values += weight;
      if (this.#values < PART) return;
      this.#flush();
      yield;
      return;
    }
    this.#flush();
    yield;
    this.#depth += 1;
    if (Array.isArray(value)) yield* this.#writeList(value);
    else yield* this.#writeObject(value);
  }

  /** A small value that was written by itself: in its texts no line ends. */
  #indented(text: string): string {
    return this.#indent === 0 ? text : text.replaceAll('\n', this.#newLine());
  }

  #newLine(): string {
    return this.#indent === 0 ? '' : `\n${' '.repeat(this.#indent * this.#depth)}`;
  }

  #end(mark: string): string {
    this.#depth -= 1;
    return this.#newLine() + mark;
  }

  *#writeList(list: readonly (JsonValue | undefined)[]): Parts<void> {
    const line = this.#newLine();
    for (const [index, item] of list.entries()) {
      this.#pieces.push(index > 0 ? ',' : '[', line);
      yield* this.write(item ?? null);
    }
    this.#pieces.push(this.#end(']'));
  }

  *#writeObject(object: JsonObject): Parts<void> {
    const line = this.#newLine();
    const colon = this.#indent === 0 ? ':' : ': ';
    let between = '{';
    for (const key of this.#keysOf(object)) {
      const value = object[key];
      if (value === undefined) continue;
      this.#pieces.push(`${between}${line}${JSON.stringify(key)}${colon}`);
      between = ',';
      yield* this.write(value);
    }
    const end = this.#end('}');
    this.#pieces.push(between === '{' ? '{}' : end);
  }

  #flush(): void {
    this.#written.push(Buffer.from(this.#pieces.join('')));
    this.#pieces = [];
    this.#values = 0;
  }

  /** How many values there are, of lists and objects too; more than `most` are not counted. */
  valuesIn(value: JsonValue | undefined, most: number): number {
    if (typeof value !== 'object' || value === null) return 1;
    const isList = Array.isArray(value);
    const keys = isList ? [] : this.#keysOf(value);
    if ((isList ? value : keys).length > most) return most + 1;
    let values = 1;
    for (const item of isList ? value : keys.map((key) => value[key])) {
      values += this.valuesIn(item, most - values);
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
