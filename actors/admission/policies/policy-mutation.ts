/**
 * What one mutation of a policy makes of an object: a JSON patch that an expression gives is
 * applied, or an object that it gives is merged over the one that is there.
 *
 * In Kubernetes: apiserver/pkg/admission/plugin/policy/mutating/patch.
 */
import { CelList, type CelValue } from '../../../api/cel/value.ts';
import { goText } from '../../../api/cel/go-text.ts';
import { mergeValues } from '../../../api/merge/merge-values.ts';
import { formOf, heldForm, type MergeType } from '../../../api/merge/merge-type.ts';
import { validateValue } from '../../../api/merge/validate-value.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import {
  dataOf,
  JsonPatchValue,
  misnamed,
  objectData,
  ObjectValue,
} from '../../../api/kinds/admissionregistration/patch-values.ts';
import { type Patched, patchedObject, typedObject } from '../matching/patched-object.ts';
import type { VersionedObjects } from '../matching/versioned-objects.ts';
import type { Mutation } from './compiled-policies.ts';

/** `isFatal`: the request fails whatever the failure policy. */
export type MutationResult =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly message: string; readonly isFatal: boolean };

/** What is mutated: `object` is that of `versioned` as it is by now. */
export interface Mutated {
  readonly versioned: VersionedObjects;
  readonly object: KubeObject;
  readonly subresource: string;
}

/** @param value what the expression of the mutation gave. */
export function applyMutation(
  { patchType }: Mutation,
  value: CelValue,
  mutated: Mutated,
): MutationResult {
  return patchType === 'JSONPatch' ? patched(value, mutated) : merged(value, mutated);
}

function patched(value: CelValue, { versioned, object, subresource }: Mutated): MutationResult {
  const operations = operationsOf(value);
  if (typeof operations === 'string') return failed(operations);
  const result = patchedObject(versioned.target, subresource, object, operations);
  if (result.ok) return strict(result);
  if (result.stage === 'type') return { ok: false, message: result.message, isFatal: true };
  // A patch that begins with a test changes nothing where the test fails.
  if (result.message.endsWith(': test failed')) return { ok: true, object };
  return failed(`JSON Patch: ${result.message}`);
}

/** A patch may not add unknown fields. */
function strict(result: Patched & { readonly ok: true }): MutationResult {
  const [unknown] = result.unknownFields;
  if (unknown === undefined) return { ok: true, object: result.object };
  const message = `strict decoding error: ${result.unknownFields.join(', ')}`;
  return { ok: false, message, isFatal: true };
}

/** The operations, or what is wrong with them. */
function operationsOf(value: CelValue): readonly JsonObject[] | string {
  if (!(value instanceof CelList)) {
    return 'type mismatch: JSONPatchType.expression should evaluate to array';
  }
  const operations: JsonObject[] = [];
  for (let index = 0; index < value.size; index += 1) {
    const operation = operationOf(value.at(index));
    if (typeof operation === 'string') return operation;
    operations.push(operation);
  }
  return operations;
}

function operationOf(value: CelValue): JsonObject | string {
  if (!(value instanceof JsonPatchValue)) {
    return 'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch';
  }
  const text = (name: string): string => goText(value.fields.get(name) ?? '');
  const operation: JsonObject = { op: text('op'), path: text('path') };
  if (text('from') !== '') operation['from'] = text('from');
  const given = value.fields.get('value');
  if (given === undefined) return operation;
  if (given instanceof ObjectValue) {
    const problem = misnamed(given);
    if (problem !== '') return `type mismatch: ${problem}`;
  }
  return { ...operation, value: dataOf(given) };
}

function merged(value: CelValue, { versioned, object, subresource }: Mutated): MutationResult {
  if (!(value instanceof ObjectValue)) {
    return failed('unsupported return type from ApplyConfiguration expression');
  }
  const problem = misnamed(value);
  if (problem !== '') return failed(`type mismatch: ${problem}`);
  const { kind, apiVersion } = object;
  const patch: JsonObject = { ...objectData(value), kind, apiVersion };
  const { target } = versioned;
  const type = target.served.mergeType();
  const invalid = validateValue(patch, type);
  const what = 'error applying patch: ';
  if (invalid !== undefined) {
    return failed(`${what}failed to convert patch object to typed object: ${invalid}`);
  }
  const atomics = atomicsIn(patch, type, '');
  if (atomics.length > 0) {
    const where = atomics.join(', ');
    return failed(
      `${what}invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${where}`,
    );
  }
  const result = mergeValues(object, patch, type);
  const typed = typedObject(target, subresource, object, result ?? object);
  if (typed.ok) return { ok: true, object: typed.object };
  return failed(`${what}${typed.message}`);
}

/** What would be replaced as a whole, though a policy may mean to change a part of it. */
function atomicsIn(value: JsonValue | undefined, type: MergeType, path: string): string[] {
  if (value === undefined || value === null) return [];
  const form = heldForm(type, formOf(type, value));
  if (form === 'map' && type.map !== undefined && isJsonObject(value)) {
    const { atomic, fields } = type.map;
    const inside = Object.entries(value).flatMap(([name, child]) => {
      const field = fields.get(name);
      return field === undefined ? [] : atomicsIn(child, field.type, `${path}.${name}`);
    });
    return [...(atomic ? [path] : []), ...inside];
  }
  if (form !== 'list' || type.list === undefined || !Array.isArray(value)) return [];
  const { relation, items } = type.list;
  const inside = value.flatMap((item, at) => atomicsIn(item, items, `${path}[${String(at)}]`));
  return [...(relation === 'atomic' ? [path] : []), ...inside];
}

function failed(message: string): MutationResult {
  return { ok: false, message, isFatal: false };
}
