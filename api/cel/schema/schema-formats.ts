/**
 * Strings that a schema gives a format: expressions see times, spans of time and bytes.
 *
 * In Kubernetes: kube-openapi/pkg/validation/strfmt.
 */
import { wholeNumber } from '../../json/go-numbers.ts';
import { goQuote } from '../../json/go-format.ts';
import { parseDuration, parseTimestamp, timestampOfSeconds } from '../timestamps.ts';
import { CelBytes, CelDuration, CelError, isInt64, type CelValue } from '../value.ts';

const DAY_NANOS = 86_400_000_000_000n;

/** Nanoseconds by what the unit begins with, or is. */
const UNITS: readonly (readonly [names: readonly string[], prefix: string, nanos: bigint])[] = [
  [['ns'], 'nano', 1n],
  [['us', 'µs'], 'micro', 1000n],
  [['ms'], 'milli', 1_000_000n],
  [['s'], 'sec', 1_000_000_000n],
  [['m'], 'min', 60_000_000_000n],
  [['h', 'hr'], 'hour', 3_600_000_000_000n],
  [['d'], 'day', DAY_NANOS],
  [['w', 'wk'], 'week', 7n * DAY_NANOS],
];

/** Each number that there is, with its unit or without: so none is looked at twice. */
const AMOUNT = /(\d+)[\t\n\f\r ]*([A-Za-zµ]*)/g;
/** Of Go's int64. */
const AMOUNT_DIGITS_MAX = 19;

/** Go's durations, and `2 weeks 3 days`. */
export function schemaDuration(text: string): CelValue {
  const duration = parseDuration(text);
  if (duration !== undefined) return duration;
  let nanos: bigint | undefined;
  for (const [, amount = '', name = ''] of text.matchAll(AMOUNT)) {
    if (name === '') continue;
    const number = wholeNumber(amount, AMOUNT_DIGITS_MAX);
    if (number === undefined) return unparsedDuration(text);
    const unit = unitOf(name.toLowerCase());
    if (unit !== undefined) nanos = (nanos ?? 0n) + number * unit;
  }
  if (nanos !== undefined && isInt64(nanos)) return new CelDuration(nanos);
  return unparsedDuration(text);
}

function unparsedDuration(text: string): CelError {
  return new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
}

function unitOf(name: string): bigint | undefined {
  return UNITS.find(([names, prefix]) => names.includes(name) || name.startsWith(prefix))?.[2];
}

export function schemaDate(text: string): CelValue {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const timestamp = isDate ? parseTimestamp(`${text}T00:00:00Z`) : undefined;
  return timestamp ?? unparsed('date', text, '2006-01-02');
}

/** RFC 3339, or without a time zone; '' is 1970. */
export function schemaDateTime(text: string): CelValue {
  if (text === '') return timestampOfSeconds(0, 0);
  const isLocal = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(text);
  const timestamp = parseTimestamp(isLocal ? `${text}Z` : text);
  return timestamp ?? unparsed('date-time', text, '2006-01-02T15:04:05');
}

function unparsed(format: string, text: string, layout: string): CelError {
  const why = `parsing time ${goQuote(text)} as ${goQuote(layout)}: cannot parse`;
  return new CelError(`Invalid ${format} formatted string ${text}: ${why}`);
}

export function schemaBytes(text: string): CelValue {
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(
    text.replace(/[\r\n]/g, ''),
  );
  if (isBase64) return new CelBytes(Buffer.from(text, 'base64'));
  const at = text.search(/[^A-Za-z0-9+/=\r\n]/);
  const place = String(at < 0 ? text.length : at);
  const why = `illegal base64 data at input byte ${place}`;
  return new CelError(`Invalid byte formatted string ${text}: ${why}`);
}
