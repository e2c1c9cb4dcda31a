/**
 * Whether a value is valid, compiled into closures that make nothing. What is wrong with one that
 * is not, explain-values.ts says. The parts of a schema are compiled when a value first has them:
 * of a schema with thousands of fields, objects use a few dozen.
 *
 * In Kubernetes: SchemaValidator of kube-openapi, pkg/validation/validate.
 */
import { isNumber, type JsonObject, type JsonValue } from '../json/json.ts';
import { compileRegularExpression, type CompiledExpression } from '../meta/regular-expression.ts';
import { ownValue } from '../json/own-property.ts';
import { keysOf, mayPause, someItem, someKey, undivided } from '../json/work-in-slices.ts';
import { checkedSchema, type AnySchema, type CheckedSchema } from './checked-schema.ts';
import { fitsType, hasDuplicates } from './explain-values.ts';
import { formatCheck } from './formats.ts';
import { equalsAllowed, lengthInCharacters } from './json-kind.ts';
import { numberAcceptance } from './number-checks.ts';

export type Accept = (value: JsonValue) => boolean;

type Check<T> = (value: T) => boolean;

/** Compiles a fast yes or no for values; `explainValue` finds out why not. */
export function compileAcceptance(schema: AnySchema): Accept {
  const checked = checkedSchema(schema);
  const whole = allOf([junctorCheck(checked), enumCheck(checked)]);
  const text = allOf([textCheck(checked), formatCheck(checked.format)]);
  const number = numberAcceptance(checked);
  const list = listCheck(checked);
  const object = objectCheck(checked);
  const { types } = checked;
  const [only] = types.length === 1 ? types : [];
  return (value) => {
    if (value === null) return acceptsNull(checked);
    // A list is an object to JavaScript, so it is looked at below again.
    if (typeof value !== only && !fitsType(checked, value)) return false;
    if (whole !== undefined && !whole(value)) return false;
    if (typeof value === 'string') return text === undefined || text(value);
    if (isNumber(value)) return number === undefined || number(value);
    if (typeof value !== 'object') return true;
    if (Array.isArray(value)) {
      return fitsType(checked, value) && (list === undefined || list(value));
    }
    return object === undefined || object(value);
  };
}

function acceptsNull(checked: CheckedSchema): boolean {
  return fitsType(checked, null) && checked.values.enum === undefined;
}

/** undefined: nothing is checked. */
function allOf<T>(checks: readonly (Check<T> | undefined)[]): Check<T> | undefined {
  const [first, second] = checks.filter((check) => check !== undefined);
  if (first === undefined || second === undefined) return first;
  return (value) => first(value) && second(value);
}

function lazily(schema: AnySchema): Accept {
  let compiled: Accept | undefined;
  return (value) => {
    compiled ??= undivided(() => compileAcceptance(schema));
    return compiled(value);
  };
}

function junctorCheck({ values }: CheckedSchema): Check<JsonValue> | undefined {
  const { anyOf, oneOf, allOf: all, not } = values;
  const checks: Check<JsonValue>[] = [];
  if (anyOf.length > 0) {
    const accepts = anyOf.map(lazily);
    checks.push((value) => accepts.some((accept) => accept(value)));
  }
  if (oneOf.length > 0) {
    const accepts = oneOf.map(lazily);
    checks.push((value) => accepts.filter((accept) => accept(value)).length === 1);
  }
  for (const one of all) checks.push(lazily(one));
  if (not !== undefined) {
    const accepts = lazily(not);
    checks.push((value) => !accepts(value));
  }
  if (checks.length === 0) return undefined;
  return (value) => checks.every((check) => check(value));
}

function enumCheck({ values }: CheckedSchema): Check<JsonValue> | undefined {
  const allowed = values.enum;
  if (allowed === undefined) return undefined;
  return (value) => allowed.some((one) => value === one || equalsAllowed(value, one));
}

function textCheck({ values }: CheckedSchema): Check<string> | undefined {
  const { maxLength = Infinity, minLength = 0, pattern } = values;
  const fits =
    maxLength === Infinity && minLength === 0
      ? undefined
      : (value: string): boolean => {
          // Characters are as many as units, or fewer, but not fewer than half as many.
          const { length } = value;
          if (length <= maxLength && length >= minLength * 2) return true;
          const characters = lengthInCharacters(value);
          return characters <= maxLength && characters >= minLength;
        };
  if (pattern === '') return fits;
  let compiled: CompiledExpression | undefined;
  return (value) => {
    if (fits !== undefined && !fits(value)) return false;
    compiled ??= compileRegularExpression(pattern);
    return compiled.ok && compiled.expression.test(value);
  };
}

function listCheck({ values, items }: CheckedSchema): Check<JsonValue[]> | undefined {
  const { minItems = 0, maxItems = Infinity, uniqueItems } = values;
  const acceptItem = items === undefined ? undefined : lazily(items);
  return (value) => {
    if (value.length < minItems || value.length > maxItems) return false;
    if (uniqueItems && hasDuplicates(value)) return false;
    return acceptItem === undefined || everyItem(value, acceptItem);
  };
}

function objectCheck(checked: CheckedSchema): Check<JsonObject> | undefined {
  const { minProperties = 0, maxProperties = Infinity, required } = checked.values;
  const { properties, additionalProperties } = checked;
  const countsFields = minProperties > 0 || maxProperties !== Infinity;
  const others = additionalProperties === undefined ? undefined : lazily(additionalProperties);
  const fields = new Map<string, Accept>();
  const acceptanceOf = (name: string): Accept | undefined => {
    const known = fields.get(name);
    if (known !== undefined) return known;
    const schema = properties.get(name);
    if (schema === undefined) return others;
    const compiled = undivided(() => compileAcceptance(schema));
    fields.set(name, compiled);
    return compiled;
  };
  return (value) => {
    if (countsFields) {
      const count = keysOf(value).length;
      if (count < minProperties || count > maxProperties) return false;
    }
    for (const name of required) {
      if (ownValue(value, name) === undefined) return false;
    }
    if (mayPause()) return !someKey(value, (name) => isRefused(value[name], acceptanceOf(name)));
    for (const name in value) {
      if (isRefused(value[name], acceptanceOf(name))) return false;
    }
    return true;
  };
}

function isRefused(field: JsonValue | undefined, accepts: Accept | undefined): boolean {
  return field !== undefined && accepts !== undefined && !accepts(field);
}

/** Whether all are accepted. */
export function everyItem(list: readonly JsonValue[], accepts: Accept): boolean {
  if (!mayPause()) return list.every(accepts);
  return !someItem(list, (item) => !accepts(item));
}
