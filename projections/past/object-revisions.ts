/**
 * The life of one object: every state it had, what each changed of the one before, and that in one line
 * for people: `spec.replicas 1 → 3, +2 labels, 4 more`.
 */
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { isChange, type LoggedChange, type LoggedEvent } from '../../streams/event.ts';
import { type FieldChange, fieldChanges } from './field-changes.ts';
import { type FieldPath, formatFieldPath, schemaOfObject } from './field-path.ts';
import { isSecret, redactedChanges } from './secret-redaction.ts';

/** One change of an object that took effect. */
export interface ObjectRevision {
  /** The record that made the revision. */
  readonly event: LoggedChange;
  /** As of this revision; for a delete the last state. */
  readonly object: JsonObject;
  /** What it replaced; undefined for a create, and where that is not in the log any more. */
  readonly before: JsonObject | undefined;
  /** From `before` to `object`; none where there is no `before`. */
  readonly changes: readonly FieldChange[];
  /** Whether it was deleted before, and is another object of the same name. */
  readonly isCreatedAgain: boolean;
}

/** @param events the effective ones of one object, in order. */
export function* revisionsOf(events: Iterable<LoggedEvent>): Generator<ObjectRevision> {
  let before: JsonObject | undefined;
  let wasDeleted = false;
  for (const event of events) {
    if (!isChange(event)) continue;
    const object = objectOf(event);
    const isCreatedAgain = wasDeleted && event.type === 'added';
    const changes =
      before === undefined ? [] : fieldChanges(before, object, schemaOfObject(object));
    yield { event, object, before, changes, isCreatedAgain };
    wasDeleted = event.type === 'deleted';
    before = wasDeleted ? undefined : object;
  }
}

/** The object in the record, as the log has it: without resourceVersion. */
export function objectOf(event: LoggedEvent): JsonObject {
  const bytes = Buffer.from(event.json.buffer, event.json.byteOffset, event.json.byteLength);
  const value = parseJson(bytes.toString());
  if (isJsonObject(value)) return value;
  throw new Error(`the record at ${String(event.resourceVersion)} holds no object`);
}

/** One line: what happened, and what is different since. Never shows a Secret's values. */
export function summarizeRevision(revision: ObjectRevision): string {
  const { event, object, before, isCreatedAgain } = revision;
  const changes = isSecret(object) ? redactedChanges(revision.changes) : revision.changes;
  const what = summarizeChanges(changes);
  if (event.type === 'deleted') return what === '' ? 'deleted' : `deleted (${what})`;
  if (isCreatedAgain) return 'created again';
  if (event.type === 'added') return 'created';
  if (before === undefined) return 'what was before is not in the log any more';
  return what === '' ? 'nothing' : what;
}

const SHOWN_MAX = 3;
const VALUE_CHARACTERS_MAX = 40;

/** Maps of which only the count of changes is told. */
const COUNTED: ReadonlyMap<string, readonly [one: string, many: string]> = new Map([
  ['labels', ['label', 'labels']],
  ['annotations', ['annotation', 'annotations']],
]);

/** '' when nothing has changed. */
export function summarizeChanges(changes: readonly FieldChange[]): string {
  const counted = new Map<string, number>();
  const parts: { readonly rank: number; readonly text: string }[] = [];
  for (const change of changes) {
    const section = countedSection(change.path);
    if (section === undefined) parts.push({ rank: rankOf(change), text: describe(change) });
    else for (const [key, count] of countsOf(section, change)) add(counted, key, count);
  }
  for (const [key, count] of counted) parts.push({ rank: 1, text: countedText(key, count) });
  const telling = parts.some(({ rank }) => rank < UNTOLD) ? UNTOLD : Infinity;
  const shown = parts.filter(({ rank }) => rank < telling).sort((a, b) => a.rank - b.rank);
  const texts = shown.slice(0, SHOWN_MAX).map(({ text }) => text);
  if (shown.length > SHOWN_MAX) texts.push(`${String(shown.length - SHOWN_MAX)} more`);
  return texts.join(', ');
}

/** What follows from other changes is told only when there is nothing else to tell. */
const UNTOLD = 3;
const FOLLOWING = new Set(['managedFields', 'generation', 'uid', 'creationTimestamp']);

function rankOf({ kind, path: [section, field] }: FieldChange): number {
  if (kind === 'reordered') return UNTOLD;
  if (section === 'metadata') {
    return typeof field === 'string' && FOLLOWING.has(field) ? UNTOLD : 1;
  }
  return section === 'status' ? 2 : 0;
}

function describe(change: FieldChange): string {
  const path = formatFieldPath(change.path);
  if (change.path[1] === 'managedFields') return 'managedFields';
  switch (change.kind) {
    case 'added':
      return isSmall(change.after) ? `+${path} ${shortValue(change.after)}` : `+${path}`;
    case 'removed':
      return `-${path}`;
    case 'changed':
      return `${path} ${shortValue(change.before)} → ${shortValue(change.after)}`;
    case 'reordered':
      return `${path} reordered`;
  }
}

function countedSection([first, second]: FieldPath): string | undefined {
  return first === 'metadata' && typeof second === 'string' && COUNTED.has(second)
    ? second
    : undefined;
}

/** `+labels`, `-labels` and `~labels`, with how many. */
function countsOf(section: string, change: FieldChange): [string, number][] {
  if (change.kind === 'reordered') return [];
  const isWhole = change.path.length === 2;
  const sizeOf = (value: JsonValue): number => (isWhole ? Object.keys(value ?? {}).length : 1);
  if (change.kind === 'added') return [[`+${section}`, sizeOf(change.after)]];
  if (change.kind === 'removed') return [[`-${section}`, sizeOf(change.before)]];
  return [[`~${section}`, 1]];
}

function countedText(key: string, count: number): string {
  const [one, many] = COUNTED.get(key.slice(1)) ?? ['', ''];
  const words = `${String(count)} ${count === 1 ? one : many}`;
  return key.startsWith('~') ? `${words} changed` : `${key.slice(0, 1)}${words}`;
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function isSmall(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

function shortValue(value: JsonValue): string {
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${String(value.length)}]`;
    return Object.keys(value).length === 0 ? '{}' : '{…}';
  }
  // Line breaks and other control characters would end the line.
  const text = typeof value === 'string' ? formatJson(value).slice(1, -1) : String(value);
  if (text === '') return '""';
  if (text.length <= VALUE_CHARACTERS_MAX) return text;
  return `${text.slice(0, VALUE_CHARACTERS_MAX - 1)}…`;
}
