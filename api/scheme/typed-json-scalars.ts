/**
 * Values that Go writes in JSON in a form of their own. Bytes: standard base64 with padding, line
 * breaks allowed inside. Times: RFC 3339, written in UTC with whole seconds (Time) or with
 * microseconds (MicroTime); year 1 at midnight is Go's zero time and is written as null.
 *
 * In Kubernetes: Time and MicroTime, apimachinery/pkg/apis/meta/v1; time.Parse and encoding/base64
 * in Go.
 */
import { Escapes } from '../json/go-escapes.ts';
import { onceOfLong } from '../json/long-text.ts';

/** The text as Go writes it back; undefined when it is no base64. */
export function canonicalBase64(text: string): string | undefined {
  const canonical = Buffer.from(text, 'base64').toString('base64');
  if (canonical === text) return text;
  return illegalBase64At(text) === undefined ? canonical : undefined;
}

const NOT_IN_ALPHABET = /[^A-Za-z0-9+/]/;

/** The byte at which Go gives up; undefined when the text is base64. */
export function illegalBase64At(text: string): number | undefined {
  let inQuantum = 0;
  let position = 0;
  for (; position < text.length; position++) {
    const character = text.charAt(position);
    if (character === '\n' || character === '\r') continue;
    if (character === '=') return illegalPaddingAt(text, position, inQuantum);
    if (NOT_IN_ALPHABET.test(character)) return bytesBefore(text, position);
    inQuantum = (inQuantum + 1) % 4;
  }
  return inQuantum === 0 ? undefined : position - inQuantum;
}

/** `position` is that of the first `=`, behind `inQuantum` characters of its group of four. */
function illegalPaddingAt(text: string, position: number, inQuantum: number): number | undefined {
  if (inQuantum < 2) return position;
  let next = skipLineBreaks(text, position + 1);
  if (inQuantum === 2) {
    if (next === text.length) return text.length;
    if (text.charAt(next) !== '=') return next - 1;
    next++;
  }
  next = skipLineBreaks(text, next);
  return next < text.length ? next : undefined;
}

function skipLineBreaks(text: string, from: number): number {
  let position = from;
  while (text.charAt(position) === '\n' || text.charAt(position) === '\r') position++;
  return position;
}

function bytesBefore(text: string, position: number): number {
  return Buffer.byteLength(text.slice(0, position));
}

/** `metav1.Time` is written in seconds, `metav1.MicroTime` in microseconds. */
export type TimePrecision = 'seconds' | 'microseconds';

type ParsedTime =
  | { readonly ok: true; readonly unixSeconds: number; readonly nanoseconds: number }
  | { readonly ok: false; readonly why: string };

/** 0001-01-01T00:00:00Z in seconds since 1970. */
const ZERO_TIME_SECONDS = -62_135_596_800;
/** The last of February takes the slow path, which knows the years. */
const CANONICAL_DATE =
  /^[12]\d\d\d-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T/;
const CANONICAL_SECONDS = /T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const CANONICAL_MICROSECONDS = /T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;
const SECONDS_LENGTH = '2006-01-02T15:04:05Z'.length;
const MICROSECONDS_LENGTH = '2006-01-02T15:04:05.000000Z'.length;
/** Where the microseconds stand. */
const FRACTION_AT = '2006-01-02T15:04:05.'.length;

/** Whether the text is as Go writes it, which nearly every one is: the server has written it, or client-go. */
function isCanonical(text: string, precision: TimePrecision): boolean {
  return precision === 'seconds'
    ? text.length === SECONDS_LENGTH && CANONICAL_DATE.test(text) && CANONICAL_SECONDS.test(text)
    : text.length === MICROSECONDS_LENGTH &&
        CANONICAL_DATE.test(text) &&
        CANONICAL_MICROSECONDS.test(text);
}

/** The text as it is written; null for the zero time, undefined when it is no time. */
export function canonicalTime(text: string, precision: TimePrecision): string | null | undefined {
  if (isCanonical(text, precision)) return text;
  const reader = new TimeReader(text, precision);
  if (reader.read() !== undefined) return undefined;
  return formatUnixTime(reader.unixSeconds(), reader.nanoseconds, precision);
}

/** null for Go's zero time. */
export function formatUnixTime(
  unixSeconds: number,
  nanoseconds: number,
  precision: TimePrecision,
): string | null {
  if (unixSeconds === ZERO_TIME_SECONDS && nanoseconds === 0) return null;
  const text = textOfSecond(unixSeconds);
  if (precision === 'seconds') return `${text}Z`;
  return `${text}.${String(Math.floor(nanoseconds / 1000)).padStart(6, '0')}Z`;
}

/** A power of two, by which the places of seconds are found. */
const PLACES = 1_024;
/** Texts of seconds, each in its own place: objects are written in the same seconds as others. */
const latest: ({ readonly unixSeconds: number; readonly text: string } | undefined)[] = [];

function textOfSecond(unixSeconds: number): string {
  const place = unixSeconds & (PLACES - 1);
  const known = latest[place];
  if (known?.unixSeconds === unixSeconds) return known.text;
  const iso = new Date(unixSeconds * 1000).toISOString().slice(0, -'.000Z'.length);
  // A zone may lead out of the years of four digits, which Go writes in as few as there are.
  const text = iso.replace(/^(?:\+|(-))0{0,2}(?=\d{4})/, '$1');
  latest[place] = { unixSeconds, text };
  return text;
}

/** Reads a time; `why` is Go's message. */
export function parseTime(text: string, precision: TimePrecision): ParsedTime {
  if (isCanonical(text, precision)) return canonicalParts(text, precision);
  const reader = new TimeReader(text, precision);
  const why = reader.read();
  if (why !== undefined) return { ok: false, why: why() };
  return { ok: true, unixSeconds: reader.unixSeconds(), nanoseconds: reader.nanoseconds };
}

function canonicalParts(text: string, precision: TimePrecision): ParsedTime {
  const at = (from: number): number => twoDigits(text, from);
  const milliseconds = Date.UTC(at(0) * 100 + at(2), at(5) - 1, at(8), at(11), at(14), at(17));
  const microseconds =
    precision === 'seconds'
      ? 0
      : (at(FRACTION_AT) * 100 + at(FRACTION_AT + 2)) * 100 + at(FRACTION_AT + 4);
  return { ok: true, unixSeconds: milliseconds / 1000, nanoseconds: microseconds * 1000 };
}

const ZERO = 0x30;

function twoDigits(text: string, from: number): number {
  return (text.charCodeAt(from) - ZERO) * 10 + text.charCodeAt(from + 1) - ZERO;
}

type DatePart = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second';

interface Step {
  /** What stands in front of the number, then the number as the layout has it. */
  readonly prefix: string;
  readonly element: string;
  readonly part: DatePart;
  readonly pattern: RegExp;
  readonly min: number;
  readonly max: number;
}

const TWO_DIGITS = /^\d\d/;
const STEPS: readonly Step[] = [
  { prefix: '', element: '2006', part: 'year', pattern: /^\d{4}/, min: 0, max: 9999 },
  { prefix: '-', element: '01', part: 'month', pattern: TWO_DIGITS, min: 1, max: 12 },
  { prefix: '-', element: '02', part: 'day', pattern: TWO_DIGITS, min: 0, max: 99 },
  { prefix: 'T', element: '15', part: 'hour', pattern: /^\d\d?/, min: 0, max: 23 },
  { prefix: ':', element: '04', part: 'minute', pattern: TWO_DIGITS, min: 0, max: 59 },
  { prefix: ':', element: '05', part: 'second', pattern: TWO_DIGITS, min: 0, max: 59 },
];

const ZONE = 'Z07:00';
const MICROSECONDS = '.000000';

/** Made when it is told: to quote a long text takes longer than to see that it is no time. */
type Why = () => string;

class TimeReader {
  nanoseconds = 0;
  readonly #text: string;
  readonly #precision: TimePrecision;
  #rest: string;
  #offsetSeconds = 0;
  readonly #parts: Record<DatePart, number> = {
    year: 0,
    month: 1,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
  };

  constructor(text: string, precision: TimePrecision) {
    this.#text = text;
    this.#rest = text;
    this.#precision = precision;
  }

  /** What is wrong, in Go's words; undefined when nothing is. */
  read(): Why | undefined {
    for (const step of STEPS) {
      const why = this.#readNumber(step);
      if (why !== undefined) return why;
    }
    const why = this.#readFraction() ?? this.#readZone();
    if (why !== undefined) return why;
    if (this.#rest !== '') return this.#message(() => `: extra text: ${goQuote(this.#rest)}`);
    const { year, month, day } = this.#parts;
    const daysInMonth = utcDate(year, month + 1, 0).getUTCDate();
    return day < 1 || day > daysInMonth ? this.#outOfRange('day') : undefined;
  }

  unixSeconds(): number {
    const { year, month, day, hour, minute, second } = this.#parts;
    const days = utcDate(year, month, day).getTime() / 1000;
    return days + hour * 3600 + minute * 60 + second - this.#offsetSeconds;
  }

  #readNumber({ prefix, element, part, pattern, min, max }: Step): Why | undefined {
    if (!this.#rest.startsWith(prefix)) return this.#cannotParse(prefix);
    this.#rest = this.#rest.slice(prefix.length);
    const digits = pattern.exec(this.#rest)?.[0];
    if (digits === undefined) return this.#cannotParse(element);
    this.#rest = this.#rest.slice(digits.length);
    const value = Number(digits);
    this.#parts[part] = value;
    return value < min || value > max ? this.#outOfRange(part) : undefined;
  }

  #readFraction(): Why | undefined {
    const isMicro = this.#precision === 'microseconds';
    const fraction = (isMicro ? /^[.,](\d{6})/ : /^[.,](\d+)/).exec(this.#rest);
    if (fraction === null) return isMicro ? this.#cannotParse(MICROSECONDS) : undefined;
    const [all, digits = ''] = fraction;
    this.nanoseconds = Number(digits.slice(0, 9).padEnd(9, '0'));
    this.#rest = this.#rest.slice(all.length);
    return undefined;
  }

  #readZone(): Why | undefined {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      return undefined;
    }
    const zone = /^(.)(\d\d):(\d\d)/su.exec(this.#rest);
    if (zone === null) return this.#cannotParse(ZONE);
    const [all, sign = '', hour = '', minute = ''] = zone;
    const isSign = sign === '+' || sign === '-';
    const held = this.#rest;
    this.#rest = this.#rest.slice(all.length);
    if (Number(hour) > 24) return this.#outOfRange('time zone offset hour');
    if (Number(minute) > 60) return this.#outOfRange('time zone offset minute');
    if (!isSign) {
      this.#rest = held;
      return this.#cannotParse(ZONE);
    }
    this.#offsetSeconds = (Number(hour) * 60 + Number(minute)) * (sign === '-' ? -60 : 60);
    return undefined;
  }

  #outOfRange(what: string): Why {
    return this.#message(() => `: ${what} out of range`);
  }

  #cannotParse(element: string): Why {
    const fraction = this.#precision === 'microseconds' ? MICROSECONDS : '';
    const layout = goQuote(`2006-01-02T15:04:05${fraction}${ZONE}`);
    const rest = this.#rest;
    return this.#message(
      () => ` as ${layout}: cannot parse ${goQuote(rest)} as ${goQuote(element)}`,
    );
  }

  #message(rest: () => string): Why {
    return () => `parsing time ${goQuote(this.#text)}${rest()}`;
  }
}

/** Date.UTC takes the years 0 to 99 for 1900 to 1999; this does not. Months count from 1. */
function utcDate(year: number, month: number, day: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date;
}

/** Quotes as Go's time package does: bytes outside printable ASCII as `\xNN`. */
const goQuote = onceOfLong((text) => `"${TIME_ESCAPES.write(text)}"`);

const TIME_ESCAPES = new Escapes((point) => {
  const character = String.fromCodePoint(point);
  if (character === '"' || character === '\\') return `\\${character}`;
  if (point >= 0x20 && point < 0x80) return undefined;
  return Buffer.from(character).toString('hex').replace(/../g, '\\x$&');
});
