/** Values of expressions as the data of objects, as far as data has such values. */
import { int64Of } from '../json/go-numbers.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { setOwn } from '../json/own-property.ts';
import { goText } from './go-text.ts';
import { formatSeconds, formatTimestamp } from './timestamps.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelTimestamp,
  CelUint,
  isInt,
  isInt64,
  type CelValue,
} from './value.ts';

export function jsonOf(value: CelValue): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (isInt(value)) return value;
  if (value instanceof CelDouble) return value.value;
  if (value instanceof CelUint)
    return isInt64(value.value) ? int64Of(value.value) : Number(value.value);
  if (value instanceof CelBytes) return Buffer.from(value.bytes).toString('base64');
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatSeconds(value);
  if (value instanceof CelList) {
    return Array.from({ length: value.size }, (_, index) => jsonOf(value.at(index)));
  }
  return value instanceof CelMap ? jsonOfMap(value) : goText(value);
}

function jsonOfMap(map: CelMap): JsonObject {
  const object: JsonObject = {};
  for (const key of map.keys()) setOwn(object, goText(key), jsonOf(map.find(key) ?? null));
  return object;
}
