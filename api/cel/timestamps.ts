/**
 * Points in time and spans of time, as text and as parts of a calendar. Time zones are those that
 * the runtime knows.
 *
 * In Kubernetes: common/types/timestamp.go and duration.go of cel-go, and Go's package time.
 */
import { BoundedMap } from '../meta/bounded-map.ts';
import { trimEnd } from '../meta/trim-end.ts';
import { wholeNumber } from '../json/go-numbers.ts';
import { CelDuration, CelError, CelTimestamp, isInt64 } from './value.ts';

const SECONDS_MIN = -62135596800;
const SECONDS_MAX = 253402300799;
const BILLION = 1_000_000_000n;

export const TIMESTAMP_OVERFLOW = new CelError('timestamp overflow');

/** Nanoseconds since 1970; negative before. */
export function timestampNanos({ seconds, nanos }: CelTimestamp): bigint {
  return BigInt(seconds) * BILLION + BigInt(nanos);
}

/** Since 1970. */
export function timestampOf(nanos: bigint, ahead: number): CelTimestamp | CelError {
  const rest = ((nanos % BILLION) + BILLION) % BILLION;
  return timestampOfSeconds(Number((nanos - rest) / BILLION), Number(rest), ahead);
}

/** The timestamp `ahead` seconds ahead of UTC; an error outside of the years 1 to 9999. */
export function timestampOfSeconds(
  seconds: number,
  nanos: number,
  ahead = 0,
): CelTimestamp | CelError {
  if (seconds < SECONDS_MIN || seconds > SECONDS_MAX) return TIMESTAMP_OVERFLOW;
  return new CelTimestamp(seconds, nanos, ahead);
}

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** RFC 3339 as Go reads it; undefined: it is none. */
export function parseTimestamp(text: string): CelTimestamp | CelError | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] = match;
  const [fraction = '', sign = '', offsetHours = '0', offsetMinutes = '0'] = match.slice(7);
  const isDay = Number(day) >= 1 && Number(day) <= daysOf(Number(year), Number(month));
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  const isOffset = Number(offsetHours) <= 24 && Number(offsetMinutes) < 60;
  if (!isDay || !isTime || !isOffset) return undefined;
  const local = utcMs([year, month, day, hour, minute, second].map(Number)) / 1000;
  const offset = Number(offsetHours) * 3600 + Number(offsetMinutes) * 60;
  const ahead = sign === '-' ? 0 - offset : offset;
  return timestampOfSeconds(local - ahead, Number(fraction.slice(0, 9).padEnd(9, '0')), ahead);
}

function daysOf(year: number, month: number): number {
  if (month < 1 || month > 12) return 0;
  return new Date(utcMs([year, month + 1, 0, 0, 0, 0])).getUTCDate();
}

/** Date.UTC takes the years below 100 for others. */
function utcMs([year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0]: number[]): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, 0);
  return date.getTime();
}

/** RFC 3339 by the clock it was written by, with as many digits as it takes. */
export function formatTimestamp({ seconds, nanos, ahead }: CelTimestamp): string {
  const text = new Date((seconds + ahead) * 1000).toISOString().slice(0, -5).replace(/^\+0/, '');
  const fraction = nanos === 0 ? '' : `.${trimEnd(String(nanos).padStart(9, '0'), '0')}`;
  return `${text}${fraction}${ahead === 0 ? 'Z' : formatOffset(ahead)}`;
}

function formatOffset(ahead: number): string {
  const minutes = Math.abs(ahead) / 60;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  const digits = [hours, rest].map((part) => String(part).padStart(2, '0'));
  return (ahead < 0 ? '-' : '+') + digits.join(':');
}

const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: BILLION,
  m: 60n * BILLION,
  h: 3600n * BILLION,
};

/** Of Go's int64. */
const WHOLE_DIGITS_MAX = 19;
const DURATION_PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;

/** As Go's time.ParseDuration; undefined: it is none, or longer than an int64 of nanoseconds. */
export function parseDuration(text: string): CelDuration | undefined {
  const isNegative = text.startsWith('-');
  const rest = isNegative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return new CelDuration(0n);
  let nanos = 0n;
  let at = 0;
  while (at < rest.length) {
    DURATION_PART.lastIndex = at;
    const match = DURATION_PART.exec(rest);
    if (match === null) return undefined;
    const [, whole = '', fraction = '', unit = ''] = match;
    if (whole === '' && fraction === '') return undefined;
    const scale = UNIT_NANOS[unit] ?? 0n;
    const number = wholeNumber(whole, WHOLE_DIGITS_MAX);
    if (number === undefined) return undefined;
    nanos += number * scale;
    // Go cuts fractions after what fits into an int64.
    const digits = fraction.slice(0, 18);
    nanos += ((wholeNumber(digits) ?? 0n) * scale) / 10n ** BigInt(digits.length);
    if (nanos > 2n ** 63n) return undefined;
    at = DURATION_PART.lastIndex;
  }
  const signed = isNegative ? -nanos : nanos;
  return rest === '' || !isInt64(signed) ? undefined : new CelDuration(signed);
}

/** Seconds as a decimal number: `1.5s`. */
export function formatSeconds({ nanos }: CelDuration): string {
  const sign = nanos < 0n ? '-' : '';
  const digits = (nanos < 0n ? -nanos : nanos).toString().padStart(10, '0');
  const fraction = trimEnd(digits.slice(-9), '0');
  return `${sign}${digits.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`}s`;
}

/** The parts of a calendar that a timestamp has somewhere; months and days count from 0. */
export interface CalendarParts {
  /** As in the Gregorian calendar. */
  readonly year: number;
  /** 0 is January. */
  readonly month: number;
  /** 0 is the first. */
  readonly dayOfMonth: number;
  /** 0 is Sunday. */
  readonly dayOfWeek: number;
  /** 0 is the first of January. */
  readonly dayOfYear: number;
  /** 0 to 23. */
  readonly hours: number;
  /** 0 to 59. */
  readonly minutes: number;
  /** 0 to 59; a timestamp has no leap seconds. */
  readonly seconds: number;
}

/** `zone`: a name such as `Europe/Berlin`, or an offset such as `-08:00`. */
export function calendarParts(timestamp: CelTimestamp, zone: string): CalendarParts | CelError {
  const offset = zoneOffset(timestamp, zone);
  if (offset instanceof CelError) return offset;
  const date = new Date((timestamp.seconds + offset) * 1000);
  const midnight = utcMs([date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    dayOfMonth: date.getUTCDate() - 1,
    dayOfWeek: date.getUTCDay(),
    dayOfYear: Math.round((midnight - utcMs([date.getUTCFullYear()])) / 86_400_000),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
  };
}

/** Seconds east of Greenwich. */
function zoneOffset(timestamp: CelTimestamp, zone: string): number | CelError {
  if (zone === 'UTC' || zone === '') return 0;
  const colon = zone.indexOf(':');
  if (colon < 0) return namedOffset(timestamp, zone);
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const part of [hours, minutes]) {
    if (!/^[+-]?\d+$/.test(part)) {
      return new CelError(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`);
    }
  }
  const sign = zone.startsWith('-') ? -1 : 1;
  return (Number(hours) * 60 + sign * Number(minutes)) * 60;
}

/** A name may be anything, and be written in many ways; a format takes some ten thousand bytes. */
const ZONES_MAX = 500;
const zones = new BoundedMap<string, { readonly format: Intl.DateTimeFormat | undefined }>(
  ZONES_MAX,
);

function namedOffset({ seconds }: CelTimestamp, zone: string): number | CelError {
  const format = zoneFormat(zone);
  if (format === undefined) return new CelError(`unknown time zone ${zone}`);
  const parts = new Map(
    format.formatToParts(new Date(seconds * 1000)).map(({ type, value }) => [type, value] as const),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const isBeforeChrist = parts.get('era') === 'BC';
  const year = isBeforeChrist ? 1 - part('year') : part('year');
  const local = utcMs([
    year,
    part('month'),
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  ]);
  return local / 1000 - seconds;
}

function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  const known = zones.get(zone);
  if (known !== undefined) return known.format;
  const format = makeZoneFormat(zone);
  zones.set(zone, { format });
  return format;
}

function makeZoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
