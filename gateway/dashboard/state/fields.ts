/**
 * An object as its fields, for what changed and which change gave a field its value. Elements of lists go
 * by the key that tells them apart, as containers by name, so that one more in front moves none.
 */
import type { LogLine } from '../../client/browser.ts';

/** Paths to the text of values, in order. */
type Fields = ReadonlyMap<string, string>;

/** One field that is not as it was; undefined: it was not there, or is not any more. */
export interface FieldChange {
  /** `spec.containers[web].image`. */
  readonly path: string;
  /** As JSON. */
  readonly before: string | undefined;
  /** As JSON. */
  readonly after: string | undefined;
}

/** A field, its value, and the change that gave it. */
export interface BlamedField {
  /** `spec.containers[web].image`. */
  readonly path: string;
  /** As JSON. */
  readonly value: string;
  /** The line of the log. */
  readonly by: LogLine;
}

const KEYS = [
  'name',
  'type',
  'key',
  'containerPort',
  'port',
  'ip',
  'uid',
  'mountPath',
  'topologyKey',
];
/** What the server keeps for itself, and what changes with every change. */
const LEFT_OUT = new Set([
  'metadata.managedFields',
  'metadata.resourceVersion',
  'metadata.generation',
]);

/** Every scalar, and every list or object that has nothing in it. */
export function fieldsOf(object: unknown): Fields {
  const fields = new Map<string, string>();
  const visit = (value: unknown, path: string): void => {
    if (LEFT_OUT.has(path)) return;
    const parts = partsOf(value, path);
    if (parts.length === 0) fields.set(path, JSON.stringify(value));
    for (const [step, part] of parts) visit(part, step);
  };
  visit(object, '');
  fields.delete('');
  return fields;
}

function partsOf(value: unknown, path: string): (readonly [path: string, part: unknown])[] {
  if (Array.isArray(value)) {
    const key = KEYS.find((one) => isKeyOf(value, one));
    return value.map((part: unknown, at) => {
      const name = key === undefined ? String(at) : textOf(memberOf(part, key));
      return [`${path}[${name}]`, part];
    });
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, part]) => {
    const step = /^[\w-]+$/.test(name) ? name : `"${name}"`;
    return [path === '' ? step : `${path}.${step}`, part];
  });
}

/** Whether it tells all elements of the list apart. */
function isKeyOf(list: readonly unknown[], key: string): boolean {
  const names = list.map((part) => memberOf(part, key));
  return !names.includes(undefined) && new Set(names.map(textOf)).size === list.length;
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** In the order of the newer one, then what is gone. */
export function changedFields(before: unknown, after: unknown): FieldChange[] {
  const [old, young] = [fieldsOf(before ?? {}), fieldsOf(after ?? {})];
  const changed = [...young]
    .filter(([path, value]) => old.get(path) !== value)
    .map(([path, value]) => ({ path, before: old.get(path), after: value }));
  const gone = [...old]
    .filter(([path]) => !young.has(path))
    .map(([path, value]) => ({ path, before: value, after: undefined }));
  return [...changed, ...gone];
}

/** The fields at the end of the lines, oldest first; none where the object is gone there. */
export function blamedFields(lines: readonly LogLine[]): BlamedField[] {
  let blamed = new Map<string, BlamedField>();
  for (const line of lines) {
    const before = blamed;
    const fields = line.type === 'deleted' ? new Map<string, string>() : fieldsOf(line.object);
    blamed = new Map(
      [...fields].map(([path, value]) => {
        const known = before.get(path);
        return [path, known?.value === value ? known : { path, value, by: line }];
      }),
    );
  }
  return [...blamed.values()];
}
