/**
 * `int(…)`, `string(…)` and so on, `type(…)` and `dyn(…)`.
 *
 * In Kubernetes: ConvertToType of common/types of cel-go.
 */
import { parseGoFloat, wholeNumber } from '../../json/go-numbers.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  parameter,
  STRING,
  TIMESTAMP,
  typeType,
  UINT,
  type CelType,
} from '../cel-type.ts';
import {
  declare,
  declareSingle,
  overload,
  type FunctionDeclaration,
  type Implementation,
  type Library,
} from '../declarations.ts';
import { formatDouble } from '../go-text.ts';
import {
  formatSeconds,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  timestampOfSeconds,
} from '../timestamps.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelError,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  intOf,
  INT_OVERFLOW,
  isInt,
  uintOf,
  UINT_OVERFLOW,
  type CelValue,
} from '../value.ts';
import { typeOfValue } from '../value-type.ts';

/** A conversion that the types of values allow and this value does not. */
function failed(value: CelValue, type: CelType): CelError {
  return new CelError(`type conversion error from '${typeOfValue(value).name}' to '${type.name}'`);
}

const identity: Implementation = (value) => value;

const toInt: Implementation = (value) => {
  if (value instanceof CelUint) return intOf(value.value);
  if (value instanceof CelDouble) return doubleToInt(value.value);
  if (value instanceof CelDuration) return intOf(value.nanos);
  if (value instanceof CelTimestamp) return value.seconds;
  const whole = typeof value === 'string' ? wholeIn(value) : undefined;
  const int = whole === undefined ? undefined : intOf(whole);
  return int === undefined || int instanceof CelError ? failed(value, INT) : int;
};

/** undefined: it is none, or one beyond any whole number of CEL. */
function wholeIn(text: string): bigint | undefined {
  return /^[+-]?\d+$/.test(text) ? wholeNumber(text) : undefined;
}

/** Towards zero. The ends of the range are not exact doubles, so they are out. */
function doubleToInt(value: number): CelValue {
  const isInRange = value > -(2 ** 63) && value < 2 ** 63;
  return isInRange ? intOf(BigInt(Math.trunc(value))) : INT_OVERFLOW;
}

const toUint: Implementation = (value) => {
  if (isInt(value)) return uintOf(BigInt(value));
  if (value instanceof CelDouble) {
    const isInRange = value.value >= 0 && value.value < 2 ** 64;
    return isInRange ? uintOf(BigInt(Math.trunc(value.value))) : UINT_OVERFLOW;
  }
  const whole = typeof value === 'string' && /^\d/.test(value) ? wholeIn(value) : undefined;
  const uint = whole === undefined ? undefined : uintOf(whole);
  return uint === undefined || uint instanceof CelError ? failed(value, UINT) : uint;
};

const toDouble: Implementation = (value) => {
  if (isInt(value)) return new CelDouble(Number(value));
  if (value instanceof CelUint) return new CelDouble(Number(value.value));
  if (typeof value !== 'string') return failed(value, DOUBLE);
  const double = parseGoFloat(value);
  return double === undefined ? failed(value, DOUBLE) : new CelDouble(double);
};

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

const toBool: Implementation = (value) => {
  if (typeof value !== 'string') return failed(value, BOOL);
  if (TRUE.has(value)) return true;
  return FALSE.has(value) ? false : failed(value, BOOL);
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const toText: Implementation = (value) => {
  if (typeof value === 'boolean' || isInt(value)) return String(value);
  if (value instanceof CelUint) return value.value.toString();
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof CelDuration) return formatSeconds(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  return value instanceof CelBytes ? decoded(value) : failed(value, STRING);
};

function decoded({ bytes }: CelBytes): CelValue {
  try {
    return decoder.decode(bytes);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

const toBytes: Implementation = (value) =>
  typeof value === 'string' ? new CelBytes(Buffer.from(value)) : failed(value, BYTES);

const toDuration: Implementation = (value) => {
  if (isInt(value)) return new CelDuration(BigInt(value));
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  return duration ?? failed(value, DURATION);
};

const toTimestamp: Implementation = (value) => {
  if (isInt(value)) return timestampOfSeconds(Number(value), 0);
  const timestamp = typeof value === 'string' ? parseTimestamp(value) : undefined;
  return timestamp ?? failed(value, TIMESTAMP);
};

const toType: Implementation = (value) => new CelTypeValue(typeOfValue(value));

type Named = readonly [name: string, type: CelType];

/** From its own type, which changes nothing, and from `sources`. */
function conversion(
  name: string,
  [target, type]: Named,
  run: Implementation,
  sources: readonly Named[],
): FunctionDeclaration {
  const same = overload(`${target}_to_${target}`, [type], type, identity);
  const others = sources.map(([source, from]) =>
    overload(`${source}_to_${target}`, [from], type, run),
  );
  return declare(name, same, ...others);
}

const BOOLEAN: Named = ['bool', BOOL];
const INT64: Named = ['int64', INT];
const UINT64: Named = ['uint64', UINT];
const FLOAT: Named = ['double', DOUBLE];
const TEXT: Named = ['string', STRING];
const OCTETS: Named = ['bytes', BYTES];
const SPAN: Named = ['duration', DURATION];
const POINT: Named = ['timestamp', TIMESTAMP];

const A = parameter('A');

export const CONVERSION: Library = [
  declareSingle('type', toType, overload('type', [A], typeType(A))),
  conversion('bool', BOOLEAN, toBool, [TEXT]),
  conversion('bytes', OCTETS, toBytes, [TEXT]),
  conversion('double', FLOAT, toDouble, [INT64, TEXT, UINT64]),
  conversion('duration', SPAN, toDuration, [INT64, TEXT]),
  declareSingle('dyn', identity, overload('to_dyn', [A], DYN)),
  conversion('int', INT64, toInt, [FLOAT, SPAN, TEXT, POINT, UINT64]),
  conversion('string', TEXT, toText, [BOOLEAN, OCTETS, FLOAT, SPAN, INT64, POINT, UINT64]),
  conversion('timestamp', POINT, toTimestamp, [INT64, TEXT]),
  conversion('uint', UINT64, toUint, [FLOAT, INT64, TEXT]),
];
