/** What type a value has, and whether it will do where a type is asked for. */
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  ERROR,
  INT,
  isDynamic,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  parameterOf,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
  type CelType,
} from './cel-type.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from './value.ts';

const LIST = listOf(DYN);
const MAP = mapOf(DYN, DYN);
const OPTIONAL = optionalOf(DYN);

/** Values know nothing of the parameters of their types. */
export function typeOfValue(value: CelValue): CelType {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'string':
      return STRING;
    case 'number':
    case 'bigint':
      return INT;
    default:
      return value === null ? NULL : typeOfObject(value);
  }
}

function typeOfObject(value: CelValue & object): CelType {
  if (value instanceof CelList) return LIST;
  if (value instanceof CelMap) return MAP;
  if (value instanceof CelUint) return UINT;
  if (value instanceof CelDouble) return DOUBLE;
  if (value instanceof CelBytes) return BYTES;
  if (value instanceof CelTimestamp) return TIMESTAMP;
  if (value instanceof CelDuration) return DURATION;
  if (value instanceof CelTypeValue) return TYPE;
  if (value instanceof CelOptional) return OPTIONAL;
  return value instanceof CelOpaque ? value.type : ERROR;
}

/**
 * Whether `value` is of `type` as far as a look at it tells: of lists and maps only what comes
 * first is looked at.
 */
export function isOfType(value: CelValue, type: CelType): boolean {
  if (isDynamic(type) || type.kind === 'parameter') return true;
  if (type.nullable === true && value === null) return true;
  if (typeOfValue(value).name !== type.name) return false;
  if (value instanceof CelList) {
    return value.size === 0 || isOfType(value.at(0), parameterOf(type, 0));
  }
  if (!(value instanceof CelMap) || value.size === 0) return true;
  const [key = null] = value.keys();
  const found = value.find(key) ?? null;
  return isOfType(key, parameterOf(type, 0)) && isOfType(found, parameterOf(type, 1));
}
