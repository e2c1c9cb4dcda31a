/** Values as messages show them, which is Go's `%v`. */
import { trimEnd } from '../meta/trim-end.ts';
import { formatGoFloat } from '../json/go-numbers.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelTypeValue,
  CelUint,
  isInt,
  type CelValue,
} from './value.ts';

export function goText(value: CelValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || isInt(value)) return String(value);
  if (value === null) return 'null';
  if (value instanceof CelUint) return value.value.toString();
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof CelDuration) return formatDuration(value.nanos);
  if (value instanceof CelTypeValue) return value.type.name;
  if (value instanceof CelBytes) return `[${[...value.bytes].map(String).join(' ')}]`;
  return '';
}

/** Go's shortest `%g`: with an exponent below 1e-04 and from 1e+06 on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return formatGoFloat(value);
}

/** As Go's time.Duration: `1h0m0.5s`. */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const whole = nanos < 0n ? -nanos : nanos;
  if (whole < 1_000_000_000n) return sign + formatSmallDuration(whole);
  const minutes = whole / 60_000_000_000n;
  const seconds = decimal(whole % 60_000_000_000n, 9);
  const hours = minutes / 60n;
  const hoursText = hours > 0n ? `${hours.toString()}h` : '';
  const minutesText = minutes > 0n ? `${(minutes % 60n).toString()}m` : '';
  return `${sign}${hoursText}${minutesText}${seconds}s`;
}

function formatSmallDuration(nanos: bigint): string {
  if (nanos < 1000n) return `${nanos.toString()}ns`;
  if (nanos < 1_000_000n) return `${decimal(nanos, 3)}µs`;
  return `${decimal(nanos, 6)}ms`;
}

/** `value` with the decimal point moved `places` to the left, without zeros at the end. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = trimEnd(digits.slice(-places), '0');
  return digits.slice(0, -places) + (fraction === '' ? '' : `.${fraction}`);
}
