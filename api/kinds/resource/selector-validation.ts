/**
 * Selectors of devices, which are expressions about one device, and settings that only a driver reads.
 *
 * In Kubernetes: validateSelector and validateOpaqueConfiguration, pkg/apis/resource/validation;
 * newCompiler, dynamic-resource-allocation/cel.
 */
import { keysOf } from '../../json/work-in-slices.ts';
import { items } from '../../json/go-values.ts';
import type {
  DeviceSelector,
  OpaqueDeviceConfiguration,
} from '../../generated/kinds/resource-v1.ts';
import { formatJson } from '../../json/json-text.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import { type FieldErrors, invalidValue, required, tooLong } from '../../field/field-errors.ts';
import { checkExpression, nameOfType } from '../rules/expression-check.ts';
import { validateDriverName } from '../rules/text-validation.ts';
import { validateList } from './list-validation.ts';
import { ANY, BOOL, mapOf, STRING, structType } from '../../cel/cel-type.ts';
import type { Environment } from '../../cel/environment.ts';
import { KUBERNETES } from '../../cel/kubernetes-environment.ts';
import { QUANTITY_TYPE } from '../../cel/library/opaque-values.ts';
import { BIND_MACRO } from '../../cel/syntax/macros.ts';

const SELECTORS_MAX = 32;
const EXPRESSION_BYTES_MAX = 10 * 1024;
const PARAMETERS_BYTES_MAX = 10 * 1024;

/** Each an expression that gives a boolean. */
export function validateSelectors(
  field: string,
  selectors: readonly DeviceSelector[] | undefined,
): FieldErrors {
  return validateList(field, items(selectors), SELECTORS_MAX, (path, { cel }) => {
    if (cel === undefined) return [required(`${path}.cel`)];
    return validateExpression(`${path}.cel.expression`, cel.expression);
  });
}

function validateExpression(field: string, expression: string): FieldErrors {
  if (Buffer.byteLength(expression) > EXPRESSION_BYTES_MAX) {
    return [tooLong(field, EXPRESSION_BYTES_MAX)];
  }
  const use = { environment: deviceEnvironment(), results: undefined };
  const { errors, type } = checkExpression(field, expression, use);
  if (type === undefined || type.kind === 'bool' || type.kind === 'any') return errors;
  const detail = `must evaluate to bool or the unknown type, not ${nameOfType(type)}`;
  return [invalidValue(field, expression, detail)];
}

/** `isStored`: they are those of the old object, which may be larger. */
export function validateSettings(
  field: string,
  { opaque }: { opaque?: OpaqueDeviceConfiguration },
  isStored = false,
): FieldErrors {
  if (opaque === undefined) return [required(`${field}.opaque`)];
  const bytesMax = isStored ? Number.POSITIVE_INFINITY : PARAMETERS_BYTES_MAX;
  return [
    ...validateDriverName(`${field}.opaque.driver`, opaque.driver),
    ...validateRaw(`${field}.opaque.parameters`, opaque.parameters, bytesMax),
  ];
}

/** Any JSON object of a limited size. */
export function validateRaw(
  field: string,
  value: JsonValue | undefined,
  bytesMax: number,
): FieldErrors {
  if (value === undefined || value === null) return [required(field)];
  if (isLonger(value, bytesMax)) return [tooLong(field, bytesMax)];
  return isJsonObject(value)
    ? []
    : [invalidValue(field, '<value omitted>', 'must be a valid JSON object')];
}

/** Of a key with its value, at least. */
const KEY_BYTES_MIN = 5;

/** Whether its text has more bytes; one that has many more is not written. */
function isLonger(value: JsonValue, bytesMax: number): boolean {
  if (bytesMax === Number.POSITIVE_INFINITY) return false;
  const open: JsonValue[] = [value];
  let left = bytesMax;
  for (let one = open.pop(); one !== undefined && left >= 0; one = open.pop()) {
    left -= typeof one === 'string' ? one.length : 1;
    if (Array.isArray(one)) {
      if (one.length > left) return true;
      for (const item of one) open.push(item ?? null);
    } else if (isJsonObject(one)) {
      const keys = keysOf(one);
      if (keys.length * KEY_BYTES_MIN > left) return true;
      for (const key of keys) {
        left -= key.length;
        open.push(one[key] ?? null);
      }
    }
  }
  return left < 0 || Buffer.byteLength(formatJson(value)) > bytesMax;
}

const DEVICE = structType('kubernetes.DRADevice');
const FIELDS = new Map([
  ['driver', STRING],
  ['attributes', mapOf(STRING, mapOf(STRING, ANY))],
  ['capacity', mapOf(STRING, mapOf(STRING, QUANTITY_TYPE))],
  ['allowMultipleAllocations', BOOL],
]);

let environment: Environment | undefined;

function deviceEnvironment(): Environment {
  environment ??= KUBERNETES.extend({
    variables: [{ name: 'device', type: DEVICE }],
    macros: [BIND_MACRO],
    structs: {
      has: (name) => name === DEVICE.name,
      fieldType: (name, field) => (name === DEVICE.name ? FIELDS.get(field) : undefined),
    },
  });
  return environment;
}
