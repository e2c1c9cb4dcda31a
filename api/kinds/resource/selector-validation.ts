/**
 * Selectors of devices, which are expressions, and settings for drivers, which nobody else reads.
 *
 * In Kubernetes: validateSelector and validateOpaqueConfiguration, pkg/apis/resource/validation.
 */
import { formatJson } from '../../json/json-text.ts';
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../json/json.ts';
import { invalidValue, required, tooLong, type FieldErrors } from '../../field/field-errors.ts';
import { checkExpression, nameOfType } from '../rules/expression-check.ts';
import { validateDriverName } from '../rules/text-validation.ts';
import { objectsAt } from '../rules/value-validation.ts';
import { deviceEnvironment } from './device-environment.ts';
import { validateList } from './list-validation.ts';

const SELECTORS_MAX = 32;
const EXPRESSION_BYTES_MAX = 10 * 1024;
const PARAMETERS_BYTES_MAX = 10 * 1024;

export function validateSelectors(field: string, owner: JsonObject): FieldErrors {
  return validateList(field, objectsAt(owner, 'selectors'), SELECTORS_MAX, (path, selector) => {
    const cel = objectAt(selector, 'cel');
    if (cel === undefined) return [required(`${path}.cel`)];
    return validateExpression(`${path}.cel.expression`, stringAt(cel, 'expression'));
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
export function validateSettings(field: string, config: JsonObject, isStored = false): FieldErrors {
  const opaque = objectAt(config, 'opaque');
  if (opaque === undefined) return [required(`${field}.opaque`)];
  const bytesMax = isStored ? Number.POSITIVE_INFINITY : PARAMETERS_BYTES_MAX;
  return [
    ...validateDriverName(`${field}.opaque.driver`, stringAt(opaque, 'driver')),
    ...validateRaw(`${field}.opaque.parameters`, opaque['parameters'], bytesMax),
  ];
}

/** Any JSON object of a limited size. */
export function validateRaw(
  field: string,
  value: JsonObject[string],
  bytesMax: number,
): FieldErrors {
  if (value === undefined || value === null) return [required(field)];
  if (Buffer.byteLength(formatJson(value)) > bytesMax) return [tooLong(field, bytesMax)];
  return isJsonObject(value)
    ? []
    : [invalidValue(field, '<value omitted>', 'must be a valid JSON object')];
}
