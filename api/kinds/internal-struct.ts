/**
 * Values as messages of kube-apiserver show them: it prints the structs that it works with, whose
 * fields are named and nested in another way than clients know them, and which show everything
 * that is not set. The layouts were taken from Go; see e2e/oracles/strategies/layouts.go.
 *
 * In Kubernetes: pkg/apis/core/types.go and its kin, printed by field.Error.
 */
import { readGenerated } from '../generated/read-generated.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { goJson } from '../json/go-format.ts';
import { unifiedDiff } from './rules/unified-diff.ts';

/** Go's name, the name in JSON, and what it is: `[]*Container`, `{}string`, `own:Quantity`. */
type FieldRow = readonly [string, string, string];
type Layouts = Readonly<Record<string, readonly FieldRow[]>>;

type Value = JsonValue | undefined;

/** What a pod says at the top of its spec, and the struct keeps with the security context. */
const KEPT_IN_CONTEXT = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];

let layouts: Layouts | undefined;

/** `type` is Go's name of the struct: `Container`, also `*Container` or `[]Container`. */
export function internalForm(type: string, value: Value): JsonValue {
  return formOf(type, value);
}

/** What differs between two values, as messages about fields that may not change show it. */
export function internalDiff(type: string, old: Value, value: Value): string {
  return unifiedDiff(indented(formOf(type, old), ''), indented(formOf(type, value), ''));
}

/** As Go writes JSON with one space for each level. */
function indented(value: JsonValue, indent: string): string {
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    const items = value.map((item) => `${inner}${indented(item, inner)}`);
    return items.length === 0 ? '[]' : `[\n${items.join(',\n')}\n${indent}]`;
  }
  if (!isJsonObject(value)) return goJson(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${inner}${goJson(key)}: ${indented(item ?? null, inner)}`,
  );
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n${indent}}`;
}

function formOf(type: string, value: Value): JsonValue {
  const isAbsent = value === undefined || value === null;
  if (type.startsWith('*')) return isAbsent ? null : formOf(type.slice(1), value);
  if (type.startsWith('[]')) return listForm(type.slice(2), value);
  if (type.startsWith('{}')) return mapForm(type.slice(2), value);
  switch (type) {
    case 'string':
      return value ?? '';
    case 'number':
      return value ?? 0;
    case 'bool':
      return value ?? false;
    case 'bytes':
    case 'own:Time':
    case 'own:MicroTime':
      return value ?? null;
    case 'own:Quantity':
      return value ?? '0';
    case 'own:IntOrString':
      return value ?? 0;
    default:
      return type.startsWith('own:') ? (value ?? {}) : structForm(type, value);
  }
}

/** A list that is left out when it is empty has no empty form: the decoder makes no difference. */
function listForm(type: string, value: Value): JsonValue {
  return Array.isArray(value) ? value.map((item) => formOf(type, item)) : null;
}

function mapForm(type: string, value: Value): JsonValue {
  if (!isJsonObject(value)) return null;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, formOf(type, value[key])]));
}

function structForm(type: string, value: Value): JsonObject {
  const object = isJsonObject(value) ? value : {};
  const source = type === 'PodSpec' ? withContext(object) : object;
  const form: JsonObject = {};
  for (const [goName, jsonName, notation] of layoutOf(type)) {
    const inlined = notation.startsWith('inline ') ? notation.slice('inline '.length) : undefined;
    if (inlined === undefined) form[goName] = formOf(notation, source[jsonName]);
    else Object.assign(form, inlinedForm(inlined, source));
  }
  return form;
}

/** Metadata is the one struct that is written alike inside and outside. */
function inlinedForm(type: string, source: JsonObject): JsonObject {
  if (!type.startsWith('own:')) return structForm(type, source);
  const { metadata } = source;
  return type === 'own:ObjectMeta' && isJsonObject(metadata) ? metadata : {};
}

function withContext(spec: JsonObject): JsonObject {
  const context = isJsonObject(spec['securityContext']) ? { ...spec['securityContext'] } : {};
  for (const key of KEPT_IN_CONTEXT) if (key in spec) context[key] = spec[key];
  const isNone = Object.keys(context).length === 0 && !isJsonObject(spec['securityContext']);
  return isNone ? spec : { ...spec, securityContext: context };
}

/** @throws Error when there is no layout of that name. */
function layoutOf(type: string): readonly FieldRow[] {
  // The file is ours; a test holds it to what Go says.
  layouts ??= JSON.parse(readGenerated('internal-structs.json')) as Layouts;
  const layout = layouts[type];
  if (layout === undefined) throw new Error(`there is no layout of ${type}`);
  return layout;
}
