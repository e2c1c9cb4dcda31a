/**
 * The data of objects as values of expressions that know no schema: a whole number is an int, every
 * other number a double.
 *
 * In Kubernetes: the native values of an activation, apiserver/pkg/admission/plugin/cel.
 */
import { jsonValue, type JsonReading } from './json-values.ts';
import { CelDouble, intOfNumber, type CelValue } from './value.ts';
import type { JsonValue } from '../json/json.ts';

const READING: JsonReading = {
  number: (value) =>
    typeof value === 'bigint' || Number.isSafeInteger(value)
      ? intOfNumber(value)
      : new CelDouble(value),
  keyOf: (key) => key,
};

export function dynamicValue(data: JsonValue): CelValue {
  return jsonValue(data, READING);
}
