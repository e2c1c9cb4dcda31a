/**
 * The formats of texts that kube-apiserver 1.36 checks in custom resources. A format that is not
 * among them says nothing. Dashes in their names do not count.
 *
 * The surprise is `duration`: what Go does not read as one is one all the same when it has a number
 * with a unit anywhere in it, such as `about 3 days`.
 *
 * In Kubernetes: supportedVersionedFormats, apiextensions-apiserver/pkg/apiserver/validation, and
 * strfmt of kube-openapi.
 */
import { isCidr, isIpv4, isIpv6, isMac } from './format-addresses.ts';
import { isEmail } from './format-email.ts';
import { isRequestUri } from './format-uri.ts';
import { parseGoDuration } from '../meta/go-duration.ts';
import { parseInt64 } from '../json/go-numbers.ts';

type TextCheck = (text: string) => boolean;

const SHORT_NAME = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';

const FORMATS: ReadonlyMap<string, TextCheck> = new Map<string, TextCheck>([
  ['bsonobjectid', matching(/^[0-9a-f]{24}$/i)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', matching(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['rgbcolor', isRgbColor],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', named(63, new RegExp(`^${SHORT_NAME}$`))],
  ['k8slongname', named(253, new RegExp(`^${SHORT_NAME}(?:\\.${SHORT_NAME})*$`))],
]);

/**
 * True for a format that values are checked against; others are ignored. `-` in names does not
 * count.
 */
export function isCheckedFormat(format: string): boolean {
  return FORMATS.has(format.replaceAll('-', ''));
}

/** undefined: a format that is not checked. */
export function formatCheck(format: string): TextCheck | undefined {
  return FORMATS.get(format.replaceAll('-', ''));
}

function matching(pattern: RegExp): TextCheck {
  return (text) => pattern.test(text);
}

function named(lengthMax: number, pattern: RegExp): TextCheck {
  return (text) => text.length <= lengthMax && pattern.test(text);
}

const HOSTNAME_BYTES_MAX = 255;
const LABEL_BYTES_MAX = 63;
const SINGLE_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u;
const LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[-a-zA-Z0-9\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
const TOP_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u;

/** A name without a dot may have one dash only; names may have symbols. */
function isHostname(text: string): boolean {
  if (text.length > HOSTNAME_BYTES_MAX || Buffer.byteLength(text) > HOSTNAME_BYTES_MAX)
    return false;
  const labels = text.split('.');
  if (labels.some((label) => Buffer.byteLength(label) > LABEL_BYTES_MAX)) return false;
  if (SINGLE_LABEL.test(text)) return true;
  const top = labels.pop() ?? '';
  return labels.length > 0 && TOP_LABEL.test(top) && labels.every((label) => LABEL.test(label));
}

const SPACE_AND_DASH = /[\t\n\f\r -]+/g;

function isIsbn10(text: string): boolean {
  const digits = text.replace(SPACE_AND_DASH, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = numbersIn(digits).reduce((total, digit, index) => total + (index + 1) * digit, 0);
  return sum % 11 === 0;
}

/** An X, as the last digit of an ISBN, is ten. */
function numbersIn(digits: string): number[] {
  return Array.from(digits, (digit) => (digit === 'X' ? 10 : Number(digit)));
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(SPACE_AND_DASH, '');
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = numbersIn(digits).reduce(
    (total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3),
    0,
  );
  return sum % 10 === 0;
}

const CARD = new RegExp(
  '^(?:4\\d{12}(?:\\d{3})?|5[1-5]\\d{14}|6(?:011|5\\d\\d)\\d{12}|3[47]\\d{13}|' +
    '3(?:0[0-5]|[68]\\d)\\d{11}|(?:2131|1800|35\\d{3})\\d{11})$',
);

/** Whatever is no digit may stand between them. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!CARD.test(digits)) return false;
  const sum = numbersIn(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = digit * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

const COLOR_PART = '[\\t\\n\\f\\r ]*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])[\\t\\n\\f\\r ]*';
const RGB_COLOR = new RegExp(`^rgb\\(${COLOR_PART},${COLOR_PART},${COLOR_PART}\\)$`);
const RGB_COLOR_LENGTH_MAX = 1_000;

function isRgbColor(text: string): boolean {
  return text.length <= RGB_COLOR_LENGTH_MAX && RGB_COLOR.test(text);
}

/** Of whole groups of four, and of one at least. */
function isBase64(text: string): boolean {
  if (text.length === 0 || text.length % 4 !== 0) return false;
  const end = text.endsWith('==') ? -2 : text.endsWith('=') ? -1 : text.length;
  return !/[^A-Za-z0-9+/]/.test(text.slice(0, end));
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

function isDate(text: string): boolean {
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
function isDateTime(text: string): boolean {
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
