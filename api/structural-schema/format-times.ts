/**
 * Dates, times of day and durations. The surprise is `duration`: what Go does not read as one is
 * one all the same when it has a number with a unit anywhere in it, such as `about 3 days`.
 *
 * In Kubernetes: strfmt of kube-openapi.
 */
import { parseGoDuration } from '../meta/go-duration.ts';
import { parseInt64 } from '../json/go-numbers.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

export function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = DATE.exec(text) ?? [];
  if (year === '' || Number(day) < 1) return false;
  return Number(day) <= daysIn(Number(year), Number(month));
}

const DAYS: readonly number[] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
}

const TIME_OF_DAY = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/;

/** What follows a second `T` is not looked at. */
export function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t', 2);
  const [, hour = '99', minute = '', second = ''] = TIME_OF_DAY.exec(time) ?? [];
  return isDate(date) && hour <= '23' && minute <= '59' && second <= '59';
}

/** Each with its short forms, and the one that may go on in any way. */
const UNITS: readonly (readonly [readonly string[], string])[] = [
  [['ns'], 'nano'],
  [['us', 'µs'], 'micro'],
  [['ms'], 'milli'],
  [['s'], 'sec'],
  [['m'], 'min'],
  [['h', 'hr'], 'hour'],
  [['d'], 'day'],
  [['w', 'wk'], 'week'],
];

export function isDuration(text: string): boolean {
  if (parseGoDuration(text).ok) return true;
  let isKnown = false;
  for (const { digits, unit } of amountsIn(text)) {
    if (typeof parseInt64(digits) === 'string') return false;
    isKnown ||= isUnit(unit.toLowerCase());
  }
  return isKnown;
}

function isUnit(unit: string): boolean {
  return UNITS.some(([short, long]) => short.includes(unit) || unit.startsWith(long));
}

interface Amount {
  readonly digits: string;
  readonly unit: string;
}

const DIGITS = /\d+/y;
const SPACE_AND_UNIT = /[\t\n\f\r ]*([A-Za-zµ]+)/y;
const NOT_DIGITS = /\D*/y;

/** Goes from one run of digits to the next, as looking at each digit of a long run takes forever. */
function* amountsIn(text: string): Iterable<Amount> {
  let at = 0;
  while (at < text.length) {
    at = endOf(NOT_DIGITS, text, at);
    const end = endOf(DIGITS, text, at);
    SPACE_AND_UNIT.lastIndex = end;
    const unit = end === at ? undefined : SPACE_AND_UNIT.exec(text)?.[1];
    if (unit !== undefined) yield { digits: text.slice(at, end), unit };
    at = end;
  }
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
