/**
 * What a fold judges a record by, read from its frame: no text is made that the record before it had as well, and none of
 * what a fold does not ask for.
 *
 * The surprise: it reads what {@link encodeRecord} writes of plain texts. A header with anything else in it, an escape or a
 * letter beyond ASCII, is decoded as JSON, as for any other reader.
 */
import type { EventHead, RecordType, Requirement } from './event.ts';
import {
  decodeRecord,
  HEADER_AT,
  requirementsIn,
  soundValueStart,
  valueStart,
} from './event-codec.ts';
import { resourceVersion, type ResourceVersion } from './resource-version.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const ZERO = 0x30;
const NINE = 0x39;
const NOT_ASCII = 0x80;
/** Of a whole number that is exact as a double, whatever they are. */
const DIGITS_MAX = 15;
const NOT_PLAIN = -1;
const NO_REQUIREMENTS: readonly Requirement[] = [];

/** A path that the object of this version may have: where a record tells the same, its head has this very text. */
export type PathGuess = (version: ResourceVersion) => string | undefined;

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Reads the heads of records that follow each other: what one of them tells again is the text of the one before. */
export class HeadReader {
  readonly #guess: PathGuess;
  readonly #head: Mutable<EventHead> = {
    ...{ writer: '', sequence: 0, type: 'marker', resource: '', path: '', requires: [], time: 0 },
    ...{ previousResourceVersion: resourceVersion(0), resourceVersion: resourceVersion(0) },
  };
  readonly #writer = new KnownText();
  readonly #type = new KnownText();
  readonly #resource = new KnownText();
  readonly #requires = new KnownRequirements();
  /** The number that was read last. */
  #number = 0;

  constructor(guess: PathGuess) {
    this.#guess = guess;
  }

  /**
   * @returns valid until the next one is read.
   * @throws {DamagedRecordError} as decodeRecord.
   */
  read(frame: Buffer, version: ResourceVersion): EventHead {
    return this.#read(frame, version, valueStart(frame, version));
  }

  /** The same of a frame that was made a moment ago, in this process. */
  readSound(frame: Buffer, version: ResourceVersion): EventHead {
    return this.#read(frame, version, soundValueStart(frame));
  }

  /**
   * The same of a header alone, which was looked at already.
   *
   * @param start where it begins in `bytes`. @returns undefined: it is not plain, and the frame has to be read.
   */
  readHeader(
    bytes: Buffer,
    [start, end]: readonly [number, number],
    version: ResourceVersion,
  ): EventHead | undefined {
    if (!this.#readPlain(bytes, start, end)) return undefined;
    this.#head.resourceVersion = version;
    return this.#head;
  }

  #read(frame: Buffer, version: ResourceVersion, end: number): EventHead {
    if (this.#readPlain(frame, HEADER_AT, end)) this.#head.resourceVersion = version;
    else this.#decode(frame, version);
    return this.#head;
  }

  #decode(frame: Buffer, version: ResourceVersion): void {
    const { writer, sequence, type, resource, path, requires, time, ...event } = decodeRecord(
      frame,
      version,
    );
    const { previousResourceVersion } = event;
    Object.assign(this.#head, { writer, sequence, type, resource, path, requires, time });
    Object.assign(this.#head, { previousResourceVersion, resourceVersion: version });
  }

  /** @param start of the header. @returns false: it has to be decoded. */
  #readPlain(frame: Buffer, start: number, end: number): boolean {
    const head = this.#head;
    // The checksum holds, so what stands there is an array, as it was written.
    let at = this.#writer.pass(frame, start + 1);
    at = this.#passNumber(frame, at);
    head.sequence = this.#number;
    at = this.#type.pass(frame, at);
    at = this.#resource.pass(frame, at);
    const pathAt = at;
    at = passText(frame, at);
    const pathEnd = at;
    at = this.#passNumber(frame, at);
    const previous = resourceVersion(this.#number);
    at = this.#requires.pass(frame, at, end);
    at = this.#passNumber(frame, at);
    if (at < 0 || at > end) return false;
    head.time = this.#number;
    head.writer = this.#writer.text;
    head.type = this.#type.text as RecordType; // As it was written.
    head.resource = this.#resource.text;
    head.previousResourceVersion = previous;
    head.requires = this.#requires.value;
    head.path = this.#pathIn(frame, [pathAt + 1, pathEnd - 2], previous);
    return true;
  }

  #pathIn(
    frame: Buffer,
    [from, end]: readonly [number, number],
    previous: ResourceVersion,
  ): string {
    const guess = previous > 0 ? this.#guess(previous) : undefined;
    return guess !== undefined && isAt(frame, from, end, guess)
      ? guess
      : frame.toString('latin1', from, end);
  }

  /** Behind the comma that follows the number. */
  #passNumber(frame: Buffer, from: number): number {
    if (from < 0) return NOT_PLAIN;
    let number = 0;
    let at = from;
    for (; at - from < DIGITS_MAX; at += 1) {
      const byte = frame[at] ?? 0;
      if (byte < ZERO || byte > NINE) break;
      number = number * 10 + byte - ZERO;
    }
    this.#number = number;
    return at > from && frame[at] === COMMA ? at + 1 : NOT_PLAIN;
  }
}

/** A text that most records have as the one before them. */
class KnownText {
  text = '';
  /** With its quotes and the comma. */
  #bytes = new Uint8Array(0);

  /** Behind the comma that follows the text, which is {@link text} then. */
  pass(frame: Buffer, from: number): number {
    if (from < 0) return NOT_PLAIN;
    if (startsWith(frame, from, this.#bytes)) return from + this.#bytes.length;
    const end = passText(frame, from);
    if (end < 0) return NOT_PLAIN;
    this.text = frame.toString('latin1', from + 1, end - 2);
    this.#bytes = new Uint8Array(frame.subarray(from, end));
    return end;
  }
}

/** Objects that are made one behind the other often require the same of others. */
class KnownRequirements {
  value = NO_REQUIREMENTS;
  #known = NO_REQUIREMENTS;
  #bytes = new Uint8Array(0);

  /** Behind the comma that follows the array, which is {@link value} then. */
  pass(frame: Buffer, from: number, end: number): number {
    if (from < 0) return NOT_PLAIN;
    if (frame[from] === OPEN && frame[from + 1] === CLOSE) {
      this.value = NO_REQUIREMENTS;
      return from + 3;
    }
    if (startsWith(frame, from, this.#bytes)) {
      this.value = this.#known;
      return from + this.#bytes.length;
    }
    const behind = passArray(frame, from, end);
    if (behind < 0) return NOT_PLAIN;
    this.#known = requirementsIn(frame.toString('latin1', from, behind - 1));
    this.value = this.#known;
    this.#bytes = new Uint8Array(frame.subarray(from, behind));
    return behind;
  }
}

/** Whether the bytes, if there are any, stand there. */
function startsWith(frame: Buffer, from: number, bytes: Uint8Array): boolean {
  const { length } = bytes;
  for (let at = 0; at < length; at += 1) if (frame[from + at] !== bytes[at]) return false;
  return length > 0;
}

function isAt(frame: Buffer, from: number, end: number, text: string): boolean {
  if (text.length !== end - from) return false;
  for (let at = 0; at < text.length; at += 1) {
    if (frame[from + at] !== text.charCodeAt(at)) return false;
  }
  return true;
}

/** Behind the comma that follows the text. */
function passText(frame: Buffer, from: number): number {
  if (from < 0 || frame[from] !== QUOTE) return NOT_PLAIN;
  const { length } = frame;
  let at = from + 1;
  for (; at < length; at += 1) {
    const byte = frame[at] ?? 0;
    if (byte === QUOTE) break;
    if (byte === BACKSLASH || byte >= NOT_ASCII) return NOT_PLAIN;
  }
  return frame[at + 1] === COMMA ? at + 2 : NOT_PLAIN;
}

/** Behind the comma that follows the array. */
function passArray(frame: Buffer, from: number, end: number): number {
  let depth = 0;
  let isText = false;
  for (let at = from; at < end; at += 1) {
    const byte = frame[at] ?? 0;
    if (byte === BACKSLASH || byte >= NOT_ASCII) return NOT_PLAIN;
    if (byte === QUOTE) isText = !isText;
    else if (!isText && byte === OPEN) depth += 1;
    else if (!isText && byte === CLOSE) depth -= 1;
    if (depth === 0) return frame[at + 1] === COMMA ? at + 2 : NOT_PLAIN;
  }
  return NOT_PLAIN;
}
