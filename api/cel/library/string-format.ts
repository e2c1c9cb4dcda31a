/**
 * `'%s has %d'.format([name, count])`.
 *
 * In Kubernetes: ext/formatting.go of cel-go, with the numbers of the locale en_US.
 */
import { wholeNumber } from '../../json/go-numbers.ts';
import { goQuote } from '../../json/go-format.ts';
import { valuesOf } from '../containers.ts';
import { formatDouble } from '../go-text.ts';
import { formatSeconds, formatTimestamp } from '../timestamps.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  isInt,
  type CelValue,
} from '../value.ts';
import { typeOfValue } from '../value-type.ts';
import { toText } from './conversion.ts';
import { CLAUSE, refusal, unknownClause, unreadableClause } from './format-clauses.ts';

/** The text with its clauses filled in, or the error of the first that cannot be. */
export function formatString(text: string, args: readonly CelValue[]): string | CelError {
  let next = 0;
  let failed: CelError | undefined;
  const formatted = text.replace(CLAUSE, (clause: string, precision?: string, verb?: string) => {
    if (failed !== undefined || clause === '%%') return '%';
    if (verb === undefined) {
      failed = new CelError(unreadableClause(clause));
      return '';
    }
    const arg = args[next];
    if (arg === undefined) {
      failed = new CelError(`index ${String(next)} out of range`);
      return '';
    }
    next++;
    const shown = formatClause(verb, precision, arg);
    if (shown instanceof CelError) failed = shown;
    return shown instanceof CelError ? '' : shown;
  });
  return failed ?? formatted;
}

function formatClause(
  verb: string,
  precision: string | undefined,
  arg: CelValue,
): string | CelError {
  const digits = Number(precision ?? '6');
  switch (verb) {
    case 's':
      return formatValue(arg);
    case 'd':
      return inBase(arg, 10) ?? wrong('d', arg);
    case 'f':
      return formatFloat(arg, 'f', (value) => fixed(value, digits));
    case 'e':
      return padded(formatFloat(arg, 'e', scientific), digits);
    case 'b':
      if (typeof arg === 'boolean') return arg ? '1' : '0';
      return inBase(arg, 2) ?? wrong('b', arg);
    case 'x':
      return formatHex(arg) ?? wrong('x', arg);
    case 'X':
      return formatHex(arg)?.toUpperCase() ?? wrong('X', arg);
    case 'o':
      return inBase(arg, 8) ?? wrong('o', arg);
    default:
      return new CelError(unknownClause(verb));
  }
}

/** What is given as the precision of a scientific number is, in Go, the width of it. */
function padded(text: string | CelError, width: number): string | CelError {
  return typeof text === 'string' ? text.padStart(Math.min(width, 1000)) : text;
}

function wrong(verb: string, arg: CelValue): CelError {
  return new CelError(refusal(verb, typeOfValue(arg).name));
}

function whole(arg: CelValue): bigint | undefined {
  if (isInt(arg)) return BigInt(arg);
  return arg instanceof CelUint ? arg.value : undefined;
}

function inBase(arg: CelValue, base: number): string | undefined {
  return whole(arg)?.toString(base);
}

function formatHex(arg: CelValue): string | undefined {
  if (typeof arg === 'string') return Buffer.from(arg).toString('hex');
  return arg instanceof CelBytes ? Buffer.from(arg.bytes).toString('hex') : inBase(arg, 16);
}

const NAMED: ReadonlyMap<string, number> = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

function formatFloat(
  arg: CelValue,
  verb: string,
  format: (value: number) => string,
): string | CelError {
  const value =
    arg instanceof CelDouble ? arg.value : typeof arg === 'string' ? NAMED.get(arg) : undefined;
  if (value === undefined) return wrong(verb, arg);
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? format(value) : value > 0 ? '∞' : '-∞';
}

/** Digits that Intl writes exactly; with more of them nothing is ever half-way. */
const ROUNDED_DIGITS_MAX = 15;

function fixed(value: number, digits: number): string {
  if (digits > ROUNDED_DIGITS_MAX) {
    const [whole = '', fraction = ''] = value.toFixed(Math.min(digits, 100)).split('.');
    return `${withThousands(whole)}.${fraction}`;
  }
  return new Intl.NumberFormat('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    roundingMode: 'halfEven',
  }).format(value);
}

/** Of the largest double. */
const DOUBLE_DIGITS_MAX = 309;

/** With a comma before each three digits; as it is where the number has an exponent. */
function withThousands(whole: string): string {
  const [, sign = '', digits] = /^(-?)(\d+)$/.exec(whole) ?? [];
  const number = digits === undefined ? undefined : wholeNumber(digits, DOUBLE_DIGITS_MAX);
  return number === undefined ? whole : sign + number.toLocaleString('en-US');
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Always with six digits behind the point. */
function scientific(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential(6).split('e');
  const power = String(Math.abs(Number(exponent)))
    .padStart(2, '0')
    .replace(/\d/g, (digit) => SUPERSCRIPTS.charAt(Number(digit)));
  return `${mantissa}×10${Number(exponent) < 0 ? '⁻' : ''}${power}`;
}

/** As `%s` shows it; strings inside lists and maps are quoted. */
function formatValue(arg: CelValue): string | CelError {
  if (arg === null) return 'null';
  if (arg instanceof CelList) return formatList(arg);
  if (arg instanceof CelMap) return formatMap(arg);
  if (arg instanceof CelTypeValue) return arg.type.name;
  const text = toText(arg, null, null, null);
  if (typeof arg === 'string') return arg;
  if (typeof text === 'string') return text;
  return wrong('s', arg);
}

function formatList(list: CelList): string | CelError {
  const items: string[] = [];
  for (const value of valuesOf(list)) {
    const item = formatInside(value);
    if (item instanceof CelError) return item;
    items.push(item);
  }
  return `[${items.join(', ')}]`;
}

function formatMap(map: CelMap): string | CelError {
  const entries: (readonly [key: string, value: string])[] = [];
  for (const key of map.keys()) {
    const shownKey = formatInside(key);
    const value = formatInside(map.find(key) ?? null);
    if (shownKey instanceof CelError) return shownKey;
    if (value instanceof CelError) return value;
    entries.push([shownKey, value]);
  }
  entries.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

function formatInside(value: CelValue): string | CelError {
  if (typeof value === 'string') return goQuote(value);
  if (value instanceof CelTimestamp) return `timestamp(${goQuote(formatTimestamp(value))})`;
  if (value instanceof CelDuration) return `duration(${goQuote(formatSeconds(value))})`;
  if (value instanceof CelDouble) {
    return Number.isFinite(value.value) ? value.value.toFixed(6) : `"${formatDouble(value.value)}"`;
  }
  const text = formatValue(value);
  return value instanceof CelBytes && typeof text === 'string' ? `b${goQuote(text)}` : text;
}
