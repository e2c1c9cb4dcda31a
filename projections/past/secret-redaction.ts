/**
 * Secrets as people may see them: which keys there are and how long the values, not the values.
 * The annotation in which kubectl keeps what it applied has the values too.
 */
import { formatJson } from '../../api/json/json-text.ts';
import { isJsonObject, objectAt, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { setOwn } from '../../api/json/own-property.ts';
import { type FieldChange, sameJson } from './field-changes.ts';
import type { FieldPath } from './field-path.ts';

const VALUES_IN = ['data', 'stringData'];
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** True for a v1 Secret, whose values tools do not print. */
export function isSecret(object: JsonObject): boolean {
  return object['apiVersion'] === 'v1' && object['kind'] === 'Secret';
}

/**
 * The object without the values of a Secret; any other as it is. Where `before` has another value
 * of the same length, that is said, or the two would look alike.
 */
export function redacted(object: JsonObject, before?: JsonObject): JsonObject {
  if (!isSecret(object)) return object;
  const shown: JsonObject = { ...object };
  for (const section of VALUES_IN) {
    const values = objectAt(object, section);
    if (values !== undefined) {
      shown[section] = redactedValues(values, before && objectAt(before, section), sizeOfBase64);
    }
  }
  const metadata = objectAt(object, 'metadata');
  const annotations = objectAt(metadata, 'annotations');
  if (annotations !== undefined && Object.hasOwn(annotations, LAST_APPLIED)) {
    const text = redactedValue(annotations[LAST_APPLIED], sizeOfText);
    shown['metadata'] = { ...metadata, annotations: { ...annotations, [LAST_APPLIED]: text } };
  }
  return shown;
}

/** The same of changes that were made to a Secret. */
export function redactedChanges(changes: readonly FieldChange[]): FieldChange[] {
  return changes.map((change): FieldChange => {
    if (change.kind === 'reordered') return change;
    const hide = (value: JsonValue): JsonValue => redactedAt(change.path, value);
    if (change.kind === 'added') return { ...change, after: hide(change.after) };
    if (change.kind === 'removed') return { ...change, before: hide(change.before) };
    return { ...change, before: hide(change.before), after: hide(change.after) };
  });
}

/** A value of a Secret that stands at `path`, in the form that may be shown. */
export function redactedAt(path: FieldPath, value: JsonValue): JsonValue {
  const [section, key, name] = path;
  if (typeof section === 'string' && VALUES_IN.includes(section)) {
    if (path.length > 1 || !isJsonObject(value)) return redactedValue(value, sizeOfBase64);
    return redactedValues(value, undefined, sizeOfBase64);
  }
  if (section !== 'metadata') return value;
  if (name === LAST_APPLIED) return redactedValue(value, sizeOfText);
  const annotations = key === 'annotations' ? value : undefined;
  if (!isJsonObject(annotations) || !Object.hasOwn(annotations, LAST_APPLIED)) return value;
  const text = redactedValue(annotations[LAST_APPLIED], sizeOfText);
  return { ...annotations, [LAST_APPLIED]: text };
}

type SizeOf = (text: string) => number;

function redactedValues(
  values: JsonObject,
  before: JsonObject | undefined,
  sizeOf: SizeOf,
): JsonObject {
  const shown: JsonObject = {};
  for (const [key, value] of Object.entries(values)) {
    const text = redactedValue(value, sizeOf);
    const was = before !== undefined && Object.hasOwn(before, key) ? before[key] : undefined;
    const looksAlike = was !== undefined && redactedValue(was, sizeOf) === text;
    const isOther = looksAlike && !sameJson(was, value);
    setOwn(shown, key, isOther ? text.replace(')', ', other ones than before)') : text);
  }
  return shown;
}

function redactedValue(value: JsonValue | undefined, sizeOf: SizeOf): string {
  const size = sizeOf(typeof value === 'string' ? value : formatJson(value ?? ''));
  return `(${String(size)} ${size === 1 ? 'byte' : 'bytes'})`;
}

function sizeOfBase64(text: string): number {
  return Buffer.from(text, 'base64').length;
}

function sizeOfText(text: string): number {
  return Buffer.byteLength(text);
}
