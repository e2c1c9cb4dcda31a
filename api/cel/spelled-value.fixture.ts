/** Values in the form that the Go program in e2e/oracles/cel gives them, which says their type. */
import { formatDouble, formatDuration } from './go-text.ts';
import { formatTimestamp } from './timestamps.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  isInt,
  type CelValue,
} from './value.ts';
import { typeOfValue } from './value-type.ts';

export function spell(value: CelValue): unknown {
  if (value === null) return 'null';
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  if (isInt(value)) return { int: String(value) };
  if (value instanceof CelUint) return { uint: String(value.value) };
  if (value instanceof CelDouble) return { double: formatDouble(value.value) };
  if (value instanceof CelBytes) return { bytes: Buffer.from(value.bytes).toString('base64') };
  if (value instanceof CelTimestamp) {
    return { timestamp: formatTimestamp(new CelTimestamp(value.seconds, value.nanos)) };
  }
  if (value instanceof CelDuration) return { duration: formatDuration(value.nanos) };
  if (value instanceof CelTypeValue) return { type: value.type.name };
  if (value instanceof CelOptional) {
    return { optional: value.value === undefined ? [] : [spell(value.value)] };
  }
  if (value instanceof CelList) {
    return Array.from({ length: value.size }, (_, index) => spell(value.at(index)));
  }
  if (value instanceof CelMap) {
    const entries = value.keys().map((key) => [spell(key), spell(value.find(key) ?? null)]);
    return { map: entries.sort((a, b) => (JSON.stringify(a[0]) < JSON.stringify(b[0]) ? -1 : 1)) };
  }
  return { other: typeOfValue(value).name };
}
