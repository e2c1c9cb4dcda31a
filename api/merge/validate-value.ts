/**
 * Whether a value has the form that its type gives it, so that it can be merged: no field that the
 * schema does not know, no two items of a list with one key. This is far from all that validation
 * asks for; numbers, for one, are all alike here.
 *
 * In Kubernetes: TypedValue.Validate, sigs.k8s.io/structured-merge-diff/typed.
 */
import { isJsonObject, isNumber, type JsonObject, type JsonValue } from '../json/json.ts';
import { forEachItem, remembered, someItem, someKey } from '../json/work-in-slices.ts';
import { listElement } from './list-elements.ts';
import {
  fieldTypeOf,
  formOf,
  heldForm,
  type MergeList,
  type MergeMap,
  type MergeScalar,
  type MergeType,
} from './merge-type.ts';
import { fieldElement, showElement } from './path-element.ts';
import { showBoxed, showBoxedSyntax, showTypeOf } from './show-value.ts';

/** How strict a value is judged. */
export interface ValidateOptions {
  /** Two items of a list may have one key. */
  readonly allowDuplicates?: boolean;
}

interface Check extends ValidateOptions {
  /** With their paths. */
  readonly errors: string[];
  /** Path elements from the top to where the check is; most are never shown. */
  readonly path: string[];
}

/** @returns undefined when the value is as the type has it; otherwise upstream's message. */
export function validateValue(
  value: JsonValue,
  type: MergeType,
  options: ValidateOptions = {},
): string | undefined {
  const errors = remembered((): string[] => []);
  const check = { errors, path: [], ...options };
  validateNode(check, value, type);
  return errorsText(check.errors);
}

function errorsText(errors: readonly string[]): string | undefined {
  if (errors.length <= 1) return errors[0];
  return ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');
}

function validateNode(check: Check, value: JsonValue, type: MergeType): void {
  if (value === null) return;
  const form = heldForm(type, formOf(type, value));
  if (form === 'map' && type.map !== undefined) validateMap(check, value, type.map);
  else if (form === 'list' && type.list !== undefined) validateList(check, value, type.list);
  else if (type.scalar !== undefined) validateScalar(check, value, type.scalar);
  else complain(check, 'schema error: invalid atom: inlined');
}

function complain({ path, errors }: Check, message: string): void {
  const where = path.map((element) => showElement(element)).join('');
  errors.push(where === '' ? message : `${where}: ${message}`);
}

function validateMap(check: Check, value: JsonValue, map: MergeMap): void {
  if (isJsonObject(value)) validateFields(check, value, map);
  else complain(check, `expected map, got ${showBoxed(value)}`);
}

function validateFields(check: Check, object: JsonObject, map: MergeMap): void {
  someKey(object, (name) => {
    const value = object[name];
    if (value === undefined) return false;
    const type = fieldTypeOf(map, name);
    // Most values are right, and a path is worth making only where it may be needed.
    if (typeof value === 'string' && (type?.scalar === 'string' || type?.scalar === 'untyped')) {
      return false;
    }
    check.path.push(fieldElement(name));
    if (type === undefined) complain(check, 'field not declared in schema');
    else validateNode(check, value, type);
    check.path.pop();
    return type === undefined;
  });
}

function validateList(check: Check, value: JsonValue, list: MergeList): void {
  if (!Array.isArray(value)) {
    complain(check, `expected list, got ${showBoxed(value)}`);
    return;
  }
  if (list.relation === 'atomic') {
    forEachItem(value, (item, index) => {
      validateItem(check, { element: `i:${String(index)}`, item, list });
    });
    return;
  }
  const seen = remembered(() => new Set<string>());
  someItem(value, (item, index) => {
    const element = listElement(list, item);
    if (typeof element !== 'string') {
      complain(check, `element ${String(index)}: ${element.message}`);
      return true;
    }
    if (seen.has(element)) complainOnce(check, `duplicate entries for key ${showElement(element)}`);
    validateItem(check, { element, item, list });
    if (check.allowDuplicates !== true) seen.add(element);
    return false;
  });
}

/** Of an item whose own fields are still to be looked at. */
function complainOnce(check: Check, message: string): void {
  remembered(() => {
    complain(check, message);
  });
}

interface ListItem {
  readonly element: string;
  readonly item: JsonValue;
  readonly list: MergeList;
}

function validateItem(check: Check, { element, item, list }: ListItem): void {
  check.path.push(element);
  validateNode(check, item, list.items);
  check.path.pop();
}

function validateScalar(check: Check, value: JsonValue, scalar: MergeScalar): void {
  const message = scalarMistake(value, scalar);
  if (message !== undefined) complain(check, message);
}

function scalarMistake(value: JsonValue, scalar: MergeScalar): string | undefined {
  switch (scalar) {
    case 'numeric':
      if (isNumber(value)) return undefined;
      return `expected numeric (int or float), got ${showTypeOf(value)}`;
    case 'string':
      if (typeof value === 'string') return undefined;
      return `expected string, got ${showBoxedSyntax(value)}`;
    case 'boolean':
      if (typeof value === 'boolean') return undefined;
      return `expected boolean, got ${showBoxed(value)}`;
    case 'untyped':
      if (typeof value !== 'object') return undefined;
      return `expected any scalar, got ${showBoxed(value)}`;
  }
}
